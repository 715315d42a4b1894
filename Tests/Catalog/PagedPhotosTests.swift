import SpyglassFetching
import SpyglassThreads
import Testing

@testable import SpyglassCatalog

/// A source of given pages that records requests and can fail.
private final class ListSource: PhotoSource {
    let name = "list"
    private let pages: [[String]]
    private let startsAnywhere: Bool
    private let state = Mutex<(asked: [Int], failures: Int)>(([], 0))

    init(_ pages: [[String]], startsAnywhere: Bool = true, failures: Int = 0) {
        self.pages = pages
        self.startsAnywhere = startsAnywhere
        state.withLock { $0.failures = failures }
    }

    var asked: [Int] { state.withLock(\.asked) }

    func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
        let number = cursor.flatMap { Int($0.token) } ?? 1
        try state.withLock { state in
            state.asked.append(number)
            guard state.failures == 0 else {
                state.failures -= 1
                throw FetchError(.unreachable, "list: no route")
            }
        }
        return PhotoPage(
            photos: pages[number - 1].map { Photo(id: $0, source: name) },
            position: pages[..<(number - 1)].joined().count,
            next: number < pages.count ? PageCursor(token: "\(number + 1)") : nil,
            previous: number > 1 ? PageCursor(token: "\(number - 1)") : nil,
            total: number == 1 ? .estimate(pages.joined().count) : nil)
    }

    func cursor(for start: PhotoStart) -> PageCursor? {
        guard startsAnywhere else { return nil }
        switch start {
        case .page(let number): return PageCursor(token: "\(number)")
        case .photo: return nil
        case .position(let position):
            let ends = pages.indices.map { pages[...$0].joined().count }
            return PageCursor(token: "\((ends.firstIndex { $0 > position } ?? pages.count - 1) + 1)")
        }
    }

}

/// A source whose pages never end and repeat their photos.
private struct EndlessSource: PhotoSource {
    let name = "endless"
    let leadsToItself: Bool

    func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
        let number = cursor.flatMap { Int($0.token) } ?? 1
        let next = PageCursor(token: leadsToItself ? "2" : "\(number + 1)")
        return PhotoPage(
            photos: leadsToItself ? [Photo(id: "\(number)", source: name)] : [Photo(id: "A", source: name)], next: next,
            previous: next)
    }
}

@Suite("PagedPhotos", .timeLimit(.minutes(10)))
struct PagedPhotosTests {
    @Test("Every photo is returned once, in order, with the first page's total")
    func order() async throws {
        let source = ListSource([["a", "b"], ["b", "c"], ["a", "d", "d"]])
        var photos = PagedPhotos(PhotoQuery(), from: source).makeAsyncIterator()
        #expect(photos.total == nil)
        #expect(try await photos.next()?.id == "a")
        #expect(photos.total == .estimate(7) && source.asked == [1])
        #expect(try await photos.ids() == ["b", "c", "d"])
        #expect(try await photos.next() == nil)
        // A later page without a total does not clear it.
        #expect(photos.total == .estimate(7) && source.asked == [1, 2, 3])
    }

    @Test("A loop walks all pages")
    func loop() async throws {
        var ids: [String] = []
        for try await photo in PagedPhotos(PhotoQuery(), from: ListSource([["a"], [], ["b"]])) { ids.append(photo.id) }
        #expect(ids == ["a", "b"])
    }

    @Test("A walk from the middle reaches both ends")
    func bothDirections() async throws {
        let source = ListSource([["a"], ["b", "c"], ["c", "d"], ["e"]])
        var pages = PagedPhotos(PhotoQuery(), from: source, startingAt: .page(3))
        #expect(!pages.isAtStart && !pages.isAtEnd)
        for (isForward, ids, isAtEnd, isAtStart) in [
            (true, ["c", "d"], false, false), (false, ["b"], false, false), (true, ["e"], true, false),
            (false, ["a"], true, true), (true, nil, true, true), (false, nil, true, true),
        ] {
            let page = isForward ? try await pages.nextPage() : try await pages.previousPage()
            #expect(page?.map(\.id) == ids && pages.isAtEnd == isAtEnd && pages.isAtStart == isAtStart)
        }
        #expect(source.asked == [3, 2, 4, 1])
    }

    @Test("Pages of any size: the first page read tells its position", arguments: [(0, 0), (2, 1), (4, 4), (99, 7)])
    func positions(asked: Int, start: Int) async throws {
        let source = ListSource([["a"], ["b", "c", "d"], ["e", "f", "g"], ["h"]])
        var pages = PagedPhotos(PhotoQuery(), from: source, startingAt: .position(asked))
        #expect(pages.startPosition == nil)
        _ = try await pages.nextPage()
        #expect(pages.startPosition == start)
    }

    @Test("A source without random access starts at its first page")
    func noPositions() async throws {
        let source = ListSource([["a"], ["b"]], startsAnywhere: false)
        var pages = PagedPhotos(PhotoQuery(), from: source, startingAt: .position(1))
        #expect(try await pages.nextPage()?.map(\.id) == ["a"])
        #expect(pages.startPosition == 0)
    }

    @Test("The first call of previousPage reads the first page")
    func previousFirst() async throws {
        var pages = PagedPhotos(PhotoQuery(), from: ListSource([["a"], ["b"]]))
        #expect(try await pages.previousPage()?.map(\.id) == ["a"])
        #expect(pages.isAtStart)
    }

    @Test("After an error the same page is requested again")
    func errors() async throws {
        let source = ListSource([["a"], ["b"]], failures: 1)
        var pages = PagedPhotos(PhotoQuery(), from: source)
        await #expect(throws: FetchError.self) { try await pages.nextPhoto() }
        #expect(try await pages.nextPhoto()?.id == "a")
        #expect(source.asked == [1, 1])
    }

    @Test("A source that repeats itself ends", arguments: [false, true])
    func endless(leadsToItself: Bool) async throws {
        var pages = PagedPhotos(PhotoQuery(), from: EndlessSource(leadsToItself: leadsToItself))
        #expect(try await pages.ids().count == (leadsToItself ? 2 : 1))
        #expect(pages.isAtEnd)
    }

    @Test("Starting at a page of a source without random access is an error", arguments: [2, 0, -3])
    func noMiddle(page: Int) async throws {
        var pages = PagedPhotos(PhotoQuery(), from: ListSource([["a"]], startsAnywhere: false), startingAt: .page(page))
        #expect(try await catalogError { try await pages.nextPage() as Any }.kind == .invalidQuery)
    }

    @Test("Only recent ids are stored: distant repetitions are returned again")
    func memory() async throws {
        let count = PagedPhotos.rememberedIDs
        let many = (0..<count).map { "\($0)" }
        let source = ListSource([["near"], many, ["near", "\(count - 1)"]])
        var pages = PagedPhotos(PhotoQuery(), from: source)
        for ids in [["near"], many, ["near"]] { #expect(try await pages.nextPage()?.map(\.id) == ids) }
    }

    @Test("Files whose names differ only in Unicode normalization are two photos")
    func normalization() async throws {
        var pages = PagedPhotos(PhotoQuery(), from: ListSource([["caf\u{E9}.jpg", "cafe\u{301}.jpg"]]))
        #expect(try await pages.nextPage()?.count == 2)
    }
}

@Suite("PlainText", .timeLimit(.minutes(10)))
struct PlainTextTests {
    @Test(
        "Tags are removed and references resolved",
        arguments: [
            ("<b>Mars</b> &amp; moons", "Mars & moons"),
            ("one<br/>two<BR>three", "one\ntwo\nthree"),
            ("<p>one</p><p>two</p>", "one\n\ntwo"),
            ("<ul><li>a</li><li>b</li></ul>", "a\nb"),
            ("<a href=\"http://x.org/?a>b\" title='c>d'>link</a> end", "link end"),
            ("x <!-- hidden <b> --> y", "x y"),
            ("a<script>alert('<p>')</script>b<style>p{}</style>c", "abc"),
            ("if a < b and c > d", "if a < b and c > d"),
            ("3<4, 5>4, <3", "3<4, 5>4, <3"),
            ("&lt;b&gt; stays", "<b> stays"),
            ("&amp;amp; once", "&amp; once"),
            ("5&nbsp;cm&#8212;&#x2248;&#X41;", "5 cm—≈A"),
            (
                "it&#146;s &ldquo;quoted&rdquo; &eacute;t&eacute; 10&micro;m 4&times;4 90&deg;",
                "it’s “quoted” été 10µm 4×4 90°"
            ),
            ("AT&T; R&D & more &unknown; &#; &#x; &#zz;", "AT&T; R&D & more &unknown; &#; &#x; &#zz;"),
            ("&#0;&#27;[31m&#x7f;&#xD800;&#x110000;", "\u{FFFD}\u{FFFD}[31m\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("&#99999999999999;", "&#99999999999999;"),
            ("  \t x \r\n  y  \n\n\n\n z \n", "x\ny\n\nz"),
            ("\u{A0}a\u{A0}\u{A0}b\u{A0}", "a b"),
            ("<td>1</td><td>2</td>", "1 2"),
            ("<!DOCTYPE html><?xml version='1'?>text", "text"),
            ("unfinished <a href=", "unfinished <a href="),
            ("unfinished <!-- comment", "unfinished <!-- comment"),
            ("", ""), ("<", "<"), ("</", "</"), ("&", "&"), ("<p>", ""), ("&#", "&#"),
        ])
    func paragraphs(markup: String, expected: String) { #expect(PlainText.paragraphs(markup) == expected) }

    @Test("A title is one line")
    func line() { #expect(PlainText.line(" <i>The\nEarth</i> &amp;\t Moon<br>2 ") == "The Earth & Moon 2") }

    @Test("One line of plain text has no control characters")
    func oneLine() {
        #expect(PlainText.oneLine("a\u{1b}[31m\r\nb\u{9b}c\u{7f}", limit: 100) == "a [31m b c")
        #expect(PlainText.oneLine("<b>&amp;", limit: 100) == "<b>&amp;")
    }

    @Test(
        "White space of any script is trimmed around a text",
        arguments: [
            ("a b", "a b"), (" \t\r\na b\n", "a b"), ("\u{3000}é\u{A0}", "é"), ("a\u{2028}", "a"), ("", ""),
            (" \u{85}", ""),
            ("\u{301}a", "\u{301}a"), ("é", "é"),
        ])
    func trimmed(text: String, expected: String) { #expect(text.trimmed == expected) }

    @Test("A long text is truncated between characters, with an ellipsis")
    func cap() {
        let capped = ["abcd", "abcde", "abcé", "🚀🚀"].map { PlainText.capped($0, limit: 4) }
        #expect(capped == ["abcd", "abcd…", "abc…", "🚀…"])
        let long = PlainText.paragraphs(String(repeating: "x", count: PlainText.descriptionLimit + 1))
        #expect(long.utf8.count == PlainText.descriptionLimit + 3)
        let transcript = String(repeating: "y", count: 89_685)
        #expect(PlainText.paragraphs(transcript) == transcript)
    }

    @Test(
        "Hostile markup is scanned in linear time",
        arguments: ["<a", "<a\"", "<!--", "<script>", "&", "&#", "<a b='", "</"])
    func hostile(unit: String) {
        // Quadratic scanning would take a billion steps.
        let text = String(repeating: unit, count: PlainText.descriptionLimit / 4 / unit.utf8.count)
        #expect(PlainText.withoutMarkup(text).count <= text.utf8.count)
    }
}

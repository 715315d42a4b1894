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
        case .position(let position):
            let ends = pages.indices.map { pages[...$0].joined().count }
            return PageCursor(token: "\((ends.firstIndex { $0 > position } ?? pages.count - 1) + 1)")
        }
    }

    func renditions(of photo: Photo) async throws -> Photo { photo }
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

    func renditions(of photo: Photo) async throws -> Photo { photo }
}

@Suite("PagedPhotos", .timeLimit(.minutes(10)))
struct PagedPhotosTests {
    @Test("Every photo is returned once, in order, with the first page's total")
    func order() async throws {
        let source = ListSource([["a", "b"], ["b", "c"], ["a", "d", "d"]])
        var photos = PagedPhotos(PhotoQuery(), from: source).makeAsyncIterator()
        #expect(photos.total == nil)
        #expect(try await photos.next()?.id == "a")
        #expect(photos.total == .estimate(7))
        #expect(source.asked == [1])
        var ids: [String] = []
        while let photo = try await photos.next() { ids.append(photo.id) }
        #expect(ids == ["b", "c", "d"])
        // A later page without a total does not clear it.
        #expect(photos.total == .estimate(7))
        #expect(source.asked == [1, 2, 3])
        #expect(try await photos.next() == nil)
        #expect(source.asked.count == 3)
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
        #expect(try await pages.nextPage()?.map(\.id) == ["c", "d"])
        #expect(try await pages.previousPage()?.map(\.id) == ["b"])
        #expect(try await pages.nextPage()?.map(\.id) == ["e"])
        #expect(pages.isAtEnd && !pages.isAtStart)
        #expect(try await pages.previousPage()?.map(\.id) == ["a"])
        #expect(pages.isAtEnd && pages.isAtStart)
        #expect(try await pages.nextPage() == nil)
        #expect(try await pages.previousPage() == nil)
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
        do {
            _ = try await pages.nextPhoto()
            Issue.record("no error came")
        } catch is FetchError {}
        #expect(try await pages.nextPhoto()?.id == "a")
        #expect(source.asked == [1, 1])
    }

    @Test("A source that repeats itself ends", arguments: [false, true])
    func endless(leadsToItself: Bool) async throws {
        var pages = PagedPhotos(PhotoQuery(), from: EndlessSource(leadsToItself: leadsToItself))
        var count = 0
        while try await pages.nextPhoto() != nil { count += 1 }
        #expect(count == (leadsToItself ? 2 : 1))
        #expect(pages.isAtEnd)
    }

    @Test("Starting at a page of a source without random access is an error", arguments: [2, 0, -3])
    func noMiddle(page: Int) async {
        var pages = PagedPhotos(PhotoQuery(), from: ListSource([["a"]], startsAnywhere: false), startingAt: .page(page))
        do {
            _ = try await pages.nextPage()
            Issue.record("no error came")
        } catch {
            #expect((error as? CatalogError)?.kind == .invalidQuery)
        }
    }

    @Test("Only recent ids are stored: distant repetitions are returned again")
    func memory() async throws {
        let count = PagedPhotos.rememberedIDs
        let many = (0..<count).map { "\($0)" }
        let source = ListSource([["near"], many, ["near", "\(count - 1)"]])
        var pages = PagedPhotos(PhotoQuery(), from: source)
        #expect(try await pages.nextPage()?.count == 1)
        #expect(try await pages.nextPage()?.count == count)
        #expect(try await pages.nextPage()?.map(\.id) == ["near"])
    }

    @Test("Files whose names differ only in Unicode normalization are two photos")
    func normalization() async throws {
        var pages = PagedPhotos(PhotoQuery(), from: ListSource([["caf\u{E9}.jpg", "cafe\u{301}.jpg"]]))
        #expect(try await pages.nextPage()?.count == 2)
    }

    @Test("Duplicates across NASA's pages are dropped")
    func nasa() async throws {
        var pages = PagedPhotos(PhotoQuery("mars"), from: NASASource(transport: fixtureTransport()))
        #expect(try await pages.nextPage()?.count == 10)
        #expect(
            try await pages.nextPage()?.map(\.id) == ["SG-MARS-011", "SG-MARS-012", "SG-MARS-013", "SG-MARS-014"])
        #expect(try await pages.nextPage() == nil)
    }
}

import SpyglassCatalog
import SpyglassCodecs
import SpyglassPixels
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Recovery after failures")
struct RecoveryTests {
    @Test("G selects the last loaded photo if the end fails")
    func unreachableEnd() {
        var state = BrowserState.listing()
        state.press("G")
        _ = state.update(
            .page(generation: state.generation, .next, .failure(BrowserError(reason: "no network"))))
        #expect(state.list?.selected == 99 && state.list?.photos.count == 100)
        #expect(state.notice == .failed(BrowserError(reason: "no network")))
    }

    @Test("G near the end shows why it fails")
    func unreachablePage() {
        var state = BrowserState.listing(100, of: 150)
        state.press("G")
        _ = state.update(.page(generation: 1, .next, .failure(BrowserError(reason: "no network"))))
        #expect(state.list?.selected == 99)
        #expect(state.notice == .failed(BrowserError(reason: "no network")))
    }

    @Test("Continue is offered only for its source or archive")
    func places() {
        func offers(_ source: String, archive: String?) -> Bool {
            var state = BrowserState.fresh { $0.archive = archive }
            state.place = SavedPlace(search: "moon", position: 3, source: source)
            return state.choices(of: SearchScreen()).contains { if case .resume = $0 { true } else { false } }
        }
        #expect(offers("demo", archive: nil) && offers("nasa", archive: nil))
        #expect(!offers("demo", archive: "/a") && !offers("archive:/b", archive: "/a"))
        #expect(offers("archive:/a", archive: "/a") && !offers("archive:/a", archive: nil))
        var state = BrowserState.listing { $0.archive = "/a" }
        state.savePlace()
        #expect(state.place?.source == "archive:/a")
    }

    @Test("The preview replaces a failed large image until a retry")
    func lostRendition() throws {
        var state = BrowserState.detailing()
        let photo = try #require(state.list?.photo(at: 0))
        let key = try #require(state.requests.visible.first?.key)
        // Too large for the preview.
        var large = photo
        large.renditions = large.renditions.map { rendition in
            var rendition = rendition
            if rendition.address == photo.thumbnail { rendition.width = 20 }
            if rendition.address == photo.thumbnail { rendition.height = 10 }
            return rendition
        }
        _ = state.update(.details(generation: 1, photoID: photo.id, .success(large)))
        let wanted = try #require(state.requests.visible.first?.key)
        #expect(wanted.address != photo.thumbnail && wanted.box == key.box)
        _ = state.update(.picture(wanted, .failed(.notFound)))
        #expect(state.requests.visible.first?.key.address == photo.thumbnail)
        #expect(state.requests.visible.first?.key.box == key.box)
        for key in ["r", "\r"] {
            var again = state
            again.press(key)
            #expect(again.requests.visible.first?.key == wanted)
            #expect(again.requests.visible.first?.revalidates == true)
        }
        // It has left the view and comes back.
        for keys in ["np", "?\u{1B}", ",\u{1B}", "\u{1B}\r"] {
            var again = state
            again.press(keys)
            let key = try #require(again.requests.visible.first?.key)
            #expect(key.source == wanted.source && key.isFull && again.pictures[key] == .loading, "\(keys)")
        }
    }

    @Test(
        "A failed image of the list is requested again after another screen",
        arguments: ["?\u{1B}", ",\u{1B}", "j\r\u{1B}"])
    func coveredList(keys: String) throws {
        var state = BrowserState.listing()
        let request = try #require(state.requests.visible.first)
        _ = state.update(.picture(request.key, .failed(.timedOut)))
        #expect(!state.requests.visible.contains(request))
        state.press("/\u{1B}")
        #expect(state.pictures[request.key] == .failed(.timedOut), "a panel hides nothing")
        state.press(keys)
        #expect(state.pictures[request.key] == .loading && state.requests.visible.contains(request))
    }

    @Test("In detail a damaged image says what is missing, in every language", arguments: Language.allCases)
    func damaged(language: Language) throws {
        var state = BrowserState.detailing()
        state.preferences.language = language
        func line(_ row: Int) -> String { BrowserView.frame(of: state).grid.text(ofRow: row) }
        func show(_ completeness: DecodedImage.Completeness, isFinal: Bool = true) throws {
            let key = try #require(state.requests.visible.first?.key)
            state.pictures[key] = .loading
            let facts = PictureFacts(size: PixelSize(width: 2000, height: 1913), completeness: completeness)
            _ = state.update(.picture(key, .shown(.sample, facts, isFinal: isFinal, isStale: false)))
        }
        for (completeness, isFinal, text) in [
            (.complete, true, nil), (.truncated(rows: 928, of: 1913), false, nil),
            (.truncated(rows: 928, of: 1913), true, UIStrings(language).pictureTruncated("928", "1913")),
            (.degraded, true, UIStrings(language).text(of: .damaged)),
        ] as [(DecodedImage.Completeness, Bool, String?)] {
            let before = line(0)
            try show(completeness, isFinal: isFinal)
            #expect(text.map(line(0).contains) ?? (line(0) == before), "\(line(0))")
        }
        #expect(UIStrings(.english).pictureTruncated("928", "1913") == "truncated: 928 of 1913 rows")
        state.press("f")
        try show(.degraded)
        #expect(line(state.traits.size.rows - 1).contains(UIStrings(language).text(of: .damaged)))
    }

    @Test("In detail a failed image shows the key for another try, also as a target", arguments: Language.allCases)
    func retryKey(language: Language) throws {
        var state = BrowserState.detailing()
        state.preferences.language = language
        let key = try #require(state.requests.visible.first?.key)
        func targets() -> [CellArea] {
            BrowserView.frame(of: state).targets.compactMap { $0.target == .action(.retry) ? $0.area : nil }
        }
        #expect(targets().isEmpty)
        _ = state.update(.picture(key, .failed(.damaged)))
        // In the box, and on the last line.
        #expect(targets().map(\.row).max() == state.traits.size.rows - 1 && targets().count == 2)
        let grid = BrowserView.frame(of: state).grid
        let label = UIStrings(language).name(of: .retry)
        for area in targets() { #expect(grid.text(ofRow: area.row).contains(label), "\(label)") }
        state.press("r")
        #expect(state.pictures[key] == .loading && targets().isEmpty)
    }

    @Test(
        "Limits and formats stay: no other try is offered",
        arguments: [FailureKind.tooLarge, .unsupported, .format("SVG")])
    func noRetry(failure: FailureKind) throws {
        var state = BrowserState.browsing(ExampleFolder(folders: 0, pictures: 1))
        state.press("\r")
        let key = try #require(state.requests.visible.first?.key)
        _ = state.update(.picture(key, .failed(failure)))
        let frame = BrowserView.frame(of: state)
        #expect(frame.targets.allSatisfy { $0.target != .action(.retry) })
        #expect(frame.grid.description.contains(UIStrings(.english).text(of: failure)))
    }

    @Test("A shown large image stays if its retry fails")
    func keptRendition() throws {
        var state = BrowserState.detailing()
        let key = try #require(state.requests.visible.first?.key)
        var blocks = SymbolEncoder(depth: .truecolor)
        let image = blocks.cells(of: PixelBuffer(size: PixelSize(width: 4, height: 4)))
        _ = state.update(.picture(key, .shown(image, isFinal: true, isStale: false)))
        state.press("r")
        _ = state.update(.picture(key, .failed(.notFound)))
        #expect(state.requests.visible.first?.key == key && state.lostRenditions.isEmpty)
        #expect(state.pictures[key] == .shown(image, isFinal: true, isStale: true))
    }

    @Test("A broken thumbnail is revalidated when its photo is opened")
    func brokenThumbnail() throws {
        var state = BrowserState.listing()
        let key = try #require(state.requests.visible.first?.key)
        _ = state.update(.picture(key, .failed(.notFound)))
        #expect(!state.requests.visible.contains { $0.key == key })
        state.press("\r")
        #expect(state.requests.near.contains { $0.key == key && $0.revalidates })
    }
}

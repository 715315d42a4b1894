import SpyglassCatalog
import SpyglassCodecs
import SpyglassPixels
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Recovery after failures")
struct RecoveryTests {
    @Test("The preview replaces a failed large image until a retry")
    func lostRendition() throws {
        var state = AppState.detailing()
        let photo = try #require(state.list?.photo(at: 0))
        let key = state.firstKey
        // Too large for the preview.
        var large = photo
        large.renditions = large.renditions.map { rendition in
            var rendition = rendition
            if rendition.address == photo.thumbnail { rendition.width = 20 }
            if rendition.address == photo.thumbnail { rendition.height = 10 }
            return rendition
        }
        _ = state.update(.details(generation: 1, photoID: photo.key, .success(large)))
        let wanted = state.firstKey
        #expect(wanted.address != photo.thumbnail && wanted.box == key.box)
        state.fail(wanted, .notFound)
        #expect(state.firstKey.address == photo.thumbnail && state.firstKey.box == key.box)
        for key in ["r", "\r"] {
            var again = state
            again.press(key)
            #expect(again.firstKey == wanted && again.visible.first?.revalidates == true)
        }
        // It has left the view and comes back.
        for keys in ["np", "?\u{1B}", ",\u{1B}", "\u{1B}\r"] {
            var again = state
            again.press(keys)
            let key = again.firstKey
            #expect(key.source == wanted.source && key.isFull && again.images.pictures[key] == .loading, "\(keys)")
        }
    }

    @Test(
        "A failed image of the list is requested again after another screen",
        arguments: ["?\u{1B}", ",\u{1B}", "j\r\u{1B}"])
    func coveredList(keys: String) throws {
        var state = AppState.listing()
        let request = try #require(state.visible.first)
        state.fail(request.key, .timedOut)
        #expect(!state.visible.contains(request))
        state.press("/\u{1B}")
        #expect(state.images.pictures[request.key] == .failed(.timedOut), "a panel hides nothing")
        state.press(keys)
        #expect(state.images.pictures[request.key] == .loading && state.visible.contains(request))
    }

    @Test("In detail a damaged image says what is missing, in every language", arguments: Language.allCases)
    func damaged(language: Language) throws {
        var state = AppState.detailing()
        state.preferences.language = language
        func line(_ row: Int) -> String { state.grid.text(ofRow: row) }
        func show(_ completeness: DecodedImage.Completeness, isFinal: Bool = true) throws {
            let key = state.firstKey
            state.images.pictures[key] = .loading
            let facts = PictureFacts(size: PixelSize(width: 2000, height: 1913), completeness: completeness)
            _ = state.update(.picture(key, .shown(.sample, facts, isFinal: isFinal, isStale: false)))
        }
        for (completeness, isFinal, text) in [
            (.complete, true, nil), (.truncated(rows: 928, of: 1913), false, nil),
            (.truncated(rows: 928, of: 1913), true, UIStrings(language).text(of: .truncated(rows: 928, of: 1913))),
            (.degraded, true, UIStrings(language).text(of: .damaged)),
        ] as [(DecodedImage.Completeness, Bool, String?)] {
            let before = line(0)
            try show(completeness, isFinal: isFinal)
            #expect(text.map(line(0).contains) ?? (line(0) == before), "\(line(0))")
        }
        #expect(UIStrings(.english).text(of: .truncated(rows: 928, of: 1913)) == "truncated: 928 of 1913 rows")
        state.press("f")
        try show(.degraded)
        #expect(line(state.traits.size.rows - 1).contains(UIStrings(language).text(of: .damaged)))
    }

    @Test("In detail a failed image shows the key for another try, also as a target", arguments: Language.allCases)
    func retryKey(language: Language) throws {
        var state = AppState.detailing()
        state.preferences.language = language
        let key = state.firstKey
        func targets() -> [CellArea] {
            BrowserView.frame(of: state).targets.compactMap { $0.target == .action(.retry) ? $0.area : nil }
        }
        #expect(targets().isEmpty)
        state.fail(key, .damaged)
        // In the box, and on the last line.
        #expect(targets().map(\.row).max() == state.traits.size.rows - 1 && targets().count == 2)
        let grid = state.grid
        let label = Action.retry.name(in: UIStrings(language))
        for area in targets() { #expect(grid.text(ofRow: area.row).contains(label), "\(label)") }
        state.press("r")
        #expect(state.images.pictures[key] == .loading && targets().isEmpty)
    }

    @Test(
        "Limits and formats stay: no other try is offered",
        arguments: [FailureKind.tooLarge(option: nil), .unsupported, .format("SVG")])
    func noRetry(failure: FailureKind) throws {
        var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 1))
        state.press("\r")
        let key = state.firstKey
        state.fail(key, failure)
        let frame = BrowserView.frame(of: state)
        #expect(frame.targets.allSatisfy { $0.target != .action(.retry) })
        #expect(frame.grid.description.contains(UIStrings(.english).text(of: failure)))
    }
}

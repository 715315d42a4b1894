import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Pictures of a post")
struct PostPicturesTests {
    /// A list whose first photo has three pictures.
    private func listing() -> AppState {
        var post = samplePhoto(0)
        for number in 2...3 {
            guard let address = WebAddress("https://host.example/other-\(number).gif") else { continue }
            post.renditions.append(Rendition(address, width: 100 * number, height: 300, rel: "picture-\(number)"))
        }
        var state = AppState.listing()
        _ = state.details(of: post)
        return state
    }

    private func shownNames(_ state: AppState) -> [String] {
        state.images.requests.visible.compactMap { $0.key.address.path.split(separator: "/").last.map(String.init) }
    }

    private func hints(_ state: AppState) -> Set<Action> {
        Set(KeyHints(state: state, strings: UIStrings(.english), glyphs: .utf8).hints.flatMap(\.actions))
    }

    @Test("The keys step through them and stop at both ends")
    func stepping() {
        var state = listing()
        state.press("\r")
        #expect(state.list?.pictureCount == 3)
        #expect(shownNames(state).allSatisfy { $0.hasPrefix("0~") })
        #expect(state.images.requests.ahead.first?.key.address.path == "/other-2.gif")
        state.press("[")
        #expect(state.list?.picture == 1)
        state.press("]")
        #expect(shownNames(state) == ["other-2.gif"])
        state.press("]]]")
        #expect(state.list?.picture == 3 && shownNames(state) == ["other-3.gif"])
        #expect(state.detail?.ratio == 1)
        state.press("[")
        #expect(state.list?.picture == 2)
    }

    @Test("Another photo, and the list, start with the first picture")
    func leaving() {
        var state = listing()
        state.press("\r]np")
        #expect(state.list?.picture == 1 && state.list?.selected == 0)
        state.press("]\u{1B}")
        #expect(state.top == .list && state.list?.picture == 1)
        #expect(!shownNames(state).contains("other-2.gif"))
    }

    @Test("The picture on the screen is saved, under a name of its own")
    func saving() {
        var state = listing()
        state.press("\r]s")
        #expect(state.save?.path.text == "id-0-2.gif" && state.save?.items[0].shown.original?.path == "/other-2.gif")
    }

    @Test("A retry keeps all pictures, and late details keep the chosen one")
    func details() throws {
        var state = listing()
        state.press("\r]")
        let whole = try #require(state.list?.wholePhoto(at: 0))
        #expect(state.press("r").deliberate == [.loadDetails(generation: 1, whole)])
        _ = state.details(of: whole)
        #expect(state.list?.picture == 2 && state.list?.pictureCount == 3)
    }

    @Test("Keys and help are offered only where there are several")
    func offers() {
        var state = listing()
        state.press("\r")
        #expect(hints(state).isSuperset(of: [.nextPicture, .previousPicture]))
        state.press("n")
        #expect(hints(state).isDisjoint(with: [.nextPicture, .previousPicture]))
        state.press("]")
        #expect(state.list?.picture == 1)
        let single = HelpView.sections(of: state, UIStrings(.english)).joined()
        #expect(!single.contains { ["[", "]"].contains($0.keys) })
    }
}

import SpyglassCatalog
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Search panel")
struct SearchOverlayTests {
    @Test("It opens with the current search, and Escape changes nothing")
    func escape() {
        var state = AppState.listing()
        state.press("jjj")
        #expect(state.press("/").isEmpty)
        #expect(state.searchText == "apollo")
        #expect(state.press(" 12\u{1B}").isEmpty)
        #expect(state.top == .list && state.list?.selected == 3)
        state.press("/")
        #expect(state.searchText == "apollo")
    }

    @Test("A new search replaces the list and drops older results")
    func replaced() {
        var state = AppState.detailing()
        #expect(
            state.press("/ 12\r").deliberate == [
                .store(.place(SavedPlace(search: "apollo", position: 0, source: "nasa"))),
                .search(
                    generation: 2, PhotoQuery("apollo 12"), source: "nasa", start: .position(0), revalidates: false),
            ])
        #expect(state.screens == [.home(SearchScreen()), .list])
        #expect(state.images.pictures.isEmpty && state.images.requests == PictureRequests())
        #expect(state.update(.page(generation: 1, .next, .success(answer(100..<200)))).isEmpty)
        #expect(state.update(.page(generation: 1, .next, .failure(gone))).isEmpty)
        #expect(state.list?.photos.isEmpty == true)
        _ = state.update(.page(generation: 2, .next, .success(answer(0..<3, first: 0, of: 3))))
        #expect(state.home.history.map(\.text) == ["apollo 12", "apollo"])
    }

    @Test("Clearing it empties the list, cancels its work and leads home")
    func cleared() {
        var state = AppState.listing()
        state.press("/")
        state.press(.character("u"), .control)
        let effects = state.press("\r")
        #expect(effects.deliberate == [.cancelSearch])
        #expect(effects.requests == PictureRequests())
        #expect(state.screens == [.home(SearchScreen())] && state.list == nil && state.images.pictures.isEmpty)
    }

    @Test("It opens from every screen, once")
    func everywhere() {
        for keys in ["?", ",", "\r", "\r?,", "//"] {
            var state = AppState.listing()
            state.press(keys + "/")
            #expect(state.searchField != nil, "after \(keys)")
            #expect(state.screens.filter { if case .search = $0 { true } else { false } }.count == 1)
        }
    }
}

import SpyglassCatalog
import SpyglassPixels
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Animations")
struct AnimationTests {
    private static let moving = Picture.shown(.sample, PictureFacts(mayMove: true), isFinal: true, isStale: false)

    /// A list whose visible images can move; with all effects since.
    private func listing(
        _ choice: AnimationChoice = .selected, _ picture: Picture = moving
    ) -> (state: AppState, played: [[PictureKey]]) {
        var state = AppState.listing()
        (state.preferences.animates, state.images.animates) = (choice, choice)
        let played = state.visible.flatMap { state.update(.picture($0.key, picture)) }.played
        return (state, played)
    }

    @Test("The selected photo plays once its image is there, all on the screen with 'all', and none with 'none'")
    func choices() {
        let (state, played) = listing()
        #expect(state.images.playing == [state.firstKey] && played == [state.images.playing])
        let all = listing(.all)
        #expect(all.state.images.playing == all.state.visible.map(\.key) && listing(.none).played.isEmpty)
    }

    @Test("The selection moves the animation; what scrolled out is released")
    func moves() {
        var (state, _) = listing()
        let first = state.images.playing
        let second = state.visible[1].key
        #expect(state.press("j").played == [[second]])
        #expect(state.press(.pageDown).played == [[]] && first != [second])
    }

    @Test("A frame replaces its picture on the screen until the animation ends")
    func frames() throws {
        var (state, _) = listing()
        let key = try #require(state.images.playing.first)
        let other = state.visible[1].key
        #expect(state.update(.frame(key, .frame)).isEmpty && state.update(.frame(other, .frame)).isEmpty)
        #expect([key, other].map { state.images.picture(for: $0)?.image } == [.frame, .sample])
        #expect(state.images.pictures[key]?.image == .sample)
        #expect(state.press("a").played == [[]] && state.images.picture(for: key)?.image == .sample)
    }

    @Test("'a' stops and starts animations, and tells so", arguments: AnimationChoice.allCases)
    func toggles(choice: AnimationChoice) {
        var (state, _) = listing(choice)
        let before = state.images.playing
        state.press("a")
        #expect(state.notice == .animation(isOn: choice == .none))
        #expect(state.images.playing.isEmpty == (choice != .none))
        state.press("a")
        #expect(state.images.playing == before)
    }

    @Test("One photo in full plays, an enlarged one does not, and a screen above hides it")
    func detail() throws {
        var (state, _) = listing()
        #expect(state.press("\r").played == [[]])
        let key = state.firstKey
        #expect(state.update(.picture(key, Self.moving)).played == [[key]])
        let played = ["+", "0", "?", "\u{1B}"].map { state.press($0).played }
        #expect(played == [[[]], [[key]], [[]], [[key]]])
        // A panel leaves the picture visible.
        #expect(state.press("i").played.isEmpty && state.images.playing == [key])
    }
}

extension CellImage {
    fileprivate static let frame: CellImage = {
        var blocks = SymbolEncoder(depth: .truecolor)
        var pixels = PixelBuffer(size: PixelSize(width: 2, height: 2))
        pixels[0, 0] = RGBA(9, 9, 9, 255)
        return blocks.cells(of: pixels)
    }()
}

extension [BrowserEffect] {
    fileprivate var played: [[PictureKey]] {
        compactMap { effect in if case .play(let keys) = effect { keys } else { nil } }
    }
}

import SpyglassCatalog
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Slideshow")
struct SlideshowTests {
    /// A slideshow begun in a list, with the picture of the first photo shown.
    private func running(_ keys: String = "d", count: Int = 100, of total: Int = 10_000) -> AppState {
        var state = AppState.listing(count, of: total)
        state.press(keys)
        show(&state)
        return state
    }

    /// Delivers the picture of the photo in full; returns the effects.
    @discardableResult
    private func show(_ state: inout AppState, _ picture: Picture? = nil) -> [BrowserEffect] {
        guard let key = state.visible.first?.key else { return [] }
        return state.update(.picture(key, picture ?? .sample))
    }

    @Test("The time of a photo begins when its picture is shown, or has failed")
    func time() {
        var state = AppState.listing()
        #expect(state.press("d").slideTimes.isEmpty && state.scope == .slideshow && state.detail?.isFullScreen == true)
        #expect(show(&state, .coarse).slideTimes.isEmpty && show(&state).slideTimes == [5])
        #expect(state.update(.timedOut(.slide)).slideTimes.isEmpty && state.selected == 1)
        #expect(show(&state, .failed(.tooLarge(option: nil))).slideTimes == [5])
        #expect(state.update(.timedOut(.slide)).slideTimes.isEmpty && state.selected == 2)
    }

    @Test("q quits, and ? shows help, during which no photo follows")
    func quitAndHelp() {
        var state = running()
        #expect(state.press("q").contains(.quit([])))
        state = running()
        #expect(state.press("?").slideTimes == [nil] && state.scope == .help)
        state.press(.escape)
        #expect(state.scope == .slideshow)
    }

    @Test("Space pauses and continues")
    func pause() {
        var state = running()
        #expect(state.press(" ").slideTimes == [nil] && state.scope == .slideshow && state.lastRow.contains("paused"))
        _ = state.update(.timedOut(.line))
        #expect(state.lastRow.contains("paused"))
        _ = state.update(.timedOut(.slide))
        #expect(state.selected == 0)
        #expect(state.press(" ").slideTimes == [5])
    }

    @Test(
        "Keys of lists, a click and the wheel end it",
        arguments: ["\u{1B}", "x", "d"])
    func ending(key: String) {
        for before in ["d", "\rd", "fd", "\rfd"] {
            var state = running(before)
            let screens = state.screens.count
            _ = state.update(.timedOut(.slide))
            show(&state)
            #expect(state.press(key).slideTimes == [nil])
            #expect(state.selected == 1, "the photo stays")
            let isFull: Bool? = before == "d" ? nil : before.contains("f")
            #expect(state.scope == (before == "d" ? .list : .detail) && state.detail?.isFullScreen == isFull)
            #expect(before == "d" || state.screens.count == screens)
        }
        var clicked = running()
        _ = clicked.update(.input(.mouse(MouseEvent(.press(.left), at: CellPosition(column: 1, row: 1)))))
        _ = clicked.update(.click(nil))
        #expect(clicked.top == .list)
        var wheeled = running()
        _ = wheeled.update(.input(.mouse(MouseEvent(.wheelDown, at: CellPosition(column: 1, row: 1)))))
        #expect(wheeled.top == .list && wheeled.selected == 0)
        var paused = running()
        _ = paused.update(.click(.action(.pauseSlideshow)))
        #expect(paused.detail?.slideshow?.isPaused == true)
    }

    @Test("A key of one photo stays at the photo, in full screen", arguments: ["y", "+", ">", "w", "f"])
    func staying(key: String) {
        for before in ["d", "\rd"] {
            var state = running(before)
            #expect(state.press(key).slideTimes == [nil])
            #expect(state.scope == .detail && state.detail?.isFullScreen == true && state.selected == 0)
            if key == "+" { #expect(state.detail?.zoom.factor == Zoom.keyStep) }
            if before == "d" {
                state.press(.escape)
                #expect(state.top == .list)
            }
        }
    }

    @Test("A key that ends it does what it does without it")
    func acting() {
        var state = running("d")
        #expect(state.press("i").slideTimes == [nil] && state.top.isPanel && state.detail == nil)
        var opened = running("d")
        opened.press("\r")
        #expect(opened.detail != nil && opened.scope == .detail)
        var kept = AppState.browsing()
        kept.press("jj\rd")
        #expect(!kept.press("D").contains { if case .trash = $0 { true } else { false } } && kept.detail != nil)
        var zoomed = running("\rd")
        zoomed.press("+")
        #expect(zoomed.scope == .detail && zoomed.detail?.zoom.factor == Zoom.keyStep)
    }

    @Test(
        "Arrows, n and p show the next photo and the one before, whose time begins",
        arguments: ["n", "l", "j", "p", "h", "k"])
    func stepping(key: String) {
        var state = running("jd")
        #expect(state.press(key).slideTimes == [nil])
        #expect(state.selected == ("nlj".contains(key) ? 2 : 0) && state.scope == .slideshow)
        #expect(show(&state).slideTimes == [5])
        _ = state.update(.click(.action(.nextPhoto)))
        #expect(state.scope == .slideshow, "The names of the keys are targets")
    }

    @Test("After the last photo comes the first; photos to come are waited for")
    func around() {
        var state = running(count: 3, of: 3)
        for expected in [1, 2, 0, 1] {
            _ = state.update(.timedOut(.slide))
            show(&state)
            #expect(state.selected == expected)
        }
        var waiting = running(String(repeating: "j", count: 99) + "d")
        let last = waiting.selected
        #expect(waiting.update(.timedOut(.slide)).slideTimes == [5] && waiting.selected == last)
        waiting.nextPage()
        _ = waiting.update(.timedOut(.slide))
        #expect(waiting.selected == last.map { $0 + 1 })
        var single = AppState.listing(1, of: 1)
        single.press("d")
        #expect(show(&single).slideTimes.isEmpty, "one photo alone stays")
    }

    @Test("Folders, and photos without a picture, are left out")
    func pictures() {
        var state = AppState.browsing()
        state.press("d")
        #expect(state.selected == 2 && state.scope == .slideshow)
        var none = AppState.browsing(ExampleFolder(pictures: 0))
        none.press("d")
        #expect(none.top == .list)
        var text = AppState.listing { $0.showsImages = false }
        text.press("d")
        #expect(text.top == .list)
    }

    @Test("A filter's photos are shown, in a circle")
    func filter() {
        var state = AppState.listing()
        state.press("&9\r")
        state.press("Gd")
        show(&state)
        _ = state.update(.timedOut(.slide))
        #expect(state.selected == 0 && state.detail?.photoID == "id-9")
    }
}

extension [BrowserEffect] {
    /// The seconds of all timers of slideshows that were started (or stopped, `nil`).
    fileprivate var slideTimes: [Int?] {
        compactMap { effect -> Int?? in
            if case .timer(.slide, let time) = effect { .some(time.map { Int($0.components.seconds) }) } else { nil }
        }
    }
}

import SpyglassCatalog
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Marks")
struct MarkTests {
    private func header(_ state: BrowserState) -> String { BrowserView.frame(of: state).grid.text(ofRow: 0) }

    private func ids(_ state: BrowserState) -> [String] { state.marks.photos(of: "nasa").map(\.id) }

    private func mark(_ number: Int) -> PhotoMark { PhotoMark(source: "nasa", id: "id-\(number)") }

    @Test("Space marks and moves on, PageDown and Ctrl-F page", arguments: [false, true])
    func mark(isGrid: Bool) {
        var state = BrowserState.listing()
        if isGrid { state.press("v") }
        var changes = MarkChanges()
        changes.added = [mark(0)]
        #expect(state.press(" ").deliberate == [.keepMarks(changes)])
        state.press(" ")
        #expect(state.list?.selected == 2 && ids(state) == ["id-0", "id-1"])
        #expect(header(state).contains("2 marked") && !header(state).contains("● 2 marked"))
        if isGrid { state.press(.left) } else { state.press("k") }
        #expect(header(state).contains("● 2 marked"))
        state.press("g")
        changes = MarkChanges()
        changes.removed = [mark(0)]
        #expect(state.press(" ").deliberate == [.keepMarks(changes)])
        #expect(ids(state) == ["id-1"] && state.list?.selected == 1)
        let before = state.list?.selected ?? 0
        state.press(.pageDown)
        let page = (state.list?.selected ?? 0) - before
        state.press(.character("f"), .control)
        #expect(page > 1 && state.list?.selected == before + 2 * page && ids(state).count == 1)
    }

    @Test("The last photo is marked, and stays selected")
    func last() {
        var state = BrowserState.listing(3, of: 3)
        state.press("G ")
        #expect(state.list?.selected == 2 && ids(state) == ["id-2"])
    }

    @Test("V starts a range that moving extends; V and Space end it, Escape drops it")
    func range() {
        for (keys, count) in [("V", 4), (" ", 4), ("\u{1B}", 0), ("r", 4), ("\r", 4)] {
            var state = BrowserState.listing()
            state.press("jjVjjj")
            #expect(header(state).contains("● 4 marked") && ids(state).isEmpty)
            state.press("kkkk")
            #expect(header(state).contains("● 2 marked"))
            state.press("jjjj")
            let effects = state.press(keys)
            #expect(ids(state).count == count && state.list?.rangeStart == nil, "\(keys)")
            #expect(effects.contains { if case .keepMarks = $0 { true } else { false } } == (count > 0))
        }
        var state = BrowserState.listing()
        state.press("V\u{1B}")
        #expect(state.top == .list && !header(state).contains("marked"))
    }

    @Test("A filter that leaves nothing opens no range")
    func emptyRange() {
        var state = BrowserState.listing()
        state.press("&zzz\r")
        state.press("V")
        #expect(state.list?.rangeStart == nil && state.markedCount == 0)
    }

    @Test("A range is marked when the program ends", arguments: [false, true])
    func ended(isSignal: Bool) {
        var state = BrowserState.listing()
        state.press("Vj")
        let effects = isSignal ? state.update(.ended) : state.press(.character("c"), .control)
        var changes = MarkChanges()
        changes.added = [mark(0), mark(1)]
        #expect(effects.contains(.keepMarks(changes)))
    }

    @Test("A range keeps its photos when a page comes before them")
    func shifted() {
        var state = BrowserState.fresh()
        _ = state.update(.started(search: "apollo", at: .position(200)))
        _ = state.update(
            .page(generation: 1, .next, .success(answer(200..<300, first: 200, isAtStart: false))))
        state.press("Vj")
        let range = state.list?.range.compactMap { state.list?.photo(at: $0)?.id }
        _ = state.update(.page(generation: 1, .previous, .success(answer(50..<200, isAtStart: true))))
        #expect(state.list?.firstPosition == 0 && state.list?.range.count == 2)
        #expect(state.list?.range.compactMap { state.list?.photo(at: $0)?.id } == range)
    }

    @Test("An open range goes to the end of what is loaded, which loads on, and to its start", arguments: ["G", "g"])
    func farRange(key: String) {
        var state = BrowserState.fresh()
        _ = state.update(.started(search: "apollo", at: .position(5000)))
        _ = state.update(
            .page(generation: 1, .next, .success(answer(4900..<5100, first: 4900, isAtStart: false, isAtEnd: false))))
        state.press("V")
        #expect(
            KeyHints(state: state, strings: .english, glyphs: .utf8).hints.map(\.label).prefix(2) == [
                "end the range", "cancel",
            ])
        #expect(
            !state.press(key).contains { if case .search = $0 { true } else { false } }, "No jump, which drops photos")
        #expect(state.markedCount == (key == "G" ? 100 : 101))
        state.press("V")
        #expect(ids(state).count == (key == "G" ? 100 : 101))
    }

    @Test("* inverts all loaded photos, u unmarks all")
    func invert() {
        var state = BrowserState.listing(200)
        state.press("j *")
        #expect(ids(state).count == 199 && !ids(state).contains("id-1"))
        #expect(header(state).contains("199 marked"))
        state.press("*")
        #expect(ids(state) == ["id-1"])
        state.press("u")
        #expect(ids(state).isEmpty && !header(state).contains("marked"))
        #expect(state.press("u").deliberate.isEmpty)
    }

    @Test("An open range that u or * ends is not stored as marked", arguments: ["u", "*"])
    func endedRange(key: String) {
        var state = BrowserState.listing(4)
        state.press("Vj")
        var stored: Set<PhotoMark> = []
        for case .keepMarks(let changes) in state.press(key) {
            stored.subtract(changes.removed)
            stored.formUnion(changes.added)
        }
        #expect(stored == Set(ids(state).map { PhotoMark(source: "nasa", id: $0) }))
        #expect(ids(state).count == (key == "u" ? 0 : 2))
    }

    @Test("Marks stay over searches and jumps, and count for their source")
    func stay() {
        var state = BrowserState.listing()
        state.press("  ")
        state.press("G")
        _ = state.update(
            .page(generation: state.generation, .next, .success(answer(9_900..<10_000, first: 9_900))))
        #expect(state.list?.photo(at: 0) == nil && header(state).contains("2 marked"))
        state.preferences.source = "demo"
        state.submit("moon", source: "demo")
        #expect(!header(state).contains("marked"))
        state.submit("mars", source: "nasa")
        #expect(header(state).contains("2 marked"))
    }

    @Test("Marks of an earlier run count once their photos are listed; u removes all of the source")
    func restart() {
        var state = BrowserState.fresh()
        state.marks = Marks([mark(1), mark(150), PhotoMark(source: "demo", id: "id-2")])
        _ = state.update(.started(search: "apollo", at: .first))
        #expect(!header(state).contains("marked"))
        let effects = state.update(.page(generation: 1, .next, .success(answer(0..<100, first: 0))))
        #expect(header(state).contains("1 marked"))
        #expect(!effects.contains { if case .keepMarks = $0 { true } else { false } })
        // The next page is asked for near the end.
        state.list?.selected = 98
        state.press("j")
        state.nextPage()
        #expect(ids(state) == ["id-1", "id-150"])
        guard case .keepMarks(let changes)? = state.press("u").deliberate.first else {
            return #expect(Bool(false), "nothing is stored")
        }
        #expect(Set(changes.removed) == [mark(1), mark(150)] && changes.added.isEmpty)
    }

    @Test("Folders have no marks")
    func folders() {
        var state = BrowserState.browsing(ExampleFolder(folders: 2, pictures: 3))
        state.press(" ")
        #expect(state.notice == .foldersHaveNoMarks && state.list?.selected == 1)
        state.press("VGV")
        #expect(state.markedCount == 3)
        state.press("u*")
        #expect(state.markedCount == 3)
        #expect(Set(state.marks.photos(of: "folder").map(\.title)) == ["1.jpg", "2.jpg", "3.jpg"])
    }

    @Test("Without a history nothing is stored")
    func noHistory() {
        var state = BrowserState.listing { $0.keepsHistory = false }
        #expect(state.press(" ").deliberate.isEmpty)
        #expect(header(state).contains("1 marked"))
    }

    @Test("A sign before the title shows a mark without colours", arguments: [GlyphSet.utf8, .ascii])
    func sign(glyphs: GlyphSet) {
        let states = ExampleStates(.example(80, 24, .monochrome, glyphs: glyphs))
        for make in [{ $0.list() }, { $0.grid() }, { $0.lines() }] as [(ExampleStates) -> BrowserState] {
            var state = make(states)
            state.press("g ")
            let sign = glyphs == .utf8 ? "●" : "*"
            let grid = BrowserView.frame(of: state).grid
            let title = String(states.photos[0].title.prefix(4))
            #expect((0..<24).contains { grid.text(ofRow: $0).contains("\(sign) \(title)") })
        }
    }
}

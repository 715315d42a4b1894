import SpyglassCatalog
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Marks")
struct MarkTests {
    private func ids(_ state: AppState) -> [String] { state.marks.photos(of: "nasa").map(\.id) }

    private func mark(_ number: Int) -> PhotoMark { PhotoMark(source: "nasa", id: "id-\(number)") }

    @Test("Space marks and moves on, PageDown and Ctrl-F page", arguments: [false, true])
    func mark(isGrid: Bool) {
        var state = AppState.listing()
        if isGrid { state.press("v") }
        var changes = MarkChanges()
        changes.added = [mark(0)]
        #expect(state.press(" ").deliberate == [.store(.marks(changes))])
        state.press(" ")
        #expect(state.selected == 2 && ids(state) == ["id-0", "id-1"])
        #expect(state.header.contains("2 marked") && !state.header.contains("● 2 marked"))
        if isGrid { state.press(.left) } else { state.press("k") }
        #expect(state.header.contains("● 2 marked"))
        state.press("g")
        changes = MarkChanges()
        changes.removed = [mark(0)]
        #expect(state.press(" ").deliberate == [.store(.marks(changes))])
        #expect(ids(state) == ["id-1"] && state.selected == 1)
        let before = state.selected ?? 0
        state.press(.pageDown)
        let page = (state.selected ?? 0) - before
        state.press(.character("f"), .control)
        #expect(page > 1 && state.selected == before + 2 * page && ids(state).count == 1)
    }

    @Test("Space marks one photo in full and stays, y copies all marked ones, or one that is not marked alone")
    func markInFull() {
        var state = AppState.browsing(ExampleFolder(folders: 0))
        state.press("\r")
        state.press(" ")
        #expect(state.detailPosition == 0 && state.header.contains("● 1 marked"))
        state.press("n")
        #expect(state.header.contains("1 marked") && !state.header.contains("● 1 marked"))
        state.press(" ")
        let paths = ["1.jpg", "2.jpg"].map { "/home/ada/Pictures/\($0)" }
        #expect(state.press("y").deliberate == [.copy(paths.joined(separator: "\n"))])
        #expect(state.notice == .copied("2 marked"))
        state.press(" ")
        #expect(state.press("y").deliberate == [.copy(paths[1])])
        state.press("p")
        #expect(state.press("y").deliberate == [.copy(paths[0])])
    }

    @Test("V starts a range that moving extends; V and Space end it, Escape drops it")
    func range() {
        for (keys, count) in [("V", 4), (" ", 4), ("\u{1B}", 0), ("r", 4), ("\r", 4)] {
            var state = AppState.listing()
            state.press("jjVjjj")
            #expect(state.header.contains("● 4 marked") && ids(state).isEmpty)
            state.press("kkkk")
            #expect(state.header.contains("● 2 marked"))
            state.press("jjjj")
            let effects = state.press(keys)
            #expect(ids(state).count == count && state.list?.rangeStart == nil, "\(keys)")
            #expect(effects.contains { if case .store(.marks) = $0 { true } else { false } } == (count > 0))
        }
        var state = AppState.listing()
        state.press("V\u{1B}")
        #expect(state.top == .list && !state.header.contains("marked"))
    }

    @Test("An open range reaches a photo whose page has yet to come, in both directions")
    func rangeBeyondPages() {
        let folder = ExampleFolder(folders: 0, pictures: 400)
        for (keys, count) in [("V390G", 240), ("VG", 250), ("V10G", 142), ("Vg", 151), ("V390Gj", 50)] {
            var state = AppState.browsing(folder, 100..<200)
            state.press("151G")
            state.press(keys)
            for pages in [200..<300, 300..<400] where state.list?.isLoadingNext == true {
                state.deliver(folder.answer(pages))
            }
            if state.list?.isLoadingPrevious == true {
                let answer = folder.answer(0..<100)
                _ = state.update(.page(generation: state.generation, .previous, .success(answer)))
            }
            #expect(state.markedCount == count, "\(keys)")
        }
    }

    @Test("Where the pages on the way to the start cannot be read, the range ends at the first photo that is loaded")
    func rangeToUnreadableStart() {
        var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 400), 100..<200)
        state.press("151G")
        state.press("Vg")
        _ = state.update(.page(generation: state.generation, .previous, .failure(gone)))
        #expect(state.selected == 100 && state.markedCount == 51 && state.notice == .failed(gone))
    }

    @Test("A range is marked when the program ends", arguments: [false, true])
    func ended(isSignal: Bool) {
        var state = AppState.listing()
        state.press("Vj")
        let effects = isSignal ? state.update(.ended) : state.press(.character("c"), .control)
        var changes = MarkChanges()
        changes.added = [mark(0), mark(1)]
        #expect(effects.contains(.store(.marks(changes))))
    }

    @Test("An open range goes to the end of what is loaded, which loads on, and to its start", arguments: ["G", "g"])
    func farRange(key: String) {
        var state = AppState.fresh()
        _ = state.update(.started(search: "apollo", at: .position(5000)))
        _ = state.update(
            .page(generation: 1, .next, .success(answer(4900..<5100, first: 4900, isAtStart: false, isAtEnd: false))))
        state.press("V")
        #expect(
            KeyHints(state: state, strings: UIStrings(.english), glyphs: .utf8).hints.map(\.label).prefix(2) == [
                "end the range", "cancel",
            ])
        #expect(
            !state.press(key).contains { if case .search = $0 { true } else { false } }, "No jump, which drops photos")
        #expect(state.markedCount == (key == "G" ? 100 : 101))
        state.press("V")
        #expect(ids(state).count == (key == "G" ? 100 : 101))
    }

    @Test("* under a filter inverts only what the filter shows")
    func invertFiltered() {
        var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 12))
        let titles = state.values(after: [" &12\r*", "*"]) { $0.marks.photos(of: "folder").map(\.title) }
        #expect(titles == [["1.jpg", "12.jpg"], ["1.jpg"]])
    }

    @Test("* in a folder inverts what is loaded, and all other files as they are loaded; u calls that off")
    func invertFolder() {
        let folder = ExampleFolder(folders: 0, pictures: 300)
        let pattern = FuzzyPattern("12")
        let matches = (1...300).count { pattern.matches(folder.photo("\($0).jpg")) }
        let cases = [
            (" *", 299), ("**", 0), ("*u", 0), ("*\ru", 0), ("&12\r*\u{1B}", matches), ("*&12\r", 300),
            ("*&12\r*", 300 - matches),
        ]
        for (keys, count) in cases {
            var state = AppState.browsing(folder, 0..<100)
            state.press(keys)
            state.deliver(folder.answer(100..<200))
            state.deliver(folder.answer(200..<300))
            #expect(state.markedCount == count && !state.drawing.contains("Inverted"), "\(keys)")
        }
    }

    @Test("Before the photos come that G or * asks for, keys that act on photos say so and do nothing")
    func tooEarly() {
        let folder = ExampleFolder(folders: 0, pictures: 300)
        for keys in ["G ", "GD", "Gs", "Gy", "G\r", "G:", "VGV", "*D", "*s", "*:"] {
            var state = AppState.browsing(folder, 0..<100)
            state.press(keys)
            #expect(
                state.top == .list && state.trashed.isEmpty && state.drawing.contains("Reading ~/Pictures"), "\(keys)")
            #expect(state.list?.rangeStart == (keys == "VGV" ? 0 : nil))
        }
        var full = AppState.browsing(folder, 0..<100)
        full.press("\rGD")
        #expect(full.trashed.isEmpty && full.list?.selected == 0 && full.detail != nil)
    }

    @Test("* inverts all loaded photos, u unmarks all")
    func invert() {
        var state = AppState.listing(200)
        state.press("j ")
        let effects = state.press("*")
        #expect(effects.contains { if case .timer(.notice, _) = $0 { true } else { false } })
        #expect(ids(state).count == 199 && !ids(state).contains("id-1") && state.header.contains("199 marked"))
        #expect(state.drawing.contains("Inverted the 200 loaded photos; the search has more"))
        state.press("*")
        #expect(ids(state) == ["id-1"])
        #expect(state.values(after: ["u"], \.markedCount) == [0] && !state.header.contains("marked"))
        #expect(state.press("u").deliberate.isEmpty)
        var full = AppState.listing()
        full.press("  \ru")
        #expect(full.markedCount == 0 && full.detail != nil)
    }

    @Test("Marks stay over searches and jumps, and count for their source")
    func stay() {
        var state = AppState.listing()
        state.press("  ")
        state.press("G")
        _ = state.update(
            .page(generation: state.generation, .next, .success(answer(9_900..<10_000, first: 9_900))))
        #expect(state.list?.photo(at: 0) == nil && state.header.contains("2 marked"))
        var effects: Effects = []
        state.submit("moon", source: "demo", &effects)
        #expect(!state.header.contains("marked"))
        state.submit("mars", source: "nasa", &effects)
        #expect(state.header.contains("2 marked"))
    }

    @Test("Marks of an earlier run count once their photos are listed, and u leaves those that were not")
    func restart() {
        var state = AppState.fresh()
        state.marks = Marks([mark(1), mark(150), mark(5000), PhotoMark(source: "demo", id: "id-2")])
        _ = state.update(.started(search: "apollo", at: .first))
        #expect(!state.header.contains("marked"))
        let effects = state.update(.page(generation: 1, .next, .success(answer(0..<100, first: 0))))
        #expect(state.header.contains("1 marked") && state.notice == .marksFound(1))
        var warned = AppState.fresh()
        warned.marks = Marks([mark(1)])
        _ = warned.update(.started(search: "apollo", at: .first))
        _ = warned.update(.notice(.problem("keys.json has wrong lines")))
        _ = warned.update(.page(generation: 1, .next, .success(answer(0..<100, first: 0))))
        #expect(warned.notice == .problem("keys.json has wrong lines"), "A warning stays")
        #expect(!effects.contains { if case .store(.marks) = $0 { true } else { false } })
        // The next page is asked for near the end.
        state.list?.selected = 98
        state.press("j")
        state.nextPage()
        #expect(ids(state) == ["id-1", "id-150"])
        guard case .store(.marks(let changes))? = state.press("u").deliberate.first else {
            return #expect(Bool(false), "nothing is stored")
        }
        #expect(Set(changes.removed) == [mark(1), mark(150)] && changes.added.isEmpty)
    }

    @Test("Photos whose names are canonically equal are two photos, with marks of their own")
    func canonicallyEqual() {
        var state = AppState.listing()
        state.press("G")
        let photos = ["\u{E9}", "e\u{301}"].map { Photo(id: $0, source: "nasa") }
        _ = state.update(
            .page(
                generation: state.generation, .next,
                .success(PageAnswer(photos: photos, isAtStart: false, isAtEnd: false))))
        let shown = state.list?.photos ?? []
        #expect(shown.map(\.key) == photos.map(\.key))
        state.marks.insert(photos[0])
        #expect(photos.map(state.marks.contains) == [true, false])
        state.marks.remove(photos[1])
        #expect(state.marks.contains(photos[0]))
    }

    @Test("Folders have no marks")
    func folders() {
        var state = AppState.browsing(ExampleFolder(folders: 2, pictures: 3))
        state.press(" ")
        #expect(state.notice == .hint(MarkTexts.all.notForFolders) && state.selected == 1)
        #expect(state.values(after: ["kV", "V"], \.notice) == [nil, .hint(MarkTexts.all.notForFolders)])
        state.press("VGV")
        #expect(state.markedCount == 3 && state.notice == nil)
        state.press("u*")
        #expect(state.markedCount == 3)
        #expect(Set(state.marks.photos(of: "folder").map(\.title)) == ["1.jpg", "2.jpg", "3.jpg"])
    }

    @Test("A sign before the title shows a mark without colours", arguments: [GlyphSet.utf8, .ascii])
    func sign(glyphs: GlyphSet) {
        let states = ExampleStates(.example(80, 24, .monochrome, glyphs: glyphs))
        for make in [{ $0.list() }, { $0.grid() }, { $0.lines() }] as [(ExampleStates) -> AppState] {
            var state = make(states)
            state.press("g ")
            let sign = glyphs == .utf8 ? "●" : "*"
            let grid = state.grid
            let title = String(states.photos[0].title.prefix(4))
            #expect((0..<24).contains { grid.text(ofRow: $0).contains("\(sign) \(title)") })
        }
    }
}

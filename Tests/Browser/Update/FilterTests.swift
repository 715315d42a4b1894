import SpyglassCatalog
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Filter of a list")
struct FilterTests {
    /// The ids of the photos that a list shows.
    private func shown(_ state: AppState) -> [String] {
        state.list.map { list in list.positions.compactMap { list.photo(at: $0)?.id } } ?? []
    }

    @Test("Every key filters, and the header counts what is left")
    func typing() {
        var state = AppState.listing()
        state.press("&")
        #expect(state.scope == .filter && shown(state).count == 100 && state.header.hasSuffix("1 of 100"))
        let typed = state.values(after: ["9", "7"], shown)
        #expect(typed.map(\.count) == [19, 1] && typed[1] == ["id-97"] && state.header.hasSuffix("1 of 1"))
        state.press(.backspace)
        #expect(shown(state).count == 19 && state.selected == 0 && state.header.hasSuffix("1 of 19"))
        #expect(state.header.contains("100 loaded"), "The source has more")
        state.press("zzz")
        #expect(shown(state).isEmpty && state.header.hasSuffix("0 of 0"))
        #expect(state.drawing.contains("No photo here matches '9zzz'"))
        #expect(state.drawing.contains("0 of 100 loaded photos match"))
        state.press(.character("u"), .control)
        #expect(shown(state).count == 100 && state.selected == 0)
    }

    @Test("An empty result of a filter names the words; Escape is the first key of its footer")
    func emptyFolder() {
        var state = AppState.browsing()
        state.press("&zzz\r")
        #expect(state.drawing.contains("No photo here matches 'zzz'") && state.lastRow.contains("Esc clear filter"))
        #expect(state.drawing.contains("0 of 22 match"))
        #expect(state.top.feature.hints(in: state).first == .back)
    }

    @Test("Enter keeps the filter, & changes it, Escape clears it and keeps the photo in its row")
    func keeping() {
        var state = AppState.listing()
        state.press("&1\r")
        #expect(state.scope == .list && state.header.contains("& 1") && shown(state).count == 19)
        state.press("jjjjj")
        #expect(state.list?.photo(at: 5)?.id == "id-14" && state.selected == 5)
        state.press("&")
        #expect(state.scope == .filter && state.list?.filter?.field.text == "1")
        state.press("\u{1B}")
        #expect(state.scope == .list && state.list?.filter == nil && state.selected == 14)
        state.press("&1\r\u{1B}")
        #expect(state.list?.filter == nil && state.top == .list)
        state.press("\u{1B}")
        #expect(state.list == nil)
    }

    @Test("Letters that are keys elsewhere are typed; arrows move among the matches")
    func keys() {
        var state = AppState.listing()
        state.press("&q?,/& v")
        #expect(state.list?.filter?.field.text == "q?,/& v")
        state.press(.character("u"), .control)
        _ = state.update(.input(.paste("photo\n1")))
        #expect(state.list?.filter?.field.text == "photo 1" && shown(state).count == 19)
        state.press(.down)
        state.press(.down)
        #expect(state.selected == 2 && state.scope == .filter)
        state.press(.up)
        state.press(.left)
        state.press("x")
        #expect(state.list?.filter?.field.text == "photo x1")
        state.press(.function(1))
        #expect(state.top == .help(HelpScreen()))
        state.press("\u{1B}")
        #expect(state.scope == .filter)
    }

    @Test("The photo that was selected stays, else the next match after it")
    func selection() {
        var state = AppState.listing()
        for _ in 0..<40 { state.press("j") }
        state.press("&4")
        #expect(state.list?.photo(at: state.selected ?? 0)?.id == "id-40")
        state.press("7")
        #expect(shown(state) == ["id-47"])
        state.press("\u{1B}")
        #expect(state.selected == 47)
        state.press("&zz\u{1B}")
        #expect(state.selected == 47, "without a match, the photo from before")
        state.press("&7")
        state.press(.down)
        state.press("z")
        state.press(.backspace)
        #expect(state.list?.photo(at: state.selected ?? 0)?.id == "id-57", "from where the user went")
    }

    @Test("One photo in full turns among the matches")
    func detail() {
        var state = AppState.listing()
        state.press("&1\r\r")
        #expect(state.detail?.photoID == "id-1")
        state.press("n")
        #expect(state.detail?.photoID == "id-10" && state.header.hasSuffix("2 of 19"))
        let selections = state.selections(after: "\u{1B}", "G", "g")
        #expect(selections == [1, 18, 0] && state.list?.filter != nil && state.list?.awaited == nil)
    }

    @Test("A filter of a folder loads all of its files, before and after those that it has")
    func allFiles() {
        let folder = ExampleFolder(folders: 0, pictures: 300)
        var state = AppState.browsing(folder, 100..<200)
        state.press("&31")
        #expect(state.list?.isLoadingNext == true && state.list?.isLoadingPrevious == true)
        #expect(shown(state) == [folder.photo("131.jpg").id])
        #expect(state.header.contains("100 loaded"))
        state.press("0.jpg")
        #expect(shown(state).isEmpty && !state.drawing.contains("No photo here matches"), "Not known yet")
        state.press(.backspace)
        var effects = state.update(.page(generation: state.generation, .previous, .success(folder.answer(0..<100))))
        #expect(effects.pages.isEmpty, "The next page was requested before")
        effects = state.deliver(folder.answer(200..<300))
        #expect(effects.pages.isEmpty && !state.header.contains("loaded"))
        state.press(.character("u"), .control)
        state.press("31.")
        #expect(shown(state) == ["31.jpg", "131.jpg", "231.jpg"].map { folder.photo($0).id })
    }

    @Test("G under a filter of a folder goes to the last match of all files, and D waits for it")
    func lastOfAllFiles() {
        let folder = ExampleFolder(folders: 0, pictures: 300)
        for isPreviousLast in [true, false] {
            var state = AppState.browsing(folder, 100..<200)
            state.press("&31")
            state.press(.enter)
            state.press("GD")
            #expect(state.trashed.isEmpty && state.drawing.contains("Reading ~/Pictures"))
            let pages: [(PageDirection, Range<Int>)] = [(.next, 200..<300), (.previous, 0..<100)]
            for (direction, range) in isPreviousLast ? pages : pages.reversed() {
                _ = state.update(.page(generation: state.generation, direction, .success(folder.answer(range))))
            }
            #expect(state.list?.selectedPhoto?.id == folder.photo("231.jpg").id && state.list?.destination == nil)
        }
    }

    @Test("A key that moves on ends the way to the last match, in one photo, too; one is awaited before there is any")
    func leftLast() {
        let folder = ExampleFolder(folders: 0, pictures: 300)
        var state = AppState.browsing(folder, 100..<200)
        state.press("&1")
        state.press(.enter)
        state.press(.enter)
        state.press("Gp")
        let left = state.list?.selectedPhoto?.id
        state.deliver(folder.answer(200..<300))
        #expect(state.list?.selectedPhoto?.id == left && state.list?.destination == nil)
        // 101.jpg to 199.jpg: no name here begins with 2.
        state = AppState.browsing(folder, 100..<199)
        state.press("&2j")
        state.press(.enter)
        #expect(shown(state).isEmpty)
        state.press("G")
        state.deliver(folder.answer(199..<300))
        #expect(state.list?.selectedPhoto?.id == folder.photo("299.jpg").id)
    }

    @Test("A filter may be typed before the first page comes")
    func early() {
        let folder = ExampleFolder(folders: 0, pictures: 30)
        var state = AppState.fresh()
        _ = state.update(.startedWithFiles(folder.query))
        state.press("&29")
        #expect(state.scope == .filter && !state.drawing.contains("No photo here matches"))
        state.deliver(folder.answer)
        #expect(shown(state) == [folder.photo("29.jpg").id])
    }

    @Test("Where the rest of a folder cannot be read, a filter is of what was read")
    func unreadableRest() {
        let folder = ExampleFolder(folders: 0, pictures: 300)
        var state = AppState.browsing(folder, 0..<100)
        state.press("&231.")
        #expect(!state.drawing.contains("No photo here matches"))
        _ = state.update(.page(generation: state.generation, .next, .failure(gone)))
        #expect(state.drawing.contains("No photo here matches '231.'") && state.header.contains("100 loaded"))
        #expect(state.notice == .failed(gone))
    }

    @Test("Nothing is loaded for a filter of a search, and pages that come are filtered")
    func pages() {
        var state = AppState.listing()
        for _ in 0..<95 { state.press("j") }
        #expect(state.list?.isLoadingNext == true)
        state.press("&99")
        #expect(shown(state) == ["id-99"])
        let effects = state.nextPage()
        #expect(effects.pages.isEmpty)
        #expect(shown(state) == ["id-99", "id-199"])
        state.press(.down)
        #expect(!state.press("\u{1B}").isEmpty && state.selected == 199)
    }

    @Test("A refresh keeps the filter, also if its photo is gone")
    func refresh() {
        var state = AppState.listing()
        state.press("&2\rr")
        #expect(state.list?.awaited == .keeps(photoID: "id-2", position: 2))
        _ = state.update(.page(generation: 2, .next, .success(answer(10..<60, first: 0))))
        #expect(shown(state).first == "id-12" && state.selected == 0 && state.list?.filter?.isTyping == false)
        _ = state.update(.page(generation: 2, .next, .success(answer(0..<0, isAtEnd: true))))
        #expect(state.list?.photos.count == 50)
    }

    @Test("What was found is marked in title and maker, and nothing else")
    func marks() {
        for density in [0, 2] {
            var states = ExampleStates(.example(120, 40))
            states.preferences.density = density
            var state = states.list()
            state.list?.selected = 0
            state.press("&apollo armstr nasa")
            let grid = state.grid
            let match = ThemeSheet.dark.colors[.match]
            var marked = ""
            for row in 2..<39 {
                let text = grid.text(ofRow: row)
                for (column, character) in text.enumerated()
                where grid.style(at: CellPosition(column: column, row: row)) == match {
                    marked.append(character)
                }
            }
            #expect(marked.hasPrefix("Apollo") && marked.contains("NASAArmstr"), "\(density): \(marked)")
        }
    }
}

import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Home screen")
struct HomeTests {
    @Test("Enter starts a search, which is remembered once results come")
    func submit() {
        var state = AppState.fresh()
        let effects = state.press("apollo center:jsc \r")
        let query = PhotoQuery("apollo", filters: ["center": ["JSC"]])
        #expect(
            effects == [
                .search(generation: 1, query, source: "nasa", start: .position(0), revalidates: false),
                .timer(.spinner, .milliseconds(100)),
            ])
        #expect(state.screens == [.home(SearchScreen()), .list] && state.home.history.isEmpty)
        #expect(state.list?.isLoadingNext == true && state.list?.photos.isEmpty == true)
        let answered = state.update(.page(generation: 1, .next, .success(answer(0..<3, first: 0, of: 3))))
        let search = RecentSearch("apollo center:jsc", source: "nasa")
        #expect(answered.deliberate == [.store(.search(search))] && state.home.history == [search])
        #expect(!state.press("r").contains(.store(.search(search))))
    }

    @Test("A failed search is remembered only if a retry may help")
    func failedSearches() {
        for (canRetry, history) in [(true, [RecentSearch("mars", source: "nasa")]), (false, [])] {
            var state = AppState.fresh()
            state.press("mars\r")
            _ = state.update(.page(generation: 1, .next, .failure(BrowserError(reason: "no", canRetry: canRetry))))
            #expect(state.home.history == history)
        }
    }

    @Test("A mistake is shown until the next key, and nothing is searched")
    func mistake() {
        var state = AppState.fresh()
        #expect(state.press("year:soon\r").isEmpty && state.searchText == "year:soon")
        #expect(state.searchField?.mistake == .badValue("soon", filter: "year", examples: ["1969-1972", "1969"]))
        state.press(.backspace)
        #expect(state.searchField?.mistake == nil)
    }

    @Test("Suggestions are offered only without a history")
    func suggestions() {
        var state = AppState.fresh()
        #expect(state.choices.first == .suggestion("apollo 11"))
        state.home.history = ["moon", "mars", "Mare Imbrium"]
        let choices = ["", "MAR", "mars"].map { state.choices(of: SearchScreen(field: TextField($0))) }
        let recent = ["moon", "mars", "Mare Imbrium"].map { SearchChoice.recent(RecentSearch($0)) }
        #expect(choices == [recent, Array(recent[1...]), []])
        state.home.history = (0..<50).map { "search \($0)" }
        #expect(state.choices.count == 8)
    }

    @Test("A recent search is offered with its source, searched there, and remembered once")
    func recentSources() {
        var state = AppState.fresh()
        state.home.history = [
            RecentSearch("mars", source: "demo"), RecentSearch("earth", source: "archive:/a"),
            RecentSearch("mars", source: "nasa"), "old", RecentSearch("gone", source: "nowhere"),
        ]
        #expect(
            state.choices == [
                .recent(RecentSearch("mars", source: "demo")), .recent(RecentSearch("mars", source: "nasa")),
                .recent("old"),
            ])
        var recalled: [String?] = []
        for _ in 0..<2 {
            state.press(.character("p"), .control)
            recalled.append(state.searchText)
        }
        #expect(recalled == ["mars", "old"], "Ctrl-P recalls searches of the source and of earlier versions")
        state.press("\u{1B}")
        state.press(.down)
        #expect(state.press("\r").searchedSources == ["demo"])
        _ = state.update(.page(generation: 1, .next, .success(answer(0..<3, first: 0, of: 3))))
        #expect(state.home.history.count == 5 && state.preferences.source == "nasa")
        state.press("/")
        #expect(state.searchSource == "demo", "A search over a list stays in its source")
        state.press(.character("u"), .control)
        #expect(state.press("old\r").searchedSources == ["demo"])
        _ = state.update(.page(generation: 2, .next, .success(answer(0..<3, first: 0, of: 3))))
        #expect(state.home.history.first == RecentSearch("old", source: "demo") && !state.home.history.contains("old"))
    }

    @Test("An archive offers its own recent searches only")
    func archivedSearches() {
        var state = AppState.fresh { $0.archive = "/a" }
        state.home.history = [RecentSearch("earth", source: "archive:/a"), RecentSearch("mars", source: "nasa"), "old"]
        #expect(state.choices == [.recent(RecentSearch("earth", source: "archive:/a"))])
        state.press(.down)
        #expect(state.press("\r").searchedSources == ["nasa"])
    }

    @Test("The last run's position is offered first and restored")
    func resume() {
        var state = AppState.fresh()
        state.home.place = SavedPlace(search: "apollo 11", position: 812, source: "demo")
        #expect(state.choices.first == .resume(SavedPlace(search: "apollo 11", position: 812, source: "demo")))
        state.press(.down)
        #expect(state.press("\r").deliberate == [.searching(1, "apollo 11", in: "demo", at: 812)])
        // Leaving before the results keeps the old position.
        var left = state
        #expect(!left.update(.ended).contains { if case .store(.place) = $0 { true } else { false } })
        _ = state.update(.page(generation: 1, .next, .success(answer(806..<906, first: 806))))
        #expect(state.selected == 812 && state.list?.isLoadingPrevious == true)
    }

    @Test(
        "The end stores the position from every screen",
        arguments: ["", "\r", "?", ",", "s", "/mars", "\r?,", "G", "r"])
    func endedAnywhere(keys: String) {
        var state = AppState.listing()
        state.press("jj" + keys)
        #expect(
            state.update(.ended).deliberate == [
                .store(.place(SavedPlace(search: "apollo", position: 2, source: "nasa")))
            ])
        #expect(state.update(.page(generation: 1, .next, .failure(gone))).isEmpty)
    }

    @Test("Down leads through the choices and back to the field, Up back")
    func choosing() {
        var state = AppState.fresh()
        state.home.history = ["moon", "mars"]
        let codes: [Key.Code] = [.down, .down, .up, .up, .tab, .down, .down, .down, .down]
        let chosen = state.values(after: codes) { $0.searchField?.choice }
        #expect(chosen == [0, 1, 0, nil, 0, 1, nil, 0, 1])
        state.press("x")
        #expect(state.searchField?.choice == nil && state.searchText == "x")
    }

    @Test("Up from the field walks back through the history, Down forth to what was typed, then to the choices")
    func walking() {
        var state = AppState.fresh()
        state.home.history = ["two", "one"]
        state.press("ne")
        let screens = state.values(after: [.up, .up, .up, .down, .down], \.searchField)
        #expect(screens.map { $0?.field.text } == ["two", "one", "one", "two", "ne"])
        #expect(screens.allSatisfy { $0?.choice == nil })
        var empty = AppState.fresh()
        empty.press(.down)
        #expect(empty.searchField?.choice == 0)
    }

    @Test("Over a list the old words are selected: a character replaces them, an arrow keeps them")
    func selectedWords() {
        var state = AppState.listing()
        state.press("/")
        #expect(state.searchText == "apollo" && state.searchField?.field.isSelected == true)
        #expect(
            state.choices(of: state.searchField ?? SearchScreen()) == [.recent(RecentSearch("apollo", source: "nasa"))])
        var typed = state
        typed.press("mars")
        #expect(typed.searchText == "mars")
        var pasted = state
        _ = pasted.update(.input(.paste("moon")))
        #expect(pasted.searchText == "moon")
        var deleted = state
        deleted.press(.backspace)
        #expect(deleted.searchText?.isEmpty == true)
        for key in [Key.Code.left, .right, .home, .end] {
            var kept = state
            kept.press(key)
            kept.press("x")
            #expect(kept.searchText?.utf8.count == 7, "\(key)")
        }
        #expect(state.press("\r").searchedSources == ["nasa"] && state.list?.search == "apollo")
    }

    @Test("q quits only while the caret is outside the field")
    func leavingByLetter() {
        var state = AppState.fresh()
        #expect(state.press("q").isEmpty && state.searchText == "q")
        state.press(.backspace)
        state.press(.down)
        #expect(state.press("q") == [.quit([])] && state.press("x").isEmpty)
    }

    @Test("Escape clears the choice, then the text, then quits")
    func leavingByEscape() {
        var state = AppState.fresh()
        state.press("a")
        state.press(.down)
        state.press("\u{1B}")
        #expect(state.searchField?.choice == nil && state.searchText == "a")
        state.press("\u{1B}")
        #expect(state.searchText?.isEmpty == true)
        #expect(state.press("\u{1B}") == [.quit([])])
    }

    @Test("Ctrl-D quits from an empty field and deletes in others")
    func endOfInput() {
        var state = AppState.fresh()
        state.press("ab")
        state.press(.home)
        #expect(state.press(.character("d"), .control).isEmpty && state.searchText == "b")
        state.press(.delete)
        #expect(state.press(.character("d"), .control) == [.quit([])])
    }

    @Test("Question mark and comma are commands only in an empty field")
    func signs() {
        var state = AppState.fresh()
        state.press("?")
        #expect(state.top == .help(HelpScreen()))
        state.press("q,")
        #expect(state.settings != nil)
        state.press("qa?,/")
        #expect(state.searchText == "a?,/")
    }

    @Test("Ctrl-P and Ctrl-N walk the history and keep the typed text")
    func history() {
        var state = AppState.fresh()
        state.home.history = ["two", "one"]
        func walk(_ keys: String) -> [String?] {
            keys.map { key in
                state.press(.character(key), .control)
                return state.searchText
            }
        }
        #expect(walk("npppnn") == ["", "two", "one", "one", "two", ""])
        state.press("new")
        #expect(walk("nppnn") == ["new", "two", "one", "two", "new"])
    }

    // MARK: Pictures

    private func home(_ numbers: Range<Int>, of source: String = "nasa", isToday: Bool = false) -> [HomePhoto] {
        numbers.compactMap { number in
            HomePhoto(
                samplePhoto(number), at: SavedPlace(search: "mars", position: number, source: source), isToday: isToday)
        }
    }

    @Test("The pictures seen last are shown, then those that came with the program, the day's first")
    func pictures() throws {
        var state = AppState.fresh()
        #expect(state.homePhotos.isEmpty && state.content.feature.imageRequests(in: state) == PictureRequests())
        let bundled = home(0..<6, of: "demo")
        let effects = state.update(.home(bundled))
        #expect(state.homePhotos == Array(bundled.prefix(4)) && effects.requests?.visible.count == 4)
        state.home.seenPhotos = home(10..<12) + home(12..<13, of: "archive:/a")
        #expect(state.homePhotos == home(10..<12) + bundled.prefix(2), "Those of an archive need it")
        _ = state.update(.home(home(20..<21, isToday: true) + home(10..<11, isToday: true) + bundled))
        #expect(state.homePhotos.map(\.photo.id) == ["id-20", "id-10", "id-11", "id-0"])
        state.options.showsImages = false
        #expect(state.homePhotos.isEmpty)
    }

    @Test("A picture that has left the cache is left out")
    func lost() throws {
        var state = AppState.fresh()
        state.home.seenPhotos = home(0..<3)
        let key = try #require(state.update(.resized(state.traits.size, cellPixels: nil)).requests?.visible.first?.key)
        let effects = state.update(.picture(key, .failed(.notCached)))
        #expect(state.homePhotos == home(1..<3) && effects.requests?.visible.count == 2)
    }

    @Test("Down leads to the pictures after the lines, arrows step through them, Enter opens the list there")
    func choosingPictures() {
        for language in [Language.english, .arabic] {
            var state = AppState.fresh()
            state.preferences.language = language
            state.home.history = ["moon"]
            state.home.seenPhotos = home(0..<3)
            let onwards = language == .arabic ? Key.Code.left : .right
            let codes: [Key.Code] = [.down, .down, onwards, onwards, onwards, .up, .down, .down]
            #expect(state.values(after: codes) { $0.searchField?.choice } == [0, 1, 2, 3, 3, 0, 1, nil])
            for code in [Key.Code.down, .down] { state.press(code) }
            state.press(onwards)
            #expect(
                state.press("\r").deliberate.contains { effect in
                    if case .search(_, _, "nasa", .position(1), _) = effect { true } else { false }
                })
            #expect(state.list?.search == "mars")
        }
        var clicked = AppState.fresh()
        clicked.home.seenPhotos = home(0..<3)
        for photo in [2, 0] {
            _ = clicked.update(.click(.homePhoto(photo)))
            #expect(clicked.list?.awaitedStart == .position(2))
        }
    }

    @Test("Leaving a list keeps the photos on the screen, the selected one first, without secrets")
    func keepingSeen() throws {
        var state = AppState.listing()
        state.press("j")
        for key in state.visible.map(\.key) { state.show(key) }
        let effects = state.press(.escape)
        var kept: [HomePhoto] = []
        for case .store(.seen(let photos)) in effects { kept = photos }
        #expect(kept.first?.photo.id == "id-1" && kept.first?.place == state.home.place)
        #expect(kept == state.home.seenPhotos && kept.count <= HomePhoto.maxSeen && kept.count > 2)
        #expect(kept.allSatisfy { $0.photo.renditions.isEmpty })
        #expect(effects.requests?.visible.count == state.homePhotos.count)
        var secret = samplePhoto(0)
        secret.thumbnail = WebAddress("https://host.example/a.jpg?token=abcdef")
        #expect(HomePhoto(secret, at: SavedPlace(search: "", position: 0, source: "nasa")) == nil)
        var hidden = AppState.listing { $0.keepsHistory = false }
        for key in hidden.visible.map(\.key) { hidden.show(key) }
        #expect(hidden.press(.escape).deliberate == [.cancelSearch] && hidden.home.seenPhotos.isEmpty)
    }

    @Test("Without history nothing is stored or offered")
    func noHistory() {
        var state = AppState.listing { $0.keepsHistory = false }
        #expect(state.home.history.isEmpty)
        #expect(state.press(" ").deliberate.isEmpty && state.header.contains("1 marked"))
        #expect(!state.update(.ended).contains { if case .store(.place) = $0 { true } else { false } })
    }

    @Test("An initial search starts immediately; a mistaken one is in the field")
    func started() {
        var state = AppState.fresh()
        #expect(state.update(.started(search: nil, at: .first)).isEmpty)
        #expect(
            state.update(.started(search: "mars", at: .page(7))).first
                == .search(generation: 1, PhotoQuery("mars"), source: "nasa", start: .page(7), revalidates: false))
        var mistaken = AppState.fresh()
        #expect(mistaken.update(.started(search: "year:x", at: .first)).isEmpty)
        #expect(
            mistaken.searchField?.mistake == .badValue("x", filter: "year", examples: ["1969-1972", "1969"])
                && mistaken.searchText == "year:x")
    }
}

import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Home screen")
struct HomeTests {
    @Test("Typed characters are in the field, q and j included")
    func typing() {
        var state = BrowserState.fresh()
        #expect(state.press("quasar jet").isEmpty)
        #expect(state.searchText == "quasar jet")
    }

    @Test("Enter starts a search, which is remembered once results come")
    func submit() {
        var state = BrowserState.fresh()
        let effects = state.press("apollo center:jsc \r")
        let query = PhotoQuery("apollo", filters: ["center": ["JSC"]])
        #expect(
            effects == [
                .search(generation: 1, query, source: "nasa", start: .position(0), revalidates: false), .animate(true),
            ])
        #expect(state.screens == [.home(SearchScreen()), .list])
        #expect(state.list?.isLoadingNext == true && state.list?.photos.isEmpty == true)
        #expect(state.history.isEmpty)
        let answered = state.update(.page(generation: 1, .next, .success(answer(0..<3, first: 0, of: 3))))
        let search = RecentSearch("apollo center:jsc", source: "nasa")
        #expect(answered.deliberate == [.remember(search)])
        #expect(state.history == [search])
        #expect(!state.press("r").contains(.remember(search)))
    }

    @Test("A failed search is remembered only if a retry may help")
    func failedSearches() {
        for (canRetry, history) in [(true, [RecentSearch("mars", source: "nasa")]), (false, [])] {
            var state = BrowserState.fresh()
            state.press("mars\r")
            _ = state.update(.page(generation: 1, .next, .failure(BrowserError(reason: "no", canRetry: canRetry))))
            #expect(state.history == history)
        }
    }

    @Test("An empty query searches everything and is not remembered")
    func everything() {
        var state = BrowserState.fresh()
        #expect(
            state.press("\r").deliberate
                == [.search(generation: 1, PhotoQuery(), source: "nasa", start: .position(0), revalidates: false)])
        #expect(state.history.isEmpty)
    }

    @Test("A mistake is shown until the next key, and nothing is searched")
    func mistake() {
        var state = BrowserState.fresh()
        #expect(state.press("year:soon\r").isEmpty)
        #expect(state.field?.mistake == .badValue("soon", filter: "year", examples: ["1969-1972", "1969"]))
        #expect(state.searchText == "year:soon")
        state.press(.backspace)
        #expect(state.field?.mistake == nil)
    }

    @Test("Suggestions are offered only without a history")
    func suggestions() {
        var state = BrowserState.fresh()
        #expect(state.choices(of: SearchScreen()).first == .suggestion("apollo 11"))
        state.history = ["moon", "mars", "Mare Imbrium"]
        #expect(state.choices(of: SearchScreen()) == [.recent("moon"), .recent("mars"), .recent("Mare Imbrium")])
        #expect(state.choices(of: SearchScreen(field: TextField("MAR"))) == [.recent("mars"), .recent("Mare Imbrium")])
        #expect(state.choices(of: SearchScreen(field: TextField("mars"))).isEmpty)
        state.history = (0..<50).map { "search \($0)" }
        #expect(state.choices(of: SearchScreen()).count == BrowserState.choiceLimit)
    }

    @Test("A recent search is offered with its source, searched there, and remembered once")
    func recentSources() {
        var state = BrowserState.fresh()
        state.history = [
            RecentSearch("mars", source: "demo"), RecentSearch("earth", source: "archive:/a"),
            RecentSearch("mars", source: "nasa"), "old", RecentSearch("gone", source: "nowhere"),
        ]
        #expect(
            state.choices(of: SearchScreen()) == [
                .recent(RecentSearch("mars", source: "demo")), .recent(RecentSearch("mars", source: "nasa")),
                .recent("old"),
            ])
        state.press(.character("p"), .control)
        #expect(state.searchText == "mars")
        state.press(.character("p"), .control)
        #expect(state.searchText == "old", "Ctrl-P recalls searches of the source and of earlier versions")
        state.press("\u{1B}")
        state.press(.down)
        #expect(state.press("\r").searchedSources == ["demo"])
        _ = state.update(.page(generation: 1, .next, .success(answer(0..<3, first: 0, of: 3))))
        #expect(state.history.count == 5 && state.preferences.source == "nasa")
        state.press("/")
        #expect(state.searchSource == "demo", "A search over a list stays in its source")
        state.press(.character("u"), .control)
        #expect(state.press("old\r").searchedSources == ["demo"])
        _ = state.update(.page(generation: 2, .next, .success(answer(0..<3, first: 0, of: 3))))
        #expect(state.history.first == RecentSearch("old", source: "demo") && !state.history.contains("old"))
    }

    @Test("An archive offers its own recent searches only")
    func archivedSearches() {
        var state = BrowserState.fresh { $0.archive = "/a" }
        state.history = [RecentSearch("earth", source: "archive:/a"), RecentSearch("mars", source: "nasa"), "old"]
        #expect(state.choices(of: SearchScreen()) == [.recent(RecentSearch("earth", source: "archive:/a"))])
        state.press(.down)
        #expect(state.press("\r").searchedSources == ["nasa"])
    }

    @Test("Suggestions are those of the source, or of the archive")
    func ownSuggestions() {
        var state = BrowserState.fresh()
        state.press(.down)
        state.press(",")
        state.press(.right)
        #expect(state.preferences.source == "demo")
        #expect(state.choices(of: SearchScreen()) == DemoSource.suggestions.map { .suggestion($0) })
        _ = state.update(.archive(holds: ["moon"]))
        #expect(state.choices(of: SearchScreen()) == [.suggestion("moon")])
        state.options.archiveHolds = nil
        state.preferences.source = "elsewhere"
        #expect(state.choices(of: SearchScreen()).isEmpty)
    }

    @Test("The last run's position is offered first and restored")
    func resume() {
        var state = BrowserState.fresh()
        state.place = SavedPlace(search: "apollo 11", position: 812, source: "demo")
        #expect(
            state.choices(of: SearchScreen()).first
                == .resume(SavedPlace(search: "apollo 11", position: 812, source: "demo")))
        state.press(.down)
        #expect(
            state.press("\r").deliberate == [
                .search(
                    generation: 1, PhotoQuery("apollo 11"), source: "demo", start: .position(812), revalidates: false)
            ])
        // Leaving before the results keeps the old position.
        var left = state
        #expect(!left.update(.ended).contains { if case .savePlace = $0 { true } else { false } })
        _ = state.update(.page(generation: 1, .next, .success(answer(806..<906, first: 806))))
        #expect(state.list?.selected == 812)
        #expect(state.list?.isLoadingPrevious == true)
    }

    @Test("If results have become fewer, the first are shown")
    func fewer() {
        var state = BrowserState.fresh()
        _ = state.update(.started(search: "apollo", at: .position(812)))
        let empty = PageAnswer(photos: [], firstPosition: 800, total: .exact(3), isAtStart: false, isAtEnd: true)
        let effects = state.update(.page(generation: 1, .next, .success(empty)))
        #expect(
            effects == [
                .remember(RecentSearch("apollo", source: "nasa")),
                .search(generation: 2, PhotoQuery("apollo"), source: "nasa", start: .position(0), revalidates: false),
            ])
        _ = state.update(.page(generation: 2, .next, .success(answer(0..<3, first: 0, of: 3))))
        #expect(state.list?.photos.count == 3)
    }

    @Test("A position beyond the end leads to the last photo", arguments: [812, Int.max])
    func beyond(position: Int) {
        var state = BrowserState.fresh()
        state.place = SavedPlace(search: "apollo", position: position, source: "nasa")
        state.press(.down)
        state.press("\r")
        _ = state.update(.page(generation: 1, .next, .success(answer(124..<130, first: 124, of: 130))))
        #expect(state.list?.selected == 129 && state.list?.total == .exact(130))
        #expect(state.list?.isLoadingPrevious == true)
    }

    @Test("The position of a list left for home is kept at the end")
    func leftForHome() {
        var state = BrowserState.listing()
        state.press("jjq")
        #expect(state.update(.ended).isEmpty && state.isOver)
        #expect(state.place == SavedPlace(search: "apollo", position: 2, source: "nasa"))
    }

    @Test(
        "The end stores the position from every screen",
        arguments: ["", "\r", "?", ",", "s", "/mars", "\r?,", "G", "r"])
    func endedAnywhere(keys: String) {
        var state = BrowserState.listing()
        state.press("jj" + keys)
        #expect(
            state.update(.ended).deliberate == [.savePlace(SavedPlace(search: "apollo", position: 2, source: "nasa"))])
        #expect(state.update(.page(generation: 1, .next, .failure(gone))).isEmpty)
    }

    @Test("Up and down cycle through the field and its choices")
    func choosing() {
        var state = BrowserState.fresh()
        state.history = ["moon", "mars"]
        var chosen: [Int?] = []
        for key in [Key.Code.down, .down, .down, .up, .up, .tab] {
            state.press(key)
            chosen.append(state.field?.choice)
        }
        #expect(chosen == [0, 1, nil, 1, 0, 1])
        state.press("x")
        #expect(state.field?.choice == nil && state.searchText == "x")
    }

    @Test("q quits only while the caret is outside the field")
    func leavingByLetter() {
        var state = BrowserState.fresh()
        #expect(state.press("q").isEmpty)
        #expect(state.searchText == "q")
        state.press(.backspace)
        state.press(.down)
        #expect(state.press("q") == [.quit])
        #expect(state.press("x").isEmpty)
    }

    @Test("Escape clears the choice, then the text, then quits")
    func leavingByEscape() {
        var state = BrowserState.fresh()
        state.press("a")
        state.press(.down)
        state.press("\u{1B}")
        #expect(state.field?.choice == nil && state.searchText == "a")
        state.press("\u{1B}")
        #expect(state.searchText?.isEmpty == true)
        #expect(state.press("\u{1B}") == [.quit])
    }

    @Test("Ctrl-D quits from an empty field and deletes in others")
    func endOfInput() {
        var state = BrowserState.fresh()
        state.press("ab")
        state.press(.home)
        #expect(state.press(.character("d"), .control).isEmpty)
        #expect(state.searchText == "b")
        state.press(.delete)
        #expect(state.press(.character("d"), .control) == [.quit])
    }

    @Test("Ctrl-C quits from every screen")
    func interrupt() {
        for keys in ["", "?", ",", "a"] {
            var state = BrowserState.fresh()
            state.press(keys)
            #expect(state.press(.character("c"), .control).last == .quit)
        }
    }

    @Test("Question mark and comma are commands only in an empty field")
    func signs() {
        var state = BrowserState.fresh()
        state.press("?")
        #expect(state.top == .help(scroll: 0))
        state.press("q,")
        #expect(state.settings != nil)
        state.press("qa?,/")
        #expect(state.searchText == "a?,/")
    }

    @Test("Ctrl-P and Ctrl-N walk the history and keep the typed text")
    func history() {
        var state = BrowserState.fresh()
        state.history = ["two", "one"]
        var texts: [String?] = []
        for key in ["n", "p", "p", "p", "n", "n"] as [Character] {
            state.press(.character(key), .control)
            texts.append(state.searchText)
        }
        #expect(texts == ["", "two", "one", "one", "two", ""])
        state.press("new")
        state.press(.character("n"), .control)
        #expect(state.searchText == "new")
        state.press(.character("p"), .control)
        state.press(.character("p"), .control)
        #expect(state.searchText == "one")
        state.press(.character("n"), .control)
        state.press(.character("n"), .control)
        #expect(state.searchText == "new")
    }

    // MARK: Pictures

    private func home(_ numbers: Range<Int>, of source: String = "nasa", isToday: Bool = false) -> [HomePhoto] {
        numbers.compactMap { number in
            HomePhoto(
                samplePhoto(number), at: SavedPlace(search: "mars", position: number, source: source), isToday: isToday)
        }
    }

    @Test("The pictures seen last are shown, else those that came with the program, the day's first")
    func pictures() throws {
        var state = BrowserState.fresh()
        #expect(state.homePhotos.isEmpty && state.pictureRequests() == PictureRequests())
        let bundled = home(0..<6, of: "demo")
        let effects = state.update(.home(bundled))
        #expect(state.homePhotos == Array(bundled.prefix(4)))
        #expect(effects.requests?.visible.count == 4)
        state.seenPhotos = home(10..<12) + home(12..<13, of: "archive:/a")
        #expect(state.homePhotos == home(10..<12), "Those of an archive need it")
        _ = state.update(.home(home(20..<21, isToday: true) + home(10..<11, isToday: true) + bundled))
        #expect(state.homePhotos.map(\.photo.id) == ["id-20", "id-10", "id-11"])
        state.options.showsImages = false
        #expect(state.homePhotos.isEmpty)
    }

    @Test("A picture that has left the cache is left out")
    func lost() throws {
        var state = BrowserState.fresh()
        state.seenPhotos = home(0..<3)
        let key = try #require(state.update(.resized(state.traits.size, cellPixels: nil)).requests?.visible.first?.key)
        let effects = state.update(.picture(key, .failed(.notCached)))
        #expect(state.homePhotos == home(1..<3))
        #expect(effects.requests?.visible.count == 2)
    }

    @Test("Up from the field leads to the pictures, arrows step through them, Enter opens the list there")
    func choosingPictures() {
        for language in [Language.english, .arabic] {
            var state = BrowserState.fresh()
            state.preferences.language = language
            state.history = ["moon"]
            state.seenPhotos = home(0..<3)
            state.press(.up)
            #expect(state.field?.choice == 1)
            let onwards = language == .arabic ? Key.Code.left : .right
            state.press(onwards)
            state.press(onwards)
            state.press(onwards)
            #expect(state.field?.choice == 3)
            state.press(.up)
            #expect(state.field?.choice == 0)
            state.press(.down)
            state.press(.down)
            #expect(state.field?.choice == nil)
            state.press(.up)
            state.press(onwards)
            #expect(
                state.press("\r").deliberate.contains { effect in
                    if case .search(_, _, "nasa", .position(1), _) = effect { true } else { false }
                })
            #expect(state.list?.search == "mars")
        }
        var clicked = BrowserState.fresh()
        clicked.seenPhotos = home(0..<3)
        _ = clicked.update(.click(.homePhoto(2)))
        #expect(clicked.list?.awaitedStart == .position(2))
        _ = clicked.update(.click(.homePhoto(0)))
        #expect(clicked.list?.awaitedStart == .position(2))
    }

    @Test("Leaving a list keeps the photos on the screen, the selected one first, without secrets")
    func keepingSeen() throws {
        var state = BrowserState.listing()
        state.press("j")
        for key in state.requests.visible.map(\.key) {
            _ = state.update(.picture(key, .shown(.sample, isFinal: true, isStale: false)))
        }
        let effects = state.press("q")
        var kept: [HomePhoto] = []
        for case .keepSeen(let photos) in effects { kept = photos }
        #expect(kept.first?.photo.id == "id-1" && kept.first?.place == state.place)
        #expect(kept == state.seenPhotos && kept.count <= HomePhoto.maxSeen && kept.count > 2)
        #expect(kept.allSatisfy { $0.photo.renditions.isEmpty })
        #expect(effects.requests?.visible.count == state.homePhotos.count)
        var secret = samplePhoto(0)
        secret.thumbnail = WebAddress("https://host.example/a.jpg?token=abcdef")
        #expect(HomePhoto(secret, at: SavedPlace(search: "", position: 0, source: "nasa")) == nil)
        var hidden = BrowserState.listing { $0.keepsHistory = false }
        for key in hidden.requests.visible.map(\.key) {
            _ = hidden.update(.picture(key, .shown(.sample, isFinal: true, isStale: false)))
        }
        #expect(hidden.press("q").deliberate == [.cancelSearch] && hidden.seenPhotos.isEmpty)
    }

    @Test("Pictures leave room for every line of choices, and stay while a search is typed")
    func room() {
        for (columns, rows) in [(80, 24), (120, 40), (200, 60), (40, 20)] {
            var state = BrowserState.fresh(columns: columns, rows: rows)
            state.history = (0..<50).map { "search \($0)" }
            state.place = SavedPlace(search: "apollo", position: 3, source: "nasa")
            state.seenPhotos = home(0..<6)
            func text(_ state: BrowserState) -> [String] {
                let grid = BrowserView.frame(of: state).grid
                return (0..<rows).map { grid.text(ofRow: $0) }
            }
            #expect(!state.homePhotos.isEmpty)
            let lines = state.choices.filter { !$0.isPhoto }
            #expect(text(state).contains { $0.contains("search \(lines.count - 2)") }, "\(columns)x\(rows)")
            let name = text(state).firstIndex { $0.contains("Spyglass") }
            state.press("search 4")
            #expect(text(state).firstIndex { $0.contains("Spyglass") } == name)
        }
    }

    @Test("A paste goes into the field as one line, and nowhere else")
    func paste() {
        var state = BrowserState.fresh()
        _ = state.update(.input(.paste("mars\nrm -rf")))
        #expect(state.searchText == "mars rm -rf")
        var list = BrowserState.listing()
        #expect(list.update(.input(.paste("qq"))).isEmpty)
        #expect(list.top == .list)
    }

    @Test("Without history nothing is stored or offered")
    func noHistory() {
        var state = BrowserState.listing { $0.keepsHistory = false }
        #expect(state.history.isEmpty)
        #expect(!state.update(.ended).contains { if case .savePlace = $0 { true } else { false } })
    }

    @Test("An initial search starts immediately; a mistaken one is in the field")
    func started() {
        var state = BrowserState.fresh()
        #expect(state.update(.started(search: nil, at: .first)).isEmpty)
        #expect(
            state.update(.started(search: "mars", at: .page(7))).first
                == .search(generation: 1, PhotoQuery("mars"), source: "nasa", start: .page(7), revalidates: false))
        var mistaken = BrowserState.fresh()
        #expect(mistaken.update(.started(search: "year:x", at: .first)).isEmpty)
        #expect(
            mistaken.field?.mistake == .badValue("x", filter: "year", examples: ["1969-1972", "1969"])
                && mistaken.searchText == "year:x")
    }
}

import SpyglassCatalog
import Testing

@testable import SpyglassBrowser
@testable import SpyglassTerminalUI

/// Draws random states.
@Suite("Any state is drawn")
struct AnyStateTests {
    /// Text that breaks layouts: wide, combining, joined, controls, bidi, none.
    private static let nasty = [
        "", " ", "a", "日", "日本語", "e\u{301}\u{301}\u{301}\u{301}", "👩🏽‍🚀", "🇯🇵🇺🇸🇩", "\u{1B}[2J\u{1B}]0;x\u{7}",
        "\u{202E}abc", "صورة",
        "x\u{0}y\u{9B}31m", "\u{FE0F}\u{200D}", "क्षि", "ﷺ", "a\nb\n\n\nc", String(repeating: "word ", count: 300),
        String(repeating: "長", count: 400), String(repeating: "e\u{301}", count: 500),
    ]

    @Test("No state traps or leaves half a wide character", arguments: 0..<8)
    func drawn(seed: Int) {
        var random = Dice(state: UInt64(seed))
        for _ in 0..<25 {
            let state = Self.state(&random)
            let grid = state.grid
            #expect(grid.size == state.traits.size)
            #expect(grid.brokenRows.isEmpty, "\(state.traits.size) \(state.top)")
            if let cursor = grid.cursor { #expect(grid.area.contains(cursor)) }
        }
    }

    private static func state(_ random: inout Dice) -> AppState {
        func pick<Element>(_ elements: [Element]) -> Element { elements[Int(random.next() % UInt64(elements.count))] }
        func text() -> String { pick(nasty) + pick(nasty) }
        func number() -> Int { pick([0, 1, 2, 5, 36, 9_999, .max, .min, -1, Int(random.next() % 40)]) }
        let sides = [1, 2, 3, 4, 5, 6, 9, 10, 12, 20, 29, 30, 39, 40, 80, 90, 120]
        let isHuge = random.next() % 200 == 0
        var traits = TerminalTraits.example(
            isHuge ? 1000 : pick(sides), isHuge ? 1000 : pick(sides), pick(ColorDepth.allCases),
            background: pick([nil, RGB(0, 0, 0), RGB(255, 255, 255)]), glyphs: pick([.utf8, .ascii]))
        traits.isRemote = pick([true, false])
        var states = ExampleStates(traits, language: pick(Language.allCases))
        states.options.showsImages = pick([true, true, false])
        states.options.isOffline = pick([true, false])
        states.options.archiveHolds = pick([nil, [], [text(), text()]])
        states.preferences.arrangement = pick([.list, .grid])
        states.preferences.density = number()
        states.preferences.gridColumns = pick([nil, 1, 3, .max])
        states.preferences.cropsGrid = pick([true, false])
        states.preferences.theme = pick([nil, "dark", "light", text()])
        states.preferences.memoryLimit = pick([nil, number()])
        states.preferences.diskLimit = pick([nil, number()])
        states.pictures = Int(random.next() % 12)
        states.photos = (0..<Int(random.next() % 14)).map { index in
            var photo = pick(ExamplePhotos.all)
            photo.id = "\(index)"
            photo.title = text()
            photo.description = pick([nil, text()])
            photo.photographer = pick([nil, text()])
            photo.date = pick([nil, text(), "1969-07-20"])
            photo.center = pick([nil, text()])
            photo.keywords = [text(), text()]
            if !photo.renditions.isEmpty { photo.renditions[0].width = number() }
            if !photo.renditions.isEmpty { photo.renditions[0].bytes = number() }
            return photo
        }
        var state = pick([states.list(), states.end(), states.lines()])
        state.list?.topRow = Int(random.next() % 9)
        state.list?.selected = Int(random.next() % 14)
        state.list?.firstPosition = pick([0, 0, 3, 9_900])
        state.list?.nextProblem = pick([
            nil, BrowserError(reason: text(), kind: pick([nil, .unreachable, .refused, .notCached, .status(503)])),
        ])
        state.list?.isAtEnd = pick([true, false])
        state.list?.isLoadingNext = pick([true, false])
        state.list?.total = pick([nil, .exact(number()), .estimate(number())])
        if pick([true, false, false]) {
            state.list?.beginFilter()
            state.list?.setFilter(TextField(pick(["a", text()])))
            state.list?.filter?.isTyping = pick([true, false])
        }
        state.activity = Activity(transfers: number(), phase: number(), isStale: pick([true, false]))
        state.notice = pick([
            nil, nil, .saved(path: text()), .problem(text()), .failed(BrowserError(reason: text())),
            .mouse(isOn: false),
        ])
        var field = TextField(text())
        field.after = text()
        var search = SearchScreen(field: field, choice: pick([nil, 0, 3, .max]))
        search.mistake = pick([
            nil, .badValue(text(), filter: text(), examples: [text()]), .unknownFilter(text(), known: [text()]),
        ])
        state.home.history = [RecentSearch(text(), source: pick([nil, "nasa", text()])), RecentSearch(text())]
        state.home.place = SavedPlace(search: text(), position: number(), source: text())
        for photo in states.photos {
            let place = SavedPlace(search: text(), position: number(), source: pick(["nasa", "demo", text()]))
            if let home = HomePhoto(photo, at: place, isToday: pick([true, false])) {
                state.home.seenPhotos.append(home)
            }
        }
        state.home.offers = Array(state.home.seenPhotos.prefix(2))
        for _ in 0...(random.next() % 2) {
            state.screens.append(
                pick([
                    .list, .home(search), .search(search), .help(HelpScreen(scroll: number())),
                    .detail(
                        DetailScreen(
                            scroll: number(), ratio: pick([nil, 0, 0.2, 1, 30, .infinity]),
                            showsText: pick([true, false]), isFullScreen: pick([true, false]),
                            slideshow: pick([nil, nil, Slideshow(isPaused: true)]),
                            hidesLine: pick([true, false]),
                            zoom: Zoom(
                                factor: pick([1, 1, 3, 1e9, -1, .nan, .infinity]), x: pick([0.5, -3, 1, .nan]), y: 0.9))
                    ),
                    .settings(SettingsScreen(chosen: pick(Setting.all))),
                    .alert(
                        Alert(
                            subject: .search(text()), error: BrowserError(text(), canRetry: pick([true, false])),
                            offers: pick([[], [RecentSearch(text(), source: text())]]), choice: pick([nil, 0, .max]))),
                    .info(
                        InfoScreen(
                            photoID: PhotoID(text()), scroll: number(),
                            facts: pick([nil, PhotoFacts(problem: text(), modified: text()), .example(text)]))),
                    .save(
                        .example(
                            path: text(), count: pick([1, 3]), pick([.originals, .copies]), size: text(),
                            stage: .editing)),
                    .save(
                        .example(
                            path: text(), count: pick([1, 3]), pick([.originals, .copies]),
                            stage: .saving(
                                SaveProgress(done: number(), received: number(), bytes: pick([nil, number()]))))),
                ]))
        }
        return state
    }
}

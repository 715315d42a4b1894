import SpyglassCatalog
import SpyglassPixels
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Alerts, help and settings")
struct OverlayTests {
    @Test("A failed first page is an alert; Enter and r retry")
    func alert() {
        for key in ["\r", "r"] {
            var state = AppState.fresh()
            state.press("moon\r")
            _ = state.update(
                .page(generation: 1, .next, .failure(BrowserError(reason: "dead", archiveHolds: ["apollo", "moon"]))))
            let error = BrowserError("dead", archiveHolds: ["apollo", "moon"])
            let offers = [RecentSearch("apollo", source: "nasa")]
            #expect(state.topAlert == Alert(subject: .search("moon"), error: error, offers: offers))
            #expect(state.press(key).deliberate == [.searching(2, "moon", at: 0)])
            _ = state.update(.page(generation: 2, .next, .success(answer(0..<100, first: 0))))
            #expect(state.screens == [.home(SearchScreen()), .list] && state.list?.photos.count == 100)
        }
    }

    @Test("Without a network the alert offers what is cached and the demo")
    func offers() throws {
        var state = AppState.fresh()
        state.home.history = [RecentSearch("mars", source: "nasa"), RecentSearch("moon", source: "nasa"), "old"]
        state.press("moon\r")
        let error = BrowserError(reason: "Could not resolve host", kind: .unreachable)
        let effects = state.update(.page(generation: 1, .next, .failure(error)))
        let demo = RecentSearch("", source: "demo")
        #expect(state.topAlert?.offers == [demo] && state.topAlert?.choice == nil)
        #expect(effects.deliberate.contains(.findCached(generation: 1, [RecentSearch("mars", source: "nasa"), "old"])))
        state.press("j")
        #expect(state.topAlert?.choice == 0)
        _ = state.update(.cached(generation: 0, ["late"]))
        _ = state.update(.cached(generation: 1, [RecentSearch("mars", source: "nasa")]))
        #expect(state.topAlert?.offers == [RecentSearch("mars", source: "nasa"), demo])
        #expect(state.topAlert?.choice == 1, "The chosen one stays")
        var cached = state
        cached.press("k")
        #expect(cached.press("\r").searchedSources == ["nasa"] && cached.list?.search == "mars")
        var clicked = state
        _ = clicked.update(.click(.choice(0)))
        #expect(clicked.list?.search == "mars")
        var retried = state
        #expect(retried.press("r").searchedSources == ["nasa"] && retried.list?.search == "moon")
        state.press("jj")
        #expect(state.topAlert?.choice == 0)
        state.press("j")
        #expect(state.press("\r").searchedSources == ["demo"] && state.list?.search == "")
    }

    @Test("Warnings fade after a while, other notices stay until the next key")
    func fading() {
        for notice in [Notice.problem("disk full"), .failed(gone), .nothingNewer, .saved(path: "a.jpg"), .link("x")] {
            var state = AppState.listing()
            let effects = state.update(.notice(notice))
            #expect(effects.contains(.timer(.notice, .seconds(8))) == notice.isWarning)
            #expect(state.update(.notice(notice)).isEmpty, "The same notice does not start the timer again")
            _ = state.update(.timedOut(.notice))
            #expect(state.notice == (notice.isWarning ? nil : notice))
        }
    }

    @Test("What is told of a delay goes when the page comes or fails, another warning stays", arguments: [true, false])
    func waited(succeeds: Bool) {
        for (notice, left) in [
            (Notice.waiting("retrying in 6 s"), nil), (.problem("disk full"), Notice.problem("disk full")),
        ] {
            var state = AppState.fresh()
            state.press("moon\r")
            _ = state.update(.notice(notice))
            _ = state.update(
                .page(generation: 1, .next, succeeds ? .success(answer(0..<100, first: 0)) : .failure(gone)))
            #expect(state.notice == left)
        }
    }

    @Test("q quits from list, grid and one photo in full")
    func quit() {
        for keys in ["", "v", "\r"] {
            var state = AppState.listing()
            state.press(keys)
            #expect(state.press("q").contains(.quit([])) && state.isOver, "after '\(keys)'")
        }
    }

    @Test("Help scrolls within its lines")
    func help() {
        var state = AppState.fresh(columns: 80, rows: 10)
        let tops = state.values(after: ["?k", "jj", "G", "j  ", "gq"], \.top)
        #expect(tops == [.help(HelpScreen()), .help(HelpScreen(scroll: 2)), tops[2], tops[2], .home(SearchScreen())])
        #expect(tops[1] != tops[2])
    }

    @Test("What a key opened, the same key closes", arguments: ["?", ",", "i"])
    func closed(key: String) {
        for start in [AppState.listing(), .detailing()] {
            var state = start
            state.press(key)
            #expect(state.screens.count == start.screens.count + 1)
            state.press(key)
            #expect(state.screens == start.screens)
        }
        var changed = AppState.listing()
        #expect(changed.press(",l,").searchedSources == ["demo"])
    }

    @Test("Every row of the settings changes its setting and is stored")
    func settings() {
        var state = AppState.fresh()
        state.press(",")
        for row in Setting.all {
            #expect(state.settings?.chosen == row)
            let before = state.preferences
            let effects = state.press("l")
            #expect(state.preferences != before && effects.contains(.store(.preferences(state.preferences))))
            state.press("h")
            #expect(state.preferences == before)
            state.press("\rj")
            #expect(state.preferences != before)
        }
        #expect(state.values(after: [.pageUp, .pageDown]) { $0.settings?.chosen } == [.source, Setting.all.last])
    }

    @Test("Leaving the settings searches a changed source")
    func source() {
        var state = AppState.listing()
        state.press(",l")
        #expect(state.preferences.source == "demo" && state.list?.source == "nasa")
        #expect(
            state.press("q").deliberate == [
                .store(.place(SavedPlace(search: "apollo", position: 0, source: "nasa"))),
                .searching(2, in: "demo", at: 0),
            ])
        #expect(state.screens == [.home(SearchScreen()), .list])
        #expect(state.press(",llq").deliberate.contains { if case .search = $0 { true } else { false } } == false)
    }

    @Test("Every setting cycles through its values, from any stored one", arguments: Setting.all)
    func around(setting: Setting) {
        var preferences = Preferences()
        preferences.density = .max
        preferences.memoryLimit = -1
        preferences.diskLimit = 7
        preferences.theme = "gone"
        preferences.source = "gone"
        setting.step(&preferences, 1, BrowserOptions())
        let first = preferences
        var seen: Set<Preferences> = []
        while seen.insert(preferences).inserted, seen.count < 50 {
            setting.step(&preferences, 1, BrowserOptions())
        }
        #expect(preferences == first && (2..<50).contains(seen.count))
        setting.step(&preferences, -1, BrowserOptions())
        setting.step(&preferences, 1, BrowserOptions())
        #expect(preferences == first)
    }

    @Test("Ctrl-L repaints; Ctrl-Z stores the position; continuing repaints")
    func terminal() {
        var state = AppState.listing()
        #expect(state.press(.character("l"), .control) == [.terminal(.repaint)])
        #expect(state.press(.character("z"), .control).last == .terminal(.suspend))
        #expect(state.home.place?.search == "apollo")
        #expect(state.update(.continued) == [.terminal(.repaint)])
        // It may have changed meanwhile.
        state.traits.background = .black
        #expect(state.update(.continued) == [.terminal(.repaint), .terminal(.appearance)])
    }
}

@Suite("Terminal replies")
struct TerminalReplyTests {
    @Test("A background reply changes the theme once and renders images again")
    func background() throws {
        var state = AppState.listing()
        let key = state.firstKey
        state.show(key)
        let requests = state.images.requests
        let effects = state.update(.input(.reply(.background(RGB(255, 255, 255)))))
        #expect(effects == [.setTraits(state.traits), .requestPictures(requests)])
        #expect(state.images.pictures[key] == .loading && state.traits.background == RGB(255, 255, 255))
        #expect(state.update(.input(.reply(.background(RGB(255, 255, 255))))).isEmpty)
    }

    @Test("Another size of a cell after a resize is asked for, since the window's pixels do not tell it exactly")
    func resized() {
        var state = AppState.listing()
        let (known, other) = (PixelSize(width: 9, height: 19), PixelSize(width: 12, height: 25))
        _ = state.update(.input(.reply(.cellPixels(width: 9, height: 19))))
        let size = CellSize(clamping: 55, 15)
        #expect(!state.update(.resized(size, cellPixels: known)).contains(.terminal(.appearance)))
        #expect(state.update(.resized(size, cellPixels: other)).contains(.terminal(.appearance)))
        #expect(state.traits.cellPixels == other)
        _ = state.update(.input(.reply(.cellPixels(width: 9, height: 19))))
        #expect(state.traits.cellPixels == known, "A reply counts, also one that is the same as before")
    }

    @Test("A change of the background changes the theme, unless one was chosen", arguments: [nil, "dark", "light"])
    func theme(chosen: String?) {
        var state = AppState.listing()
        state.preferences.theme = chosen
        for (background, name) in [(RGB.black, "dark"), (RGB(255, 255, 255), "light"), (RGB.black, "dark")] {
            _ = state.update(.input(.reply(.background(background))))
            let style = state.grid.style(at: CellPosition(column: 2, row: 0))
            #expect(style == (Theme(named: chosen ?? name)?.sheet(for: state.traits, chosen: nil).colors[.title]))
        }
    }

    @Test("A reply changes nothing that an option fixed")
    func fixed() {
        var state = AppState.fresh {
            $0.fixesBackground = true
            $0.fixesColor = true
        }
        state.traits.depth = .palette256
        state.terminal.depth = .palette256
        for reply in [TerminalReply.background(RGB(1, 1, 1)), .darkMode(false), .truecolor(true)] {
            #expect(state.update(.input(.reply(reply))).isEmpty)
        }
        #expect(state.traits.depth == .palette256)
        state.press(",jjj")
        #expect(state.press("l").contains { if case .setTraits = $0 { true } else { false } } == false)
    }

    @Test("The truecolor reply raises only 256 colours", arguments: ColorDepth.allCases)
    func depth(depth: ColorDepth) {
        var state = AppState(traits: .example(80, 24, depth))
        #expect(state.update(.input(.reply(.truecolor(false)))).isEmpty)
        _ = state.update(.input(.reply(.truecolor(true))))
        #expect(state.traits.depth == (depth == .palette256 ? .truecolor : depth))
    }

    @Test("The cell size sets the aspect, and nonsense changes nothing")
    func aspect() {
        var state = AppState.fresh()
        #expect(state.update(.input(.reply(.cellPixels(width: 10, height: 22)))) == [.setTraits(state.traits)])
        #expect(state.traits.aspect == CellAspect(cellWidth: 10, cellHeight: 22))
        for (width, height) in [(0, 0), (-1, 5), (Int.max, Int.min), (100, 1)] {
            #expect(state.update(.input(.reply(.cellPixels(width: width, height: height)))).isEmpty)
        }
    }

    private func state(_ variables: [String: String]) -> AppState {
        let all = ["TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"].merging(variables) { $1 }
        return .listing { $0.pixelSupport = PixelSupport { all[$0] } }
    }

    private func effects(of replies: TerminalReply..., in state: inout AppState) -> [BrowserEffect] {
        replies.flatMap { state.update(.input(.reply($0))) }
    }

    @Test("Replies set how all images are drawn; stored once")
    func pixels() throws {
        var state = state([:])
        #expect(effects(of: .version("kitty(0.40.0)"), .graphics(true), in: &state).isEmpty, "DA1 follows")
        let effects = effects(of: .attributes([62]), in: &state)
        #expect(state.traits.pixels == .kitty && state.traits.usesPlaceholders)
        #expect(effects.contains(.setTraits(state.traits)))
        #expect(effects.contains { if case .store(.answers(let answers)) = $0 { answers.isComplete } else { false } })
        #expect(self.effects(of: .version("kitty(0.40.0)"), .attributes([62]), in: &state).isEmpty)
    }

    @Test("A user who chose symbols gets the finest, whatever the terminal replies; an option forces a mode")
    func chosenPixels() {
        var state = state([:])
        state.press(",jjjj")
        state.press("l")
        #expect(state.preferences.prefersSymbols && state.traits.pixels == .half)
        _ = effects(of: .version("kitty(0.40.0)"), .graphics(true), .attributes([62]), in: &state)
        #expect(state.traits.pixels == .octant)
        state.press("h")
        #expect(state.traits.pixels == .kitty)
        state.options.pixels = .sextant
        state.choosePixels()
        #expect(state.traits.pixels == .sextant)
    }

    @Test("The size of a cell is the terminal's reply, unless an option fixes it")
    func cellPixels() {
        var state = state([:])
        _ = effects(of: .windowPixels(width: 1200, height: 800), in: &state)
        #expect(state.traits.cellPixels == PixelSize(width: 10, height: 20))
        _ = effects(of: .cellPixels(width: 9, height: 18), .windowPixels(width: 2400, height: 1600), in: &state)
        #expect(state.traits.cellPixels == PixelSize(width: 9, height: 18))
        _ = state.update(.resized(CellSize(clamping: 60, 20), cellPixels: PixelSize(width: 12, height: 24)))
        #expect(state.traits.cellPixels == PixelSize(width: 12, height: 24))
        var fixed = AppState.fresh { $0.fixesCellPixels = true }
        _ = effects(of: .cellPixels(width: 9, height: 18), in: &fixed)
        #expect(fixed.traits.cellPixels == nil)
    }
}

@Suite("Search panel")
struct SearchOverlayTests {
    @Test("It opens with the current search, and Escape changes nothing")
    func escape() {
        var state = AppState.listing()
        state.press("jjj")
        #expect(state.press("/").isEmpty && state.searchText == "apollo")
        #expect(state.press(" 12\u{1B}").isEmpty && state.top == .list && state.selected == 3)
        state.press("/")
        #expect(state.searchText == "apollo")
    }

    @Test("A new search replaces the list and drops older results")
    func replaced() {
        var state = AppState.detailing()
        state.press("/")
        state.press(.end)
        let replacing = state.press(" 12\r").deliberate
        #expect(
            replacing == [
                .store(.place(SavedPlace(search: "apollo", position: 0, source: "nasa"))),
                .searching(2, "apollo 12", at: 0),
            ])
        #expect(state.screens == [.home(SearchScreen()), .list])
        #expect(state.images.pictures.isEmpty && state.images.requests == PictureRequests())
        for result in [Result<PageAnswer, BrowserError>.success(answer(100..<200)), .failure(gone)] {
            #expect(state.update(.page(generation: 1, .next, result)).isEmpty)
        }
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
        #expect(effects.deliberate == [.cancelSearch] && effects.requests == PictureRequests())
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

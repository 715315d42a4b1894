import SpyglassCatalog
import SpyglassFetching
import Testing

@testable import SpyglassBrowser
@testable import SpyglassTerminalUI

@Suite("Click targets")
struct ClickTargetTests {
    @Test("Every cell of a photo hits it, and no other cell does", arguments: [Language.english, .arabic])
    func photos(language: Language) {
        for (columns, rows) in [(1, 1), (5, 3), (20, 5), (80, 24), (120, 40), (300, 80)] {
            for arrangement in Preferences.Arrangement.allCases {
                for density in ListGeometry.densities.indices {
                    var states = ExampleStates(.example(columns, rows), language: language)
                    states.preferences.arrangement = arrangement
                    states.preferences.density = density
                    states.pictures = 0
                    let state = states.list()
                    let geometry = state.geometry
                    let frame = BrowserView.frame(of: state)
                    for position in geometry.positions(from: 0) {
                        guard var area = geometry.area(of: position, from: 0) else { continue }
                        area = area.intersection(geometry.area)
                        if language.isRightToLeft { area.column = columns - area.endColumn }
                        let wanted = state.list?.photo(at: position) == nil ? nil : ClickTarget.photo(position)
                        for place in [area.first, area.last] {
                            #expect(frame.target(at: place) == wanted, "\(state.traits.size) \(place)")
                        }
                    }
                }
            }
        }
        let frame = BrowserView.frame(of: ExampleStates(.example(80, 24)).list())
        for place in [(0, -1), (-1, 3), (80, 3), (3, 24), (Int.max, Int.max), (Int.min, Int.min)] {
            #expect(frame.target(at: CellPosition(column: place.0, row: place.1)) == nil)
        }
    }

    @Test("A choice is searched by a click, and the field takes the caret back")
    func home() {
        var state = ExampleStates(.example(80, 24)).home(SearchScreen(choice: 1))
        state.click("Search for photos")
        #expect(state.top == .home(SearchScreen()))
        state.click("earth from orbit")
        #expect(state.list?.search == "earth from orbit")
        var resumed = ExampleStates(.example(80, 24)).home()
        resumed.click("Continue")
        #expect(resumed.list?.awaitedStart == .position(811))
    }

    @Test("A click chooses a setting, the next changes it, marks go both ways")
    func settings() {
        for language in [Language.english, .arabic] {
            var state = ExampleStates(.example(80, 24), language: language).list()
            state.screens.append(.settings(SettingsScreen()))
            state.click(Setting.mouse.label(in: state))
            #expect(state.settings?.chosen == .mouse && state.preferences.usesMouse)
            state.click(Setting.mouse.label(in: state))
            #expect(!state.preferences.usesMouse)
            state.click(Setting.density.label(in: state))
            state.click("›")
            #expect(state.preferences.density == 3)
            state.click("‹")
            state.click("‹")
            #expect(state.preferences.density == 1)
        }
    }

    @Test("Keys can be clicked in the footer and in panels")
    func keys() {
        var list = ExampleStates(.example(80, 24)).list()
        list.click("? help")
        #expect(list.top == .help(HelpScreen()))
        var failed = ExampleStates(.example(80, 24)).list()
        failed.screens.append(ExampleStates(.example(80, 24)).alert)
        failed.click("Enter retry")
        #expect(failed.top == .list && failed.list?.awaited != nil)
        var saved = ExampleStates(.example(80, 24)).list()
        saved.screens.append(.save(.example()))
        saved.click("Esc cancel")
        #expect(saved.top == .list)
    }

    @Test("Nothing behind a panel or a notice can be clicked")
    func covered() {
        var state = ExampleStates(.example(120, 40)).list()
        state.screens.append(ExampleStates(.example(120, 40)).alert)
        let frame = BrowserView.frame(of: state)
        let places = [(3, 38), (60, 12)].map { CellPosition(column: $0.0, row: $0.1) }
        #expect(places.allSatisfy { frame.target(at: $0) == nil })
        var noted = ExampleStates(.example(120, 40)).list()
        noted.notice = .hint(DetailTexts.all.noPage)
        noted.click("This photo")
        #expect(noted.top == .list && noted.notice == nil)
    }
}

@Suite("Clicks on targets of an earlier screen")
struct EarlierClickTests {
    @Test(
        "A target of a screen below does nothing over an alert",
        arguments: [ClickTarget.photo(1), .choice(0), .setting(.mouse), .step(1), .field])
    func covered(target: ClickTarget) {
        var state = ExampleStates(.example(80, 24)).list()
        state.screens.append(ExampleStates(.example(80, 24)).alert)
        let before = state
        #expect(state.update(.click(target)).deliberate.isEmpty)
        #expect(state.screens == before.screens && state.selected == before.selected)
    }
}

extension CellArea {
    fileprivate var first: CellPosition { CellPosition(column: column, row: row) }
    fileprivate var last: CellPosition { CellPosition(column: endColumn - 1, row: endRow - 1) }
}

extension AppState {
    /// Clicks on a text of the screen.
    fileprivate mutating func click(_ text: String) {
        let frame = BrowserView.frame(of: self)
        let grid = frame.grid
        for row in 0..<grid.size.rows {
            let line = grid.text(ofRow: row)
            guard let place = line.indices.first(where: { line[$0...].hasPrefix(text) }) else { continue }
            let column = line[..<place].reduce(0) { $0 + max(CharacterWidth.of($1), 0) }
            _ = update(.click(frame.target(at: CellPosition(column: column, row: row))))
            return
        }
        Issue.record("'\(text)' is not on the screen")
    }
}

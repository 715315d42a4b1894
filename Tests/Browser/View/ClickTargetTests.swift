import SpyglassCatalog
import Testing

@testable import SpyglassBrowser
@testable import SpyglassTerminalUI

@Suite("What the mouse presses")
struct TargetTests {
    @Test("Every cell of every photo is the photo's, and no other cell is", arguments: [Language.english, .arabic])
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
                    for position in geometry.positions(from: 0) {
                        guard var area = geometry.area(of: position, from: 0) else { continue }
                        area = area.intersection(geometry.area)
                        if language.isRightToLeft { area.column = columns - area.endColumn }
                        let wanted = state.list?.photo(at: position) == nil ? nil : ClickTarget.photo(position)
                        for place in [area.first, area.last] {
                            #expect(BrowserView.target(at: place, of: state) == wanted, "\(state.look.size) \(place)")
                        }
                    }
                }
            }
        }
        let state = ExampleStates(.example(80, 24)).list()
        for place in [(0, -1), (-1, 3), (80, 3), (3, 24), (Int.max, Int.max), (Int.min, Int.min)] {
            #expect(BrowserView.target(at: CellPosition(column: place.0, row: place.1), of: state) == nil)
        }
    }

    @Test("What is offered under the field is searched for by a click, and a click on the field leads back into it")
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

    @Test("A click on a setting chooses it, another one changes it, and its marks go both ways")
    func settings() {
        for language in [Language.english, .arabic] {
            var state = ExampleStates(.example(80, 24), language: language).list()
            state.screens.append(.settings(SettingsScreen()))
            let words = UIStrings(language).settings
            state.click(words.mouse)
            #expect(state.settings?.chosen == .mouse && state.preferences.usesMouse)
            state.click(words.mouse)
            #expect(!state.preferences.usesMouse)
            state.click(words.density)
            state.click("›")
            #expect(state.preferences.density == 3)
            state.click("‹")
            state.click("‹")
            #expect(state.preferences.density == 1)
        }
    }

    @Test("Keys that are shown can be clicked: in the last line, and in a panel")
    func keys() {
        var list = ExampleStates(.example(80, 24)).list()
        list.click("? help")
        #expect(list.top == .help(scroll: 0))
        var failed = ExampleStates(.example(80, 24)).list()
        failed.screens.append(ExampleStates(.example(80, 24)).alert)
        failed.click("Enter retry")
        #expect(failed.top == .list && failed.list?.awaited != nil)
        var saved = ExampleStates(.example(80, 24)).list()
        saved.screens.append(.save(SaveScreen(path: "a.jpg", stage: .ready(bytes: 7))))
        saved.click("Esc cancel")
        #expect(saved.top == .list)
    }

    @Test("What stands behind a panel, or under what is said, cannot be pressed")
    func covered() {
        var state = ExampleStates(.example(120, 40)).list()
        state.screens.append(ExampleStates(.example(120, 40)).alert)
        #expect(BrowserView.target(at: CellPosition(column: 3, row: 38), of: state) == nil)
        #expect(BrowserView.target(at: CellPosition(column: 60, row: 12), of: state) == nil)
        var noted = ExampleStates(.example(120, 40)).list()
        noted.notice = .noPage
        noted.click("This photo")
        #expect(noted.top == .list && noted.notice == nil)
    }
}

extension CellArea {
    fileprivate var first: CellPosition { CellPosition(column: column, row: row) }
    fileprivate var last: CellPosition { CellPosition(column: endColumn - 1, row: endRow - 1) }
}

extension BrowserState {
    /// Clicks where a text stands on the screen.
    fileprivate mutating func click(_ text: String) {
        let grid = BrowserView.grid(of: self)
        for row in 0..<grid.size.rows {
            let line = grid.text(ofRow: row)
            guard let place = line.indices.first(where: { line[$0...].hasPrefix(text) }) else { continue }
            let column = line[..<place].reduce(0) { $0 + max(CharacterWidth.of($1), 0) }
            _ = update(.input(.mouse(MouseEvent(.press(.left), at: CellPosition(column: column, row: row)))))
            return
        }
        Issue.record("there is no '\(text)' on the screen")
    }
}

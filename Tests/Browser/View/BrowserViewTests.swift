import SpyglassCatalog
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser
@testable import SpyglassTerminalUI

@Suite("BrowserView")
struct BrowserViewTests {
    @Test("Rows stay in place for images, failures and missing images")
    func stable() {
        var nothing = ExampleStates(.example(120, 40))
        nothing.pictures = -1
        var all = ExampleStates(.example(120, 40))
        all.pictures = 99
        for make in [{ $0.list() }, { $0.grid() }] as [(ExampleStates) -> AppState] {
            let before = BrowserView.frame(of: make(nothing)).grid
            let after = BrowserView.frame(of: make(all)).grid
            let geometry = make(all).geometry
            let width = geometry.thumbnail?.columns ?? 0
            let top = geometry.area.row
            let captions = [0, 1].flatMap { row in
                (0..<geometry.captionRows).map { top + (row + 1) * geometry.itemRows - 2 - $0 }
            }
            let text = geometry.isGrid ? captions : Array(top..<geometry.area.endRow)
            for row in text {
                let skip = geometry.isGrid ? 0 : 2 + width
                #expect(before.text(ofRow: row).dropFirst(skip) == after.text(ofRow: row).dropFirst(skip))
            }
        }
    }

    @Test("What is around a panel stays as it is")
    func around() throws {
        let states = ExampleStates(.example(80, 24))
        let before = BrowserView.frame(of: states.list()).grid
        let after = BrowserView.frame(of: states.over(states.alert)).grid
        let box = try #require(states.list().geometry.thumbnail)
        var pictures = 0
        for column in 2..<2 + box.columns {
            let position = CellPosition(column: column, row: 3)
            if before.style(at: position).background.channels != nil { pictures += 1 }
            #expect(before.style(at: position) == after.style(at: position))
        }
        #expect(pictures > 2)
    }

    @Test("Page addresses are hyperlinks, also right-to-left")
    func link() throws {
        for language in [Language.english, .arabic] {
            var states = ExampleStates(.example(80, 24))
            states.preferences.language = language
            var state = states.list()
            #expect(state.grid.link == nil)
            state.notice = .link("https://images.nasa.gov/details/PIA00342")
            let grid = state.grid
            let link = try #require(grid.link)
            #expect(link.address == "https://images.nasa.gov/details/PIA00342")
            let line = grid.cells[link.area.row * 80 + link.area.column..<link.area.row * 80 + link.area.endColumn]
            #expect(line.map { grid.string(of: $0) }.joined().hasSuffix("PIA00342"))
            #expect(line.first.map { grid.string(of: $0) } != " ")
        }
    }

    @Test("Sizes are rounded to two or three digits")
    func byteText() {
        let context = RenderContext(.fresh())
        for (bytes, text) in [
            (999, "999 B"), (1000, "1.0 KB"), (1049, "1.0 KB"), (1050, "1.1 KB"), (9949, "9.9 KB"), (9950, "10 KB"),
            (189_785, "190 KB"), (190_000, "190 KB"), (999_499, "999 KB"), (999_500, "1.0 MB"), (2_097_152, "2 MiB"),
            (0, "0 B"), (Int.max, "9.2 EB"), (Int.min + 1, "9.2 EB"),
        ] {
            #expect(context.size(bytes) == text)
        }
    }

    @Test("Without colour one mark shows the selection")
    func selection() {
        for glyphs in [GlyphSet.utf8, .ascii] {
            var states = ExampleStates(.example(80, 24, .monochrome, glyphs: glyphs))
            for density in ListGeometry.densities.indices {
                states.preferences.density = density
                for selected in 0..<2 {
                    var state = states.list()
                    state.list?.selected = selected
                    let marked = state.rows.indices.filter {
                        state.rows[$0].hasPrefix(glyphs == .utf8 ? "▌" : ">")
                    }
                    let area = state.geometry.area(of: selected, from: 0)
                    #expect(marked.first == area?.row)
                    #expect(marked.allSatisfy { (area?.row ?? 0) <= $0 && $0 < area?.endRow ?? 0 })
                }
            }
        }
    }

    @Test("The header has position and total, also on a narrow screen")
    func count() {
        for columns in [20, 40, 80, 120] {
            var state = ExampleStates(.example(columns, 24)).list()
            state.list?.selected = 36
            state.activity.isStale = true
            #expect(state.rows[0].hasSuffix("37 of 10,000"), "\(columns)")
        }
    }

    @Test("An error is translated first, and addresses are hosts")
    func reasonFirst() {
        let reason = "https://images-api.nasa.gov/search?q=moon&page=1: Could not resolve host"
        let problem = BrowserError(reason: reason, kind: .unreachable)
        for language in Language.allCases {
            let states = ExampleStates(.example(80, 24), language: language)
            var state = states.list()
            state.notice = .failed(problem)
            let headline = TerminalText(cleaning: UIStrings(language).headline(of: problem) ?? "").string
            #expect(UIStrings(language).text(of: problem) == headline + ": images-api.nasa.gov: Could not resolve host")
            #expect(state.rows[23].contains(headline))
            state = states.over(.alert(Alert(subject: .search("moon"), error: problem)))
            let text = state.rows.joined(separator: "\n")
            #expect(text.contains(headline) && text.contains("images-api.nasa.gov: Could") && !text.contains("page=1"))
        }
        #expect(ShortAddresses.text("a https:// and (http://[::1]:80/x).") == "a https:// and (http://[::1]:80/x).")
        #expect(ShortAddresses.text("no http://[::1]:80/x, b") == "no [::1]:80, b")
    }

    @Test(
        "A narrow caption keeps the year, and the name as long as it can",
        arguments: [
            (60, "NASA/Bill Ingalls · NASA Johnson (JSC) · 24 November 1981"),
            (51, "NASA/Bill Ingalls · NASA Johnson (JSC) · 1981-11-24"), (36, "NASA/Bill Ingalls · 24 November 1981"),
            (35, "NASA/Bill Ingalls · 1981-11-24"), (29, "NASA/Bill Ingalls · 1981"), (24, "NASA/Bill Ingalls · 1981"),
            (22, "NASA/Bil… · 1981-11-24"), (20, "NASA/Bill In… · 1981"), (15, "NASA/Bi… · 1981"),
            (14, "1981-11-24"), (10, "1981-11-24"), (9, "1981"), (4, "1981"),
        ])
    func narrow(columns: Int, line: String) {
        var photo = ExamplePhotos.other(9)
        photo.photographer = "NASA/Bill Ingalls"
        photo.date = "1981-11-24T00:00:00Z"
        let state = ExampleStates(.example(80, 24)).list()
        let item = ListItem(
            context: RenderContext(state), photo: photo, geometry: state.geometry, isSelected: false, isMarked: false)
        let lines = item.lines(in: columns, rows: 2, on: BrowserView.canvas(for: state))
        #expect(lines.last?.text.string == line)
    }

    @Test("A long name in a grid loses its middle, and that of a file its extension first")
    func longNames() {
        let names = [("2024.06.12 Geburtstag Oma Ida", true), ("2024.06.12 Geburtstag Oma Ida.jpeg", false)]
        var state = AppState.fresh(columns: 60)
        _ = state.update(.startedWithFiles(ExampleFolder().query))
        state.deliver(
            PageAnswer(
                photos: names.map { ExampleFolder().photo($0, isFolder: $1) }, firstPosition: 0, total: .exact(2),
                isAtStart: true, isAtEnd: true))
        state.press("v")
        let text = state.rows.joined(separator: "\n")
        #expect(text.split(separator: "2024.06").count - 1 == 2 && !text.contains(".jpeg"), "\(text)")
        #expect(text.split(separator: "Oma Ida").count - 1 == 2, "\(text)")
    }

    @Test(
        "Pictures of a grid are in the middle of their cells, between the ends of header and footer",
        arguments: [30, 80, 100, 120, 200])
    func margins(columns: Int) {
        for isCropped in [false, true] {
            var states = ExampleStates(.example(columns, 40))
            states.preferences.cropsGrid = isCropped
            let state = states.grid()
            let lines = state.rows
            let canvas = BrowserView.canvas(for: state)
            let box = state.geometry.area(of: 0, from: 0).flatMap { ListItem.box(in: $0, state.geometry, on: canvas) }
            #expect(box?.column == 2)
            #expect(lines[0].prefix { $0 == " " }.count == 2 && lines[39].prefix { $0 == " " }.count == 2)
            let last = state.geometry.columns - 1
            let end = state.geometry.area(of: last, from: 0)?.endColumn
            #expect(last == 0 || end == columns - 1, "as the header")
            // The square picture is narrower than its box.
            guard last > 0, let area = state.geometry.area(of: 1, from: 0), let picture = state.geometry.thumbnail
            else { continue }
            let grid = state.grid
            let row = area.row + picture.rows / 2
            func isFree(_ column: Int) -> Bool {
                grid.style(at: CellPosition(column: column, row: row)) == .plain
            }
            #expect(isFree(area.column + 1) == !isCropped && isFree(area.endColumn - 1) == !isCropped)
            #expect(!isFree(area.column + 1 + picture.columns / 2))
        }
    }

    @Test("The selected name of a grid is in inverse, others have normal weight; without colours a mark precedes it")
    func selectedName() throws {
        let states = ExampleStates(.example(120, 40))
        var state = states.grid()
        let area = try #require(state.geometry.area(of: 1, from: 0))
        let row = area.row + (state.geometry.thumbnail?.rows ?? 0)
        func inverse(_ state: AppState) -> [Int] {
            let grid = state.grid
            return (0..<120).filter {
                grid.style(at: CellPosition(column: $0, row: row)).attributes.contains(.reverse)
            }
        }
        let found = inverse(state)
        #expect(!found.isEmpty && found.allSatisfy { (area.column..<area.endColumn).contains($0) })
        state.list?.selected = 0
        #expect(!inverse(state).isEmpty && Set(inverse(state)).isDisjoint(with: found))
        let plain = ExampleStates(.example(120, 40, .monochrome)).grid()
        #expect(inverse(plain).isEmpty && plain.rows[row].contains("▌"))
    }

    @Test("Home is a block in the middle: the field is as wide as the row of pictures, the source at its end")
    func home() throws {
        for (columns, height) in [(80, 24), (160, 50)] {
            let state = ExampleStates(.example(columns, height)).homePictures()
            let field = try #require(state.rows.firstIndex { $0.contains("Search for photos") })
            let grid = state.grid
            let style = state.sheet.styles(at: state.traits.depth)[.field].background
            let filled = (0..<columns).filter {
                grid.style(at: CellPosition(column: $0, row: field)).background == style
            }
            let (first, last) = (try #require(filled.first), try #require(filled.last))
            #expect(last - first + 1 == max(state.homeGeometry.columns(of: state.homePhotos.count), 64))
            #expect(abs(first - (columns - 1 - last)) <= 2 && state.rows[field].hasSuffix("nasa"))
            let name = try #require(state.rows.firstIndex { $0.contains("Spyglass") })
            #expect(name < field && state.images.pictures.keys.allSatisfy(\.isCropped))
        }
    }

    @Test("The licence of a photo is in every row of the list that has room, and beside its title")
    func licenses() {
        var states = ExampleStates(.example(120, 24))
        #expect(!states.list().rows.joined().contains("CC BY"))
        states.photos[1].license = "CC BY-SA 4.0"
        states.photos[1].photographer = "Ann"
        #expect(states.list().rows.joined().contains("CC BY-SA 4.0"))
        states.traits.size = CellSize(clamping: 200, 24)
        #expect(states.lines().rows.contains { $0.contains("CC BY-SA 4.0  Ann") })
        var small = ExampleStates(.example(80, 24))
        small.photos[1].license = "CC BY-SA 4.0"
        small.photos[1].photographer = "Ann"
        var state = small.list()
        state.press("\r")
        #expect(state.rows.contains { $0.contains("Ann · ") && $0.contains("CC BY-SA 4.0") })
    }

    @Test("Stale images have a mark, and an archive is named after its source")
    func stale() throws {
        for arrangement in Preferences.Arrangement.allCases {
            var states = ExampleStates(.example(80, 24))
            states.preferences.arrangement = arrangement
            states.options.archiveHolds = ["earth"]
            var state = states.list()
            #expect(!state.rows.joined().contains("↻"))
            let box = try #require(state.geometry.thumbnail)
            let address = try #require(state.list?.photos[0].thumbnail)
            let key = PictureKey(address: address, box: box)
            guard case .shown(let image, _, _, _)? = state.images.pictures[key] else {
                Issue.record("no image")
                return
            }
            state.images.pictures[key] = .shown(image, isFinal: true, isStale: true)
            #expect(state.rows.joined().count { $0 == "↻" } == 1 && state.rows[0].contains("nasa (archive)"))
        }
    }

    @Test("A notice shares the line with the keys, and has no control characters")
    func notice() {
        var state = ExampleStates(.example(80, 24)).list()
        state.notice = .problem("disk \u{1B}[31mfull")
        #expect(state.rows[23].contains("disk") && !state.rows[23].contains("\u{1B}"))
        #expect(state.rows[23].contains("full   Enter open"))
        state.notice = .problem(String(repeating: "disk full ", count: 20))
        #expect(!state.rows[23].contains("Enter") && state.rows[23].hasSuffix("…"))
    }

    @Test("ASCII frames are ASCII, and frames without images only text")
    func plain() {
        let drawing: Set<Character> = ["│", "─", "╭", "╮", "╰", "╯", "░", "█", "▌", "▀"]
        for example in FrameTests.Example.allCases {
            let ascii = example.state(FrameTests.Setting.ascii.states(80, 24))
            #expect(ascii.rows.joined().unicodeScalars.allSatisfy { $0.isASCII }, "\(example)")
        }
        for example in [FrameTests.Example.list, .detail, .alert, .search] {
            let plain = example.state(FrameTests.Setting.plain.states(80, 24))
            let text = plain.rows.joined().filter { drawing.contains($0) }
            #expect(text.isEmpty, "\(example)")
        }
    }

    @Test("Without colour only images are styled")
    func colourless() {
        for example in FrameTests.Example.allCases {
            let grid = BrowserView.frame(of: example.state(FrameTests.Setting.none.states(80, 24))).grid
            #expect(grid.cells.allSatisfy { $0.style == .plain }, "\(example)")
        }
    }

    @Test("The caret follows the typed text, also in long and empty fields")
    func caret() {
        let view = BrowserView.self
        for text in ["", "moon", "日本語の検索", String(repeating: "long ", count: 60)] {
            for columns in [10, 20, 80, 200] {
                let state = ExampleStates(.example(columns, 24)).home(SearchScreen(field: TextField(text)))
                let grid = view.frame(of: state).grid
                #expect(grid.cursor.map { grid.area.contains($0) } == true, "\(text) \(columns)")
            }
        }
        var field = TextField("ab")
        field.after = "cd"
        let grid = view.frame(of: ExampleStates(.example(80, 24)).home(SearchScreen(field: field))).grid
        let cursor = grid.cursor ?? CellPosition(column: 0, row: 0)
        #expect(grid.string(of: grid.cells[cursor.row * 80 + cursor.column]) == "c")
        let chosen = ExampleStates(.example(80, 24)).home(SearchScreen(choice: 0))
        #expect(view.frame(of: chosen).grid.cursor == nil)
    }

    @Test("No key is shown that does nothing")
    func idleKeys() {
        let states = ExampleStates(.example(120, 40))
        #expect(states.list().hints.contains(.toggleArrangement))
        let idle: Set<Action> = [.open, .toggleArrangement, .looser, .denser]
        #expect(idle.isDisjoint(with: states.empty().hints))
        let sizes = [(200, 90), (80, 10)]
        let help = sizes.map { ExampleStates(.example($0.0, $0.1)).over(.help(HelpScreen())).hints }
        #expect(help == [[.back], [.up, .down, .pageUp, .pageDown, .back]])
    }

    @Test("Without images, keys, help and settings offer nothing about them, and the keys do nothing")
    func withoutImages() {
        var states = ExampleStates(.example(120, 40))
        states.options.showsImages = false
        for state in [states.list(), states.detail()] {
            #expect(state.hints.filter(\.needsImages).isEmpty && !state.hints.isEmpty)
            for action in Action.withKeys where action.needsImages {
                var pressed = state
                var effects: Effects = []
                pressed.perform(action, &effects)
                #expect(pressed.screens == state.screens && pressed.preferences == state.preferences)
                #expect(pressed.notice == nil)
            }
        }
        let strings = UIStrings(.english)
        let help = states.over(.help(HelpScreen())).rows.joined(separator: "\n")
        for action in Action.withKeys where action.needsImages {
            let name = action.name(in: strings)
            // "larger" is also the name of a text's size.
            #expect(!help.contains(" \(name)  ") || [.zoomIn, .zoomOut].contains(action), "\(name)")
        }
        let settings = states.over(.settings(SettingsScreen())).rows.joined(separator: "\n")
        let state = states.list()
        for setting in [Setting.pixels, .animations, .arrangement] {
            #expect(!settings.contains(setting.label(in: state)))
        }
        #expect(settings.contains(Setting.density.label(in: state)) && settings.contains("Disk cache"))
    }

    @Test("Plus and minus share a label")
    func pairs() {
        let state = ExampleStates(.example(120, 40)).list()
        let hints = KeyHints(state: state, strings: UIStrings(.english), glyphs: .utf8).hints
        #expect(hints.contains { "\($0.key) \($0.label)" == "-+ size" })
    }

    @Test("Help has whole names from 60 columns on, and scrolls to its last line", arguments: Language.allCases)
    func wholeNames(language: Language) {
        for (columns, height) in [(60, 10), (120, 40), (200, 60)] {
            var state = ExampleStates(.example(columns, height), language: language).over(.help(HelpScreen()))
            var seen: Set<String> = []
            while true {
                let before = state.top
                seen.formUnion(state.rows)
                _ = state.update(.input(.key(Key(.pageDown))))
                if state.top == before { break }
            }
            let text = seen.joined(separator: "\n")
            #expect(!text.contains("…"), "\(columns)")
            for line in HelpView.sections(of: state, UIStrings(language)).joined() {
                let labels = [line.label, line.name].map { TerminalText(cleaning: $0).string }
                #expect(labels.contains { !$0.isEmpty && text.contains($0) }, "\(line.label) \(columns)")
            }
        }
    }
}

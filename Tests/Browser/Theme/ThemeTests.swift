import Testing

@testable import SpyglassBrowser
@testable import SpyglassTerminalUI

@Suite("Themes")
struct ThemeTests {
    /// Minimum contrast ratios of text (WCAG 2.2, 1.4.3), and of large text and signs (1.4.11).
    private static let textRatio = 4.5
    private static let dimTextRatio = 3.0

    /// Common backgrounds, on which a theme must be readable.
    private static let darkBackgrounds = [RGB.black, RGB(30, 30, 30), RGB(40, 44, 52), RGB(0, 43, 54)]
    private static let lightBackgrounds = [RGB(255, 255, 255), RGB(253, 246, 227), RGB(239, 241, 245)]

    @Test("All text is readable on the theme's backgrounds")
    func contrast() {
        for (sheet, backgrounds) in [(ThemeSheet.dark, Self.darkBackgrounds), (.light, Self.lightBackgrounds)] {
            for role in ThemeRole.allCases {
                let style = sheet.colors[role]
                guard let text = style.foreground.channels else {
                    #expect(style.foreground == .terminalDefault && style.background == .terminalDefault, "\(role)")
                    continue
                }
                let least = role == .dim || role == .placeholder ? Self.dimTextRatio : Self.textRatio
                for background in style.background.channels.map({ [$0] }) ?? backgrounds {
                    let ratio = Contrast.ratio(text, background)
                    #expect(ratio >= least, "\(sheet.name) \(role) has \(ratio) on \(background)")
                }
            }
        }
    }

    /// Magenta and red in the palettes of VGA, xterm, Tango and Solarized.
    @Test(
        "The neutral theme's colours differ from black and white",
        arguments: [
            (RGB(170, 0, 170), RGB(170, 0, 0)), (RGB(205, 0, 205), RGB(205, 0, 0)),
            (RGB(117, 80, 123), RGB(204, 0, 0)), (RGB(211, 54, 130), RGB(220, 50, 47)),
        ])
    func palette(magenta: RGB, red: RGB) {
        let used = Set(ThemeRole.allCases.compactMap { ThemeSheet.neutral.colors[$0].foreground.paletteIndex })
        #expect(used == [1, 5])
        // VGA red has a ratio of 2.6 on black; only bold errors are red.
        for (color, least) in [(magenta, Self.dimTextRatio), (red, 2.5)] {
            #expect(Contrast.ratio(color, .black) >= least && Contrast.ratio(color, RGB(255, 255, 255)) >= least)
        }
    }

    @Test("With sixteen colours titles, selection and dim text differ")
    func sixteen() {
        for sheet in [ThemeSheet.dark, .light, .neutral] {
            let styles = sheet.styles(at: .palette16)
            let roles: [ThemeRole] = [.text, .title, .dim, .selected]
            #expect(Set(roles.map { styles[$0] }).count == roles.count, "\(sheet.name)")
        }
    }

    @Test("Contrast matches WCAG's examples")
    func ratios() {
        let ratios = [RGB.black, RGB(119, 119, 119)].map { Contrast.ratio($0, RGB(255, 255, 255)) }
        #expect(abs(ratios[0] - 21) < 0.001 && abs(ratios[1] - 4.48) < 0.01)
        #expect([RGB(255, 255, 255), RGB(40, 44, 52)].map(Contrast.isLight) == [true, false])
    }

    @Test("The background selects light or dark; while it is unknown, colours are the palette's")
    func automatic() {
        let theme = Theme()
        let backgrounds: [RGB?] = [.black, RGB(250, 250, 240), nil]
        let sheets = backgrounds.map { theme.sheet(for: .example(80, 24, background: $0), chosen: nil) }
        #expect(sheets.map(\.name) == ["dark", "light", "neutral"])
        let colors = sheets[2].colors
        let ownColors = ThemeRole.allCases.filter {
            colors[$0].foreground.channels != nil || colors[$0].background != .terminalDefault
        }
        #expect(ownColors == [] && colors[.selected] != colors[.title])
    }

    @Test("A preference overrides the background, unless unknown")
    func chosen() {
        let theme = Theme()
        let traits = TerminalTraits.example(80, 24, background: .black)
        let chosen = ["light", "mine.json"].map { theme.sheet(for: traits, chosen: $0).name }
        #expect(chosen == ["light", "dark"])
        #expect(Theme.names.allSatisfy { Theme(named: $0) != nil } && Theme(named: "pink") == nil)
    }

    @Test("A user's theme changes what it names, over its background's theme")
    func overlay() throws {
        let text = """
            {"background": "light", "colors": {"title": "bold underline #102030 on red"},
             "marks": {"selection": "→"}, "margins": {"side": 3}}
            """
        let theme = try Theme(parsing: Array(text.utf8), file: "mine.json")
        let sheet = theme.sheet(for: .example(80, 24), chosen: nil)
        #expect(
            sheet.colors[.title]
                == CellStyle(foreground: .rgb(RGB(16, 32, 48)), background: .palette(1), [.bold, .underline]))
        #expect(sheet.colors[.accent] == ThemeSheet.light.colors[.accent])
        #expect(sheet.marks[.selection] == "→" && sheet.marks[.broken] == ThemeSheet.neutral.marks[.broken])
        #expect(sheet.margins == ThemeMargins(side: 3, gap: 2, panel: 2))
    }

    @Test(
        "An error in a theme is one line with place and expected values",
        arguments: [
            ("[]", "the file: expected an object"),
            ("{\n\"colors\" 1}", "line 2: expected a colon"),
            ("{\"colour\": {}}", "the file: 'colour' is unknown; expected name, background, colors,"),
            ("{\"colors\": {\"titel\": \"bold\"}}", "colors: 'titel' is unknown; expected text, title,"),
            ("{\"colors\": {\"dim\": \"bold blurple\"}}", "colors.dim: 'blurple' is not a colour; expected #rrggbb,"),
            ("{\"colors16\": {\"dim\": \"#ffffff\"}}", "colors16.dim: '#ffffff' is not a colour; expected default,"),
            ("{\"colors\": {\"title\": 7}}", "colors.title: expected a string"),
            ("{\"background\": \"pink\"}", "background: 'pink' is unknown; expected dark, light, unknown"),
            ("{\"marks\": {\"selection\": \"=>\"}}", "marks.selection: a mark is one column wide, and '=>' is 2"),
            ("{\"marks\": {\"selection\": \"日\"}}", "marks.selection: a mark is one column wide"),
            ("{\"marksASCII\": {\"selection\": \"▌\"}}", "marksASCII.selection: '▌' is not ASCII"),
            ("{\"marks\": {\"spinner\": []}}", "marks.spinner: a spinner needs at least one frame"),
            ("{\"margins\": {\"side\": 9}}", "margins.side: a margin is 0 to 8 columns"),
            ("{\"margins\": {\"side\": 99999999999999999999}}", "margins.side: a margin is 0 to 8 columns"),
            ("{\"marks\": {\"\\u001b[31m\": \"x\"}}", "marks: '"),
        ])
    func mistakes(text: String, message: String) {
        let error = #expect(throws: BrowserError.self) { try Theme(parsing: Array(text.utf8), file: "mine.json") }
        let said = error?.description ?? ""
        #expect(said.hasPrefix("mine.json: " + message), "\(said)")
        #expect(said.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
    }
}

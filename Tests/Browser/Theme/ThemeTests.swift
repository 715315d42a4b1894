import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Themes")
struct ThemeTests {
    /// Backgrounds that people have: black, and those of common schemes; a theme is readable on each.
    private static let darkBackgrounds = [RGB.black, RGB(30, 30, 30), RGB(40, 44, 52), RGB(0, 43, 54)]
    private static let lightBackgrounds = [RGB(255, 255, 255), RGB(253, 246, 227), RGB(239, 241, 245)]

    @Test("Every text of a theme can be read on every background that it is made for")
    func contrast() {
        for (sheet, backgrounds) in [(ThemeSheet.dark, Self.darkBackgrounds), (.light, Self.lightBackgrounds)] {
            for role in ThemeRole.allCases {
                let style = sheet.colors[role]
                guard let text = style.foreground.channels else {
                    #expect(style.foreground == .terminalDefault && style.background == .terminalDefault, "\(role)")
                    continue
                }
                let least = role == .dim || role == .placeholder ? Contrast.ofDimText : Contrast.ofText
                for background in style.background.channels.map({ [$0] }) ?? backgrounds {
                    let ratio = Contrast.ratio(text, background)
                    #expect(ratio >= least, "\(sheet.name) \(role) has \(ratio) on \(background)")
                }
            }
        }
    }

    /// Magenta and red, by the entries of the palettes of VGA, xterm, Tango and Solarized.
    @Test(
        "The palette's colours of the neutral theme can be told from black and from white",
        arguments: [
            (RGB(170, 0, 170), RGB(170, 0, 0)), (RGB(205, 0, 205), RGB(205, 0, 0)),
            (RGB(117, 80, 123), RGB(204, 0, 0)), (RGB(211, 54, 130), RGB(220, 50, 47)),
        ])
    func palette(magenta: RGB, red: RGB) {
        let used = Set(ThemeRole.allCases.compactMap { ThemeSheet.neutral.colors[$0].foreground.paletteIndex })
        #expect(used == [1, 5])
        // The VGA's red is 2.6 on black: nothing but the word that something failed is red, and that is bold.
        for (color, least) in [(magenta, Contrast.ofDimText), (red, 2.5)] {
            #expect(Contrast.ratio(color, .black) >= least && Contrast.ratio(color, RGB(255, 255, 255)) >= least)
        }
    }

    @Test("With sixteen colours a title and what is chosen look other than text, and dim text is dim")
    func sixteen() {
        for sheet in [ThemeSheet.dark, .light, .neutral] {
            let styles = sheet.styles(at: .palette16)
            let roles: [ThemeRole] = [.text, .title, .dim, .selected]
            #expect(Set(roles.map { styles[$0] }).count == roles.count, "\(sheet.name)")
        }
    }

    @Test("Contrast is what WCAG's own examples say")
    func ratios() {
        #expect(abs(Contrast.ratio(.black, RGB(255, 255, 255)) - 21) < 0.001)
        #expect(abs(Contrast.ratio(RGB(119, 119, 119), RGB(255, 255, 255)) - 4.48) < 0.01)
        #expect(Contrast.isLight(RGB(255, 255, 255)))
        #expect(!Contrast.isLight(RGB(40, 44, 52)))
    }

    @Test("The background decides between light and dark; before it is known no colour is used but the palette's own")
    func automatic() {
        let theme = Theme()
        #expect(theme.sheet(for: .example(80, 24, background: .black), chosen: nil).name == "dark")
        #expect(theme.sheet(for: .example(80, 24, background: RGB(250, 250, 240)), chosen: nil).name == "light")
        let neutral = theme.sheet(for: .example(80, 24, background: nil), chosen: nil)
        for role in ThemeRole.allCases {
            #expect(
                neutral.colors[role].foreground.channels == nil && neutral.colors[role].background == .terminalDefault)
        }
        #expect(neutral.colors[.selected] != neutral.colors[.title])
    }

    @Test("What the user chose is stronger than the background, and an unknown name is not")
    func chosen() {
        let theme = Theme()
        let traits = TerminalTraits.example(80, 24, background: .black)
        #expect(theme.sheet(for: traits, chosen: "light").name == "light")
        #expect(theme.sheet(for: traits, chosen: "mine.json").name == "dark")
        for name in Theme.names { #expect(Theme(named: name) != nil) }
        #expect(Theme(named: "pink") == nil)
    }

    @Test("Without colour nothing is styled; with sixteen colours no other is used")
    func depths() {
        for sheet in [ThemeSheet.dark, .light, .neutral] {
            #expect(sheet.styles(at: .monochrome) == .plain)
            for role in ThemeRole.allCases {
                let style = sheet.styles(at: .palette16)[role]
                #expect(style.foreground.channels == nil && style.background.channels == nil)
            }
        }
    }

    @Test("A user's theme changes what it names, and the rest is as in the theme for its background")
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
        #expect(sheet.marks[.selection] == "→")
        #expect(sheet.marks[.broken] == ThemeSheet.neutral.marks[.broken])
        #expect(sheet.margins == ThemeMargins(side: 3, gap: 2, panel: 2))
    }

    @Test(
        "A mistake in a theme is one line that says where and what would be right",
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
            ("{\"marks\": {\"spinner\": []}}", "marks.spinner: a spinner has one picture at least"),
            ("{\"margins\": {\"side\": 9}}", "margins.side: a margin is 0 to 8 columns"),
            ("{\"margins\": {\"side\": 99999999999999999999}}", "margins.side: a margin is 0 to 8 columns"),
            ("{\"marks\": {\"\\u001b[31m\": \"x\"}}", "marks: '"),
        ])
    func mistakes(text: String, message: String) {
        let error = #expect(throws: ThemeError.self) { try Theme(parsing: Array(text.utf8), file: "mine.json") }
        let said = error?.description ?? ""
        #expect(said.hasPrefix("mine.json: " + message), "\(said)")
        #expect(said.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
    }

    @Test("A theme that is too long is not read")
    func tooLong() {
        let bytes = [UInt8](repeating: 0x20, count: Theme.byteLimit + 1)
        #expect(throws: ThemeError.self) { try Theme(parsing: bytes, file: "mine.json") }
    }
}

import Testing

@testable import SpyglassTerminalUI

@Suite("TerminalCapabilities")
struct TerminalCapabilitiesTests {
    private typealias Report = TerminalCapabilities.WindowReport

    private func detect(
        _ environment: [String: String], window: TerminalCapabilities.WindowReport? = nil,
        color: TerminalCapabilities.Finding<ColorDepth>? = nil, cells: TerminalCapabilities.Finding<CellSize>? = nil
    ) -> TerminalCapabilities {
        TerminalCapabilities.detect(
            environment: { environment[$0] }, isTerminal: true, window: window, color: color, cells: cells)
    }

    @Test(
        "Colour depth follows the environment, with evidence",
        arguments: [
            (["TERM": "xterm-256color", "COLORTERM": "truecolor"], ColorDepth.truecolor, "COLORTERM=truecolor"),
            (["TERM": "xterm", "COLORTERM": "24bit"], .truecolor, "COLORTERM=24bit"),
            (["TERM": "xterm", "COLORTERM": "TrueColor"], .truecolor, "COLORTERM=TrueColor"),
            (["TERM": "xterm", "COLORTERM": "yes"], .palette256, "TERM=xterm"),
            (["TERM": "xterm-direct"], .truecolor, "TERM=xterm-direct"),
            (["TERM": "foot-direct"], .truecolor, "TERM=foot-direct"),
            (["TERM": "xterm-kitty"], .truecolor, "TERM=xterm-kitty"),
            (["TERM": "xterm-ghostty"], .truecolor, "TERM=xterm-ghostty"),
            (["TERM": "alacritty"], .truecolor, "TERM=alacritty"),
            (["TERM": "st-256color"], .truecolor, "TERM=st-256color"),
            (["TERM": "stterm"], .palette16, "TERM=stterm"),
            (["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"], .truecolor, "TERM_PROGRAM=iTerm.app"),
            (["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"], .palette256, "TERM_PROGRAM=Apple_Terminal"),
            (["TERM": "xterm-256color", "VTE_VERSION": "7600"], .truecolor, "VTE_VERSION=7600"),
            (["TERM": "xterm-256color", "VTE_VERSION": "3405"], .palette256, "TERM=xterm-256color"),
            (["TERM": "xterm-256color", "WT_SESSION": "1"], .truecolor, "Windows Terminal: WT_SESSION is set"),
            (["TERM": "xterm-256color"], .palette256, "TERM=xterm-256color"),
            (["TERM": "mlterm"], .palette256, "TERM=mlterm"),
            (["TERM": "xterm"], .palette256, "TERM=xterm"),
            (["TERM": "xterm-16color"], .palette16, "TERM=xterm-16color"),
            (["TERM": "xterm", "XTERM_VERSION": "XTerm(379)"], .truecolor, "XTERM_VERSION=XTerm(379)"),
            (["TERM": "xterm", "XTERM_VERSION": "XTerm(330)"], .palette256, "TERM=xterm"),
            (["TERM": "xterm", "XTERM_VERSION": "379"], .palette256, "TERM=xterm"),
            (["TERM": "linux"], .palette16, "TERM=linux"),
            (["TERM": "something-new"], .palette16, "TERM=something-new"),
            (["TERM": "vt100"], .monochrome, "TERM=vt100"),
            (["TERM": "xterm-mono"], .monochrome, "TERM=xterm-mono"),
            (["TERM": "dumb"], .monochrome, "TERM=dumb"),
            (["TERM": "dumb", "COLORTERM": "truecolor"], .monochrome, "TERM=dumb"),
            (["TERM": ""], .monochrome, "TERM is not set"),
            ([:], .monochrome, "TERM is not set"),
            (["COLORTERM": "truecolor"], .monochrome, "TERM is not set"),
        ] as [([String: String], ColorDepth, String)])
    func colorDepth(_ environment: [String: String], _ depth: ColorDepth, _ evidence: String) {
        let color = detect(environment).color
        #expect(color.value == depth)
        #expect(color.evidence == evidence)
    }

    @Test("A non-empty NO_COLOR means no colour")
    func noColor() {
        let base = ["TERM": "xterm-256color", "COLORTERM": "truecolor"]
        let off = detect(base.merging(["NO_COLOR": "1"]) { $1 }).color
        #expect(off == .init(.monochrome, evidence: "NO_COLOR=1"))
        #expect(detect(base.merging(["NO_COLOR": ""]) { $1 }).color.value == .truecolor)
    }

    @Test("COLORTERM counts inside tmux, not inside GNU screen")
    func multiplexers() {
        let truecolor = ["COLORTERM": "truecolor"]
        let screen = detect(truecolor.merging(["TERM": "screen-256color", "STY": "1.pts"]) { $1 }).color
        #expect(screen == .init(.palette256, evidence: "inside GNU screen: STY=1.pts"))
        #expect(detect(truecolor.merging(["TERM": "screen"]) { $1 }).color.value == .palette256)
        #expect(detect(truecolor.merging(["TERM": "xterm-256color", "STY": "1"]) { $1 }).color.value == .palette256)
        let tmux = ["TERM": "tmux-256color", "TMUX": "/tmp/tmux,1,0"]
        #expect(detect(tmux.merging(truecolor) { $1 }).color.value == .truecolor)
        #expect(detect(tmux).color.value == .palette256)
        #expect(detect(["TERM": "screen-256color", "TMUX": "x", "COLORTERM": "truecolor"]).color.value == .truecolor)
        let leftOver = tmux.merging(["TERM_PROGRAM": "iTerm.app", "VTE_VERSION": "7600"]) { $1 }
        #expect(detect(leftOver).color.value == .palette256)
    }

    @Test("A requested depth overrides NO_COLOR and a dumb terminal")
    func explicitColor() {
        let asked = TerminalCapabilities.Finding(ColorDepth.palette256, evidence: "--color 256")
        #expect(detect(["NO_COLOR": "1", "TERM": "dumb"], color: asked).color == asked)
    }

    @Test(
        "The first of LC_ALL, LC_CTYPE and LANG decides on UTF-8",
        arguments: [
            (["LANG": "en_US.UTF-8"], GlyphSet.utf8, "LANG=en_US.UTF-8"),
            (["LANG": "en_US.utf8"], .utf8, "LANG=en_US.utf8"),
            (["LANG": "C.UTF-8"], .utf8, "LANG=C.UTF-8"),
            (["LANG": "de_DE.UTF-8@euro"], .utf8, "LANG=de_DE.UTF-8@euro"),
            (["LC_CTYPE": "C.UTF-8", "LANG": "C"], .utf8, "LC_CTYPE=C.UTF-8"),
            (["LC_ALL": "C", "LC_CTYPE": "C.UTF-8", "LANG": "C.UTF-8"], .ascii, "LC_ALL=C"),
            (["LC_ALL": "", "LANG": "C.UTF-8"], .utf8, "LANG=C.UTF-8"),
            (["LANG": "en_US"], .ascii, "LANG=en_US"),
            (["LANG": "en_US.ISO-8859-1"], .ascii, "LANG=en_US.ISO-8859-1"),
            (["LANG": "ja_JP.eucJP"], .ascii, "LANG=ja_JP.eucJP"),
            (["LANG": "POSIX"], .ascii, "LANG=POSIX"),
            ([:], .ascii, "none of LC_ALL, LC_CTYPE and LANG is set"),
        ] as [([String: String], GlyphSet, String)])
    func locale(_ environment: [String: String], _ glyphs: GlyphSet, _ evidence: String) {
        let found = detect(environment.merging(["TERM": "xterm"]) { $1 }).glyphs
        #expect(found == .init(glyphs, evidence: evidence))
    }

    @Test("A dumb or unknown terminal gets ASCII, unless a depth is requested")
    func dumbLocale() {
        let utf8 = ["LANG": "C.UTF-8"]
        #expect(detect(utf8).glyphs == .init(.ascii, evidence: "TERM is not set"))
        #expect(detect(utf8.merging(["TERM": "dumb"]) { $1 }).glyphs == .init(.ascii, evidence: "TERM=dumb"))
        #expect(detect(utf8, color: .init(.truecolor, evidence: "--color")).glyphs.value == .utf8)
        #expect(detect(utf8, color: .init(.monochrome, evidence: "--color")).glyphs.value == .ascii)
        #expect(detect([:], color: .init(.truecolor, evidence: "--color")).glyphs.value == .ascii)
    }

    private func window(_ columns: UInt16, _ rows: UInt16, _ width: UInt16 = 0, _ height: UInt16 = 0) -> Report {
        Report(columns: columns, rows: rows, pixelWidth: width, pixelHeight: height, source: "standard output")
    }

    @Test("The size is the kernel's, else COLUMNS and LINES, else 80x24")
    func size() {
        let variables = ["COLUMNS": "100", "LINES": "30"]
        #expect(
            detect(variables, window: window(120, 40)).size
                == .init(CellSize(clamping: 120, 40), evidence: "TIOCGWINSZ of standard output"))
        #expect(
            detect(variables, window: window(0, 0)).size
                == .init(CellSize(clamping: 100, 30), evidence: "COLUMNS=100; LINES=30"))
        #expect(detect(variables).size.value == CellSize(clamping: 100, 30))
        #expect(detect([:], window: window(0, 0)).size.value == .standard)
        let nothing = "no window size and no COLUMNS: 80; no window size and no LINES: 24"
        #expect(detect([:]).size == .init(.standard, evidence: nothing))
        #expect(detect(["LINES": "50"], window: window(90, 0)).size.value == CellSize(clamping: 90, 50))
    }

    @Test(
        "Invalid COLUMNS and LINES are ignored", arguments: ["0", "-5", "abc", "8 0", "99999", "+80", "1e3"])
    func badVariables(_ text: String) {
        #expect(detect(["COLUMNS": text, "LINES": text]).size.value == .standard)
    }

    @Test("Implausible sizes are clamped, with evidence")
    func absurdSize() {
        let found = detect([:], window: window(65_535, 1)).size
        #expect(found.value == CellSize(clamping: 1000, 1))
        #expect(found.evidence == "TIOCGWINSZ of standard output; 65535x1 is implausible")
    }

    @Test("The largest image leaves one row free, and has at least one")
    func drawingBox() {
        #expect(detect([:], window: window(80, 24)).drawingBox == CellSize(clamping: 80, 23))
        #expect(detect([:], window: window(1, 1)).drawingBox == CellSize(clamping: 1, 1))
    }

    @Test("A requested size overrides the window's")
    func explicitSize() {
        let asked = TerminalCapabilities.Finding(CellSize(clamping: 60, 30), evidence: "--cells 60x30")
        #expect(detect([:], window: window(80, 24), cells: asked).size == asked)
    }

    @Test("A plausible cell shape is the window's pixels by its cells")
    func aspect() throws {
        let found = detect([:], window: window(80, 24, 800, 480)).aspect
        #expect(
            found
                == .init(
                    try #require(CellAspect(cellWidth: 10, cellHeight: 20)),
                    evidence: "10x20 pixels by TIOCGWINSZ of standard output"))
        #expect(SymbolSet.half.pixelAspect(of: found.value) == 0.5)
        let narrow = detect([:], window: window(100, 50, 900, 900)).aspect.value
        #expect(narrow == CellAspect(cellWidth: 9, cellHeight: 18))
        #expect(SymbolSet.half.pixelAspect(of: try #require(CellAspect(cellWidth: 9, cellHeight: 15))) == 0.6)
    }

    @Test(
        "An implausible cell shape is ignored",
        arguments: [(0, 0), (80, 24), (80, 480), (480, 48), (800, 192), (800, 3840), (65_535, 65_535), (0, 480)]
            as [(UInt16, UInt16)])
    func implausibleAspect(_ width: UInt16, _ height: UInt16) {
        let aspect = detect([:], window: window(80, 24, width, height)).aspect
        #expect(aspect.value == .standard)
        #expect(SymbolSet.half.pixelAspect(of: aspect.value) == 0.5)
    }

    @Test("The current terminal has plausible capabilities")
    func current() {
        let terminal = TerminalCapabilities.current()
        #expect((1...CellSize.largestSide).contains(terminal.size.value.columns))
        #expect(!terminal.color.evidence.isEmpty)
    }
}

@Suite("CellSize and RGB: parsing")
struct ParsingTests {
    @Test("A cell size is two numbers from 1 to 1000 with an x between")
    func cellSize() {
        #expect(CellSize(parsing: "80x24") == CellSize(clamping: 80, 24))
        #expect(CellSize(parsing: "1x1") == CellSize(clamping: 1, 1))
        #expect(CellSize(parsing: "1000x1000") == CellSize(clamping: 1000, 1000))
        #expect(CellSize(parsing: "080x024") == CellSize(clamping: 80, 24))
        #expect(CellSize(clamping: 80, 24).description == "80x24")
    }

    @Test(
        "Anything else is not a cell size",
        arguments: [
            "", "x", "80", "80x", "x24", "0x24", "80x0", "1001x1", "1x1001", "-80x24", "+80x24", "80X24", "80×24",
            "80x24x2",
            " 80x24", "80x24 ", "8 0x24", "٨٠x٢٤", "99999999999999999999x1", "80.5x24", "80x24\n",
        ])
    func badCellSize(_ text: String) {
        #expect(CellSize(parsing: text) == nil)
    }

    @Test("A colour is a hash and six hexadecimal digits")
    func color() {
        #expect(RGB(parsing: "#1a2B3c") == RGB(0x1A, 0x2B, 0x3C))
        for text in ["", "#", "#fff", "1a2b3c", "#1a2b3", "#1a2b3c4", "#+a2b3c", "#1a2b3g", "#1a2b3٣", "red"] {
            #expect(RGB(parsing: text) == nil)
        }
    }
}

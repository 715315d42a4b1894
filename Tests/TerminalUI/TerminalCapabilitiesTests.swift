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
            // A non-empty NO_COLOR means no colour.
            (["TERM": "xterm", "COLORTERM": "truecolor", "NO_COLOR": "1"], .monochrome, "NO_COLOR=1"),
            (["TERM": "xterm", "COLORTERM": "truecolor", "NO_COLOR": ""], .truecolor, "COLORTERM=truecolor"),
            // COLORTERM counts inside tmux, not inside GNU screen.
            (
                ["TERM": "screen-256color", "COLORTERM": "truecolor", "STY": "1.pts"], .palette256,
                "inside GNU screen: STY=1.pts"
            ),
            (["TERM": "screen", "COLORTERM": "truecolor"], .palette256, "GNU screen: TERM=screen"),
            (
                ["TERM": "xterm-256color", "COLORTERM": "truecolor", "STY": "1"], .palette256,
                "inside GNU screen: STY=1"
            ),
            (["TERM": "tmux-256color", "COLORTERM": "truecolor", "TMUX": "x"], .truecolor, "COLORTERM=truecolor"),
            (["TERM": "tmux-256color", "TMUX": "x"], .palette256, "TERM=tmux-256color"),
            (["TERM": "screen-256color", "COLORTERM": "truecolor", "TMUX": "x"], .truecolor, "COLORTERM=truecolor"),
            (
                ["TERM": "tmux-256color", "TMUX": "x", "TERM_PROGRAM": "iTerm.app", "VTE_VERSION": "7600"], .palette256,
                "TERM=tmux-256color"
            ),
        ] as [([String: String], ColorDepth, String)])
    func colorDepth(_ environment: [String: String], _ depth: ColorDepth, _ evidence: String) {
        #expect(detect(environment).color == .init(depth, evidence: evidence))
    }

    @Test("A requested depth overrides NO_COLOR and a dumb terminal, a requested size the window's")
    func requested() {
        let color = TerminalCapabilities.Finding(ColorDepth.palette256, evidence: "--color 256")
        let cells = TerminalCapabilities.Finding(CellSize(clamping: 60, 30), evidence: "--cells 60x30")
        let found = detect(["NO_COLOR": "1", "TERM": "dumb"], window: window(80, 24), color: color, cells: cells)
        #expect(found.color == color && found.size == cells)
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
        let found = [detect(utf8), detect(utf8.merging(["TERM": "dumb"]) { $1 })].map(\.glyphs)
        #expect(found == [.init(.ascii, evidence: "TERM is not set"), .init(.ascii, evidence: "TERM=dumb")])
        let requested = [(utf8, ColorDepth.truecolor), (utf8, .monochrome), ([:], .truecolor)].map {
            detect($0, color: .init($1, evidence: "--color")).glyphs.value
        }
        #expect(requested == [.utf8, .ascii, .ascii])
    }

    private func window(_ columns: UInt16, _ rows: UInt16, _ width: UInt16 = 0, _ height: UInt16 = 0) -> Report {
        Report(columns: columns, rows: rows, pixelWidth: width, pixelHeight: height, source: "standard output")
    }

    @Test("The size is the kernel's, else COLUMNS and LINES, else 80x24; implausible ones are clamped")
    func size() {
        let variables = ["COLUMNS": "100", "LINES": "30"]
        let nothing = "no window size and no COLUMNS: 80; no window size and no LINES: 24"
        for (environment, window, size, evidence) in [
            (variables, window(120, 40), "120x40", "TIOCGWINSZ of standard output"),
            (variables, window(0, 0), "100x30", "COLUMNS=100; LINES=30"),
            (variables, nil, "100x30", "COLUMNS=100; LINES=30"), ([:], window(0, 0), "80x24", nothing),
            ([:], nil, "80x24", nothing),
            (["LINES": "50"], window(90, 0), "90x50", "TIOCGWINSZ of standard output; LINES=50"),
            ([:], window(65_535, 1), "1000x1", "TIOCGWINSZ of standard output; 65535x1 is implausible"),
        ] {
            let found = detect(environment, window: window).size
            #expect("\(found.value)" == size && found.evidence == evidence)
        }
    }

    @Test(
        "Invalid COLUMNS and LINES are ignored", arguments: ["0", "-5", "abc", "8 0", "99999", "+80", "1e3"])
    func badVariables(_ text: String) {
        #expect(detect(["COLUMNS": text, "LINES": text]).size.value == .standard)
    }

    @Test("The largest image leaves one row free, and has at least one")
    func drawingBox() {
        let boxes = [window(80, 24), window(1, 1)].map { detect([:], window: $0).drawingBox }
        #expect(boxes == [CellSize(clamping: 80, 23), CellSize(clamping: 1, 1)])
    }

    @Test("A plausible cell shape is the window's pixels by its cells")
    func aspect() throws {
        let evidence = "pixels by TIOCGWINSZ of standard output"
        let aspects = [window(80, 24, 800, 480), window(100, 50, 900, 900)].map { detect([:], window: $0).aspect }
        let wanted = try [(10, 20), (9, 18)].map { width, height in
            try #require(CellAspect(cellWidth: width, cellHeight: height))
        }
        #expect(aspects.map(\.value) == wanted)
        #expect(aspects.map(\.evidence) == ["10x20 \(evidence)", "9x18 \(evidence)"])
        let high = try #require(CellAspect(cellWidth: 9, cellHeight: 15))
        #expect([wanted[0], high].map(SymbolSet.half.pixelAspect) == [0.5, 0.6])
    }

    @Test(
        "An implausible cell shape is ignored",
        arguments: [(0, 0), (80, 24), (80, 480), (480, 48), (800, 192), (800, 3840), (65_535, 65_535), (0, 480)]
            as [(UInt16, UInt16)])
    func implausibleAspect(_ width: UInt16, _ height: UInt16) {
        let aspect = detect([:], window: window(80, 24, width, height)).aspect.value
        #expect(aspect == .standard && SymbolSet.half.pixelAspect(of: aspect) == 0.5)
    }

    @Test("The current terminal has plausible capabilities")
    func current() {
        let terminal = TerminalCapabilities.current()
        #expect((1...CellSize.largestSide).contains(terminal.size.value.columns) && !terminal.color.evidence.isEmpty)
    }
}

@Suite("CellSize and RGB: parsing")
struct ParsingTests {
    @Test("A cell size is two numbers from 1 to 1000 with an x between")
    func cellSize() {
        let sizes = ["80x24", "1x1", "1000x1000", "080x024"].map { CellSize(parsing: $0) }
        #expect(sizes == [(80, 24), (1, 1), (1000, 1000), (80, 24)].map { CellSize(clamping: $0, $1) })
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

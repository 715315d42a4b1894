import SpyglassPixels
import Testing

@testable import SpyglassTerminalUI

@Suite("PixelSupport", .timeLimit(.minutes(10)))
struct PixelSupportTests {
    private func support(_ variables: [String: String], _ replies: TerminalReply...) -> PixelSupport {
        let all = ["TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"].merging(variables) { $1 }
        var support = PixelSupport { all[$0] }
        for reply in replies { support.answers.add(reply) }
        return support
    }

    @Test(
        "A terminal draws what its version is known to have",
        arguments: [
            (["VTE_VERSION": "7800"], .octant), (["VTE_VERSION": "7799"], .sextant), (["VTE_VERSION": "5202"], .half),
            (["TERM": "xterm-kitty"], .kitty), (["TERM": "xterm-ghostty"], .kitty), (["TERM": "foot"], .sixel),
            (["TERM": "foot-extra"], .sixel), (["TERM": "footloose"], .half), (["TERM": "alacritty"], .half),
            (["KITTY_WINDOW_ID": "1"], .kitty), (["KONSOLE_VERSION": "220400"], .kitty),
            (["KONSOLE_VERSION": "211203"], .half),
            (["LC_TERMINAL": "iTerm2", "LC_TERMINAL_VERSION": "3.4.16"], .iterm2),
            (["TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.5.5"], .kitty),
            (["TERM_PROGRAM": "WezTerm", "TERM_PROGRAM_VERSION": "20240203-110809-5046fc22"], .kitty),
            (["TERM_PROGRAM": "WezTerm", "TERM_PROGRAM_VERSION": "20210814-124438-54e29167"], .iterm2),
            (["TERM_PROGRAM": "WarpTerminal", "TERM_PROGRAM_VERSION": "v0.2025.03.05.08.02.stable_03"], .kitty),
            (["TERM_PROGRAM": "mintty", "TERM_PROGRAM_VERSION": "3.7.8"], .iterm2),
            (["TERM_PROGRAM": "vscode", "TERM_PROGRAM_VERSION": "1.99.0"], .half),
            (["TERM_PROGRAM": "ghostty", "TERM_PROGRAM_VERSION": "not a number"], .kitty),
            (["XTERM_VERSION": "XTerm(379)"], .half), (["WT_SESSION": "x"], .half), (["TERM_PROGRAM": "new"], .half),
            (["TERM": "mlterm"], .sixel), ([:], .half),
            // Inherited variables of several terminals name none, and TERM decides.
            (["VTE_VERSION": "7800", "XTERM_VERSION": "XTerm(379)"], .half),
            (["VTE_VERSION": "7800", "TERM": "xterm-kitty"], .kitty),
            (["TERM": "xterm-kitty", "TERM_PROGRAM": "vscode"], .kitty),
            (["TERM": "xterm-kitty", "TMUX": "/tmp/t,1,0", "TERM_PROGRAM": "tmux"], .kitty),
            (["TERM": "foot", "STY": "1.pts"], .sixel),
        ] as [([String: String], PixelMode)])
    func named(_ variables: [String: String], _ mode: PixelMode) {
        #expect(support(variables).best.value == mode)
    }

    @Test(
        "A reply's name and version count more than variables",
        arguments: [
            ("VTE(7800)", .octant), ("kitty(0.39.1)", .sextant), ("kitty(0.40.0)", .octant), ("ghostty 1.1.3", .octant),
            ("ghostty 1.1.0", .sextant), ("foot(1.19.0)", .sextant), ("foot(1.20.0)", .octant),
            ("WezTerm 20240203-110809-5046fc22", .iterm2), ("Konsole 22.12.3", .iterm2), ("Rio 0.2.21", .octant),
            ("iTerm2 3.5.0", .iterm2), ("contour 0.4.3", .sextant), ("XTerm(379)", .half), ("tmux 3.4", .half),
            ("", .half), ("()()", .half), (" 0.40.0", .half), ("kitty", .sextant),
            ("kitty(99999999999999999999)", .sextant),
            ("kitty(;;)", .sextant),
        ] as [(String, PixelMode)])
    func reported(_ text: String, _ mode: PixelMode) {
        // DA1 without kitty's reply and without sixel: symbols and iTerm2 are left.
        #expect(support([:], .version(text), .attributes([62, 22])).best.value == mode)
    }

    @Test("Secondary attributes name what has no XTVERSION")
    func secondary() {
        for (numbers, mode) in [
            ([0, 1302, 1], .sextant), ([0, 1301, 1], .half), ([65, 7800, 1], .octant), ([1, 4000, 26], .kitty),
            ([0, 10, 1], .half),
        ] as [([Int], PixelMode)] {
            #expect(support([:], .secondaryAttributes(numbers)).best.value == mode, "\(numbers)")
        }
        for numbers in [[], [0], [1, 4000, 9_999_999], [65, 9_999_999, 1], [0, 1302, 1, 4]] {
            #expect(support([:], .secondaryAttributes(numbers), .attributes([])).best.value.symbols != nil)
        }
        #expect(support([:], .version("foot(1.20.0)"), .secondaryAttributes([65, 5000, 1])).best.value == .sixel)
    }

    @Test(
        "A reply to kitty's query or sixel among the attributes is enough, and what is not replied cannot be done",
        arguments: [
            ([:], [.graphics(true), .attributes([62, 22])], .kitty), ([:], [.attributes([62, 4, 22])], .sixel),
            ([:], [.graphics(false), .attributes([62, 4])], .sixel),
            // A VT132.
            ([:], [.attributes([4])], .half),
            (["TERM": "xterm-kitty"], [.version("kitty(0.40.0)"), .attributes([62])], .octant),
            (["TERM": "foot"], [.attributes([62, 22])], .sextant),
            // DA1 may follow.
            (["TERM": "xterm-kitty"], [.version("kitty(0.40.0)")], .kitty),
        ] as [([String: String], [TerminalReply], PixelMode)])
    func answered(_ variables: [String: String], _ replies: [TerminalReply], _ mode: PixelMode) {
        var support = support(variables)
        for reply in replies { support.answers.add(reply) }
        #expect(support.best.value == mode)
    }

    @Test("A window that ends within a cell does not change the known pixels of one")
    func partialCell() throws {
        let window = TerminalCapabilities.WindowReport(
            columns: 55, rows: 15, pixelWidth: 500, pixelHeight: 300, source: "test")
        let (known, other) = (PixelSize(width: 9, height: 19), PixelSize(width: 9, height: 20))
        let found = [known, PixelSize(width: 8, height: 16), nil].map { window.cellPixels(known: $0) }
        #expect(found == [known, other, other])
    }

    @Test("The pixels of a cell: its own reply, else the window's")
    func cells() {
        var answers = TerminalAnswers()
        answers.add(.windowPixels(width: 809, height: 489), window: CellSize(clamping: 80, 24))
        #expect(answers.cellPixels == PixelSize(width: 10, height: 20))
        answers.add(.cellPixels(width: 9, height: 18))
        answers.add(.windowPixels(width: 800, height: 480), window: CellSize(clamping: 80, 24))
        for (width, height) in [(0, 0), (1, 1), (-5, 10), (Int.max, Int.max), (20, 10), (500, 900)] {
            answers.add(.cellPixels(width: width, height: height))
        }
        #expect(answers.cellPixels == PixelSize(width: 9, height: 18))
    }

    @Test("A terminal is asked where its name and version leave something open")
    func asked() {
        for variables in [[:], ["TERM": "alacritty"], ["XTERM_VERSION": "XTerm(379)"], ["TERM_PROGRAM": "vscode"]] {
            #expect(support(variables).needsAnswers, "\(variables)")
        }
        for variables in [
            ["TERM": "xterm-kitty"], ["VTE_VERSION": "7800"], ["TERM": "linux"], ["TERM": "dumb"], ["NO_COLOR": "1"],
            ["LANG": "C"], ["TMUX": "x"], ["STY": "x"], ["TERM": "screen"],
        ] { #expect(!support(variables).needsAnswers, "\(variables)") }
    }

    @Test("The evidence tells what was found, or why nothing was")
    func evidence() {
        for (variables, evidence) in [
            (["VTE_VERSION": "7800"], "vte 0.78.0 (VTE_VERSION=7800), since 0.78"),
            (["TERM": "alacritty"], "nothing better is known of alacritty (TERM=alacritty)"),
            ([:], "unknown terminal"), (["LANG": "C"], "no UTF-8: LANG=C"), (["STY": "1"], "inside GNU screen"),
            (["SSH_TTY": "/dev/pts/1"], "not asked over ssh"),
        ] { #expect(support(variables).best.evidence == evidence) }
        #expect(support([:], .attributes([62])).best.evidence == "no answer to kitty's query")
        #expect(support(["XTERM_VERSION": "XTerm(379)"], .attributes([62, 4])).best.evidence.contains("sixel"))
        var silent = support([:])
        silent.isSilent = true
        #expect(silent.best.evidence == "no reply in 100 ms")
        let octant = support(["TERM": "tmux", "TMUX": "x"]).candidates.first { $0.mode == .octant }
        let quadrant = support(["VTE_VERSION": "7800"]).candidates.first { $0.mode == .quadrant }
        #expect(octant?.isSupported == nil && octant?.evidence.contains("outer terminal is unknown") == true)
        #expect(quadrant?.isSupported == true)
    }

    @Test(
        "Without colours or UTF-8, and in GNU screen, images are half-blocks",
        arguments: [["NO_COLOR": "1"], ["TERM": "dumb"], ["LANG": "C"], ["STY": "1.pts"], ["TERM": "screen-256color"]])
    func limited(_ variables: [String: String]) {
        let base = ["TERM_PROGRAM": "WezTerm", "TERM_PROGRAM_VERSION": "20260101"]
        let found = support(base.merging(variables) { $1 }, .graphics(true), .attributes([62, 4]))
        #expect(found.best.value == .half)
        #expect(found.candidates.allSatisfy { $0.isSupported == ($0.mode == .half) && !$0.evidence.isEmpty })
    }

    @Test("Inside tmux only kitty's placeholders are drawn, after a reply, and else the sixels that tmux reports")
    func tmux() {
        let variables = ["TERM": "tmux-256color", "TMUX": "/tmp/t,1,0", "VTE_VERSION": "7800"]
        for (replies, mode) in [
            ([], .half), ([.version("kitty(0.40.0)"), .attributes([1])], .half),
            ([.attributes([1]), .version("kitty(0.40.0)"), .graphics(true)], .kitty),
            ([.version("kitty(0.26.5)"), .graphics(true)], .half),
            ([.version("WezTerm 20240203-110809"), .graphics(true)], .half),
            ([.version("tmux 3.4"), .graphics(true)], .half), ([.attributes([1, 2, 4])], .sixel),
            ([.attributes([1, 2])], .half),
            ([.version("kitty(0.40.0)"), .graphics(true), .attributes([1, 2, 4])], .kitty),
        ] as [([TerminalReply], PixelMode)] {
            var support = support(variables)
            for reply in replies { support.answers.add(reply) }
            #expect(support.best.value == mode && support.usesPlaceholders && support.isInsideTmux, "\(replies)")
        }
    }

    @Test(
        "zellij draws what it replies, without placeholders, whatever the terminal around it has left in the environment"
    )
    func zellij() {
        let variables = ["TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1", "TERM_PROGRAM": "ghostty", "ZELLIJ": "0"]
        #expect(support(variables).best.value == .half && support(variables).needsAnswers)
        let kitty = support(variables, .version("Zellij(0.45.0)"), .graphics(true), .attributes([62, 4]))
        #expect(kitty.best.value == .kitty && !kitty.usesPlaceholders)
        #expect(support(variables, .graphics(false), .attributes([62, 4])).best.value == .sixel)
        #expect(support(variables, .version("kitty(0.40.0)"), .attributes([62])).best.value == .half)
    }

    @Test("Placeholders are used where a version has them")
    func placeholders() {
        let supports = [
            support([:], .version("kitty(0.28.0)")), support([:], .version("kitty(0.27.1)")),
            // The oldest kitty.
            support(["TERM": "xterm-kitty"]), support([:]),
        ]
        #expect(supports.map(\.usesPlaceholders) == [true, false, false, false])
    }

    @Test("Only a kitty that draws itself plays animations, since no query tells")
    func animations() {
        let tmux = ["TMUX": "/tmp/tmux-0/default,1,0", "TERM": "tmux-256color"]
        let supports = [
            support(["TERM": "xterm-kitty"]), support([:], .version("kitty(0.26.5)")),
            support([:], .version("kitty(0.19.3)")), support([:], .version("ghostty 1.3.1")),
            support(tmux, .version("kitty(0.40.0)"), .graphics(true)),
            support(["ZELLIJ": "0"], .version("kitty(0.40.0)"), .graphics(true)),
        ]
        #expect(supports.map(\.playsAnimations) == [true, true, false, false, false, false])
    }

    @Test("Answers are stored as one line, and read again")
    func stored() {
        var all = TerminalAnswers()
        for reply in [
            .version("WezTerm 20240203-110809-5046fc22"), .cellPixels(width: 9, height: 18), .graphics(true),
            .attributes([62, 4]),
        ] as [TerminalReply] { all.add(reply) }
        var vte = TerminalAnswers()
        vte.add(.version("VTE(7801)"))
        for answers in [all, vte, TerminalAnswers()] {
            let read = TerminalAnswers(stored: answers.stored)
            #expect(read?.stored == answers.stored && read?.isComplete == answers.isComplete)
        }
        #expect([all, vte].map(\.stored) == ["wezterm 20240203.110809.5046.22;1;1;9x18", "vte 0.78.1;;;"])
    }

    @Test(
        "Any other text is not read",
        arguments: [
            "", ";;", ";;;;", "kitty;2;0;", "kitty;1;0;0x0", "kitty;1;0;9x18x3", "tmux 3.4;1;1;", "kitty;1;0;9999x9999",
            String(repeating: "k", count: 200) + ";1;1;9x18", "kitty;true;;",
        ])
    func hostile(_ text: String) { #expect(TerminalAnswers(stored: text) == nil) }

    @Test("The key names the terminal and, over ssh, its address")
    func key() {
        let local = support(["VTE_VERSION": "7800"])
        let remote = ["10.0.0.7 4711 10.0.0.1 22", "10.0.0.7 815 10.0.0.1 22", "10.0.0.8 4711 10.0.0.1 22"].map {
            support(["VTE_VERSION": "7800", "SSH_CONNECTION": $0])
        }
        let others = [support(["SSH_TTY": "/dev/pts/1"]), support(["SSH_CLIENT": "10.0.0.7 1 2"])]
        #expect(!local.isRemote && (remote + others).allSatisfy(\.isRemote))
        #expect(remote[0].key == remote[1].key)
        #expect(Set([local, remote[0], remote[2], support(["VTE_VERSION": "7600"])].map(\.key)).count == 4)
    }
}

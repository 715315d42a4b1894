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
        #expect(support([:], .secondaryAttributes([0, 1302, 1])).best.value == .sextant)
        #expect(support([:], .secondaryAttributes([0, 1301, 1])).best.value == .half)
        #expect(support([:], .secondaryAttributes([65, 7800, 1])).best.value == .octant)
        #expect(support([:], .secondaryAttributes([1, 4000, 26])).best.value == .kitty)
        #expect(support([:], .secondaryAttributes([0, 10, 1])).best.value == .half)
        for numbers in [[], [0], [1, 4000, 9_999_999], [65, 9_999_999, 1], [0, 1302, 1, 4]] {
            #expect(support([:], .secondaryAttributes(numbers), .attributes([])).best.value.symbols != nil)
        }
        #expect(support([:], .version("foot(1.20.0)"), .secondaryAttributes([65, 5000, 1])).best.value == .sixel)
    }

    @Test("Inherited variables of several terminals name none")
    func inherited() {
        #expect(support(["VTE_VERSION": "7800", "XTERM_VERSION": "XTerm(379)"]).best.value == .half)
        let nested = ["VTE_VERSION": "7800", "TERM": "xterm-kitty"]
        #expect(support(nested).best.value == .kitty)
        #expect(support(["TERM": "xterm-kitty", "TERM_PROGRAM": "vscode"]).best.value == .kitty)
        let fromTmux = support(["TERM": "xterm-kitty", "TMUX": "/tmp/t,1,0", "TERM_PROGRAM": "tmux"])
        #expect(fromTmux.best.value == .kitty && !fromTmux.isInsideTmux)
        #expect(support(["TERM": "foot", "STY": "1.pts"]).best.value == .sixel)
    }

    @Test("A reply to kitty's query or sixel among the attributes is enough")
    func answered() {
        #expect(support([:], .graphics(true), .attributes([62, 22])).best.value == .kitty)
        #expect(support([:], .attributes([62, 4, 22])).best.value == .sixel)
        #expect(support([:], .graphics(false), .attributes([62, 4])).best.value == .sixel)
        #expect(support([:], .attributes([4])).best.value == .half, "a VT132")
        #expect(support(["XTERM_VERSION": "XTerm(379)"], .attributes([62, 4])).best.evidence.contains("sixel"))
    }

    @Test("What a terminal does not reply it cannot do, whatever its name")
    func claimed() {
        let kitty = support(["TERM": "xterm-kitty"], .version("kitty(0.40.0)"), .attributes([62]))
        #expect(kitty.best.value == .octant)
        #expect(support(["TERM": "foot"], .attributes([62, 22])).best.value == .sextant)
        #expect(support(["TERM": "xterm-kitty"], .version("kitty(0.40.0)")).best.value == .kitty, "DA1 may follow")
    }

    @Test("A window that ends within a cell does not change the known pixels of one")
    func partialCell() throws {
        let window = TerminalCapabilities.WindowReport(
            columns: 55, rows: 15, pixelWidth: 500, pixelHeight: 300, source: "test")
        let known = PixelSize(width: 9, height: 19)
        #expect(window.cellPixels(known: known) == known)
        #expect(window.cellPixels(known: PixelSize(width: 8, height: 16)) == PixelSize(width: 9, height: 20))
        #expect(window.cellPixels(known: nil) == PixelSize(width: 9, height: 20))
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
        #expect(support(["VTE_VERSION": "7800"]).best.evidence == "vte 0.78.0 (VTE_VERSION=7800), since 0.78")
        #expect(support(["TERM": "alacritty"]).best.evidence == "nothing better is known of alacritty (TERM=alacritty)")
        #expect(support([:]).best.evidence == "unknown terminal")
        #expect(support([:], .attributes([62])).best.evidence == "no answer to kitty's query")
        #expect(support(["LANG": "C"]).best.evidence == "no UTF-8: LANG=C")
        #expect(support(["STY": "1"]).best.evidence == "inside GNU screen")
        #expect(support(["SSH_TTY": "/dev/pts/1"]).best.evidence == "not asked over ssh")
        var silent = support([:])
        silent.isSilent = true
        #expect(silent.best.evidence == "no reply in 100 ms")
        let octant = support(["TERM": "tmux", "TMUX": "x"]).candidates.first { $0.mode == .octant }
        #expect(octant?.isSupported == nil && octant?.evidence.contains("outer terminal is unknown") == true)
        let quadrant = support(["VTE_VERSION": "7800"]).candidates.first { $0.mode == .quadrant }
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

    @Test("Inside tmux only kitty's placeholders are drawn, after a reply")
    func tmux() {
        let variables = ["TERM": "tmux-256color", "TMUX": "/tmp/t,1,0", "VTE_VERSION": "7800"]
        #expect(support(variables).best.value == .half)
        #expect(support(variables, .version("kitty(0.40.0)"), .attributes([1])).best.value == .half)
        let late = support(variables, .attributes([1]), .version("kitty(0.40.0)"), .graphics(true))
        #expect(late.best.value == .kitty && late.usesPlaceholders && late.isInsideTmux)
        for old in ["kitty(0.26.5)", "WezTerm 20240203-110809", "tmux 3.4"] {
            #expect(support(variables, .version(old), .graphics(true)).best.value == .half, "\(old)")
        }
    }

    @Test("tmux that reports sixel draws it; placeholders that work come first")
    func tmuxSixel() {
        let variables = ["TERM": "tmux-256color", "TMUX": "/tmp/t,1,0"]
        #expect(support(variables, .attributes([1, 2, 4])).best.value == .sixel)
        #expect(support(variables, .attributes([1, 2])).best.value == .half)
        let kitty = support(variables, .version("kitty(0.40.0)"), .graphics(true), .attributes([1, 2, 4]))
        #expect(kitty.best.value == .kitty && kitty.usesPlaceholders)
    }

    @Test(
        "zellij draws what it replies, without placeholders, whatever the terminal around it has left in the environment"
    )
    func zellij() {
        let variables = ["TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1", "TERM_PROGRAM": "ghostty", "ZELLIJ": "0"]
        #expect(support(variables).best.value == .half)
        #expect(support(variables).needsAnswers)
        let kitty = support(variables, .version("Zellij(0.45.0)"), .graphics(true), .attributes([62, 4]))
        #expect(kitty.best.value == .kitty && !kitty.usesPlaceholders)
        #expect(support(variables, .graphics(false), .attributes([62, 4])).best.value == .sixel)
        #expect(support(variables, .version("kitty(0.40.0)"), .attributes([62])).best.value == .half)
    }

    @Test("Placeholders are used where a version has them")
    func placeholders() {
        #expect(support([:], .version("kitty(0.28.0)")).usesPlaceholders)
        #expect(!support([:], .version("kitty(0.27.1)")).usesPlaceholders)
        #expect(!support(["TERM": "xterm-kitty"]).usesPlaceholders, "the oldest kitty")
        #expect(!support([:]).usesPlaceholders)
    }

    @Test("Only a kitty that draws itself plays animations, since no query tells")
    func animations() {
        let kitty = ["TERM": "xterm-kitty", "LANG": "C.UTF-8"]
        #expect(support(kitty).playsAnimations)
        #expect(support(["TERM": "xterm-256color", "LANG": "C.UTF-8"], .version("kitty(0.26.5)")).playsAnimations)
        #expect(!support(kitty, .version("kitty(0.19.3)")).playsAnimations)
        #expect(!support(["TERM": "xterm-ghostty", "LANG": "C.UTF-8"], .version("ghostty 1.3.1")).playsAnimations)
        for inside in [["TMUX": "/tmp/tmux-0/default,1,0", "TERM": "tmux-256color"], ["ZELLIJ": "0"]] {
            let variables = kitty.merging(inside) { $1 }
            #expect(!support(variables, .version("kitty(0.40.0)"), .graphics(true)).playsAnimations)
        }
    }

    @Test("Answers are stored as one line, and read again")
    func stored() {
        var all = TerminalAnswers()
        for reply in [
            .version("WezTerm 20240203-110809-5046fc22"), .cellPixels(width: 9, height: 18), .graphics(true),
            .attributes([62, 4]),
        ] as [TerminalReply] { all.add(reply) }
        for answers in [all, TerminalAnswers()] {
            let read = TerminalAnswers(stored: answers.stored)
            #expect(read?.stored == answers.stored && read?.isComplete == answers.isComplete)
        }
        #expect(all.stored == "wezterm 20240203.110809.5046.22;1;1;9x18")
        var vte = TerminalAnswers()
        vte.add(.version("VTE(7801)"))
        #expect(TerminalAnswers(stored: vte.stored)?.stored == "vte 0.78.1;;;")
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
        let remote = support(["VTE_VERSION": "7800", "SSH_CONNECTION": "10.0.0.7 4711 10.0.0.1 22"])
        #expect(remote.isRemote && !local.isRemote && remote.key != local.key)
        #expect(remote.key == support(["VTE_VERSION": "7800", "SSH_CONNECTION": "10.0.0.7 815 10.0.0.1 22"]).key)
        #expect(remote.key != support(["VTE_VERSION": "7800", "SSH_CONNECTION": "10.0.0.8 4711 10.0.0.1 22"]).key)
        #expect(local.key != support(["VTE_VERSION": "7600"]).key)
        #expect(support(["SSH_TTY": "/dev/pts/1"]).isRemote && support(["SSH_CLIENT": "10.0.0.7 1 2"]).isRemote)
    }
}

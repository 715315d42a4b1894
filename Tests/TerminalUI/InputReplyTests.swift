import Glibc
import Testing

@testable import SpyglassTerminalUI

@Suite("InputParser: replies", .timeLimit(.minutes(10)))
struct InputReplyTests {
    /// Replies of terminals, and their meaning.
    static let answers: [(String, TerminalReply)] = [
        ("\u{1B}[0n", .status), ("\u{1B}[3n", .status), ("\u{1B}[?997;1n", .darkMode(true)),
        ("\u{1B}[?997;2n", .darkMode(false)), ("\u{1B}[?997;3n", .other), ("\u{1B}[?997n", .other),
        ("\u{1B}[?997;1;2n", .other), ("\u{1B}[997;1n", .other),
        ("\u{1B}]11;rgb:1c1c/1e1e/2020\u{1B}\\", .background(RGB(0x1C, 0x1E, 0x20))),
        ("\u{1B}]11;rgb:ffff/8080/0000\u{07}", .background(RGB(255, 128, 0))),
        ("\u{1B}]11;rgb:f/8/0\u{07}", .background(RGB(255, 136, 0))),
        ("\u{1B}]11;rgb:Ab/cD/12\u{07}", .background(RGB(0xAB, 0xCD, 0x12))),
        ("\u{1B}]11;rgb:fff/800/000\u{1B}\\", .background(RGB(255, 128, 0))),
        ("\u{1B}]11;rgba:1c1c/1e1e/2020/ffff\u{1B}\\", .background(RGB(0x1C, 0x1E, 0x20))),
        ("\u{1B}]10;rgb:1c1c/1e1e/2020\u{1B}\\", .other), ("\u{1B}]11;rgb:12345/0/0\u{07}", .other),
        ("\u{1B}]11;rgb:0/0\u{07}", .other), ("\u{1B}]11;rgb:/0/0\u{07}", .other),
        ("\u{1B}]11;rgb:0/0/0/0\u{07}", .other),
        ("\u{1B}]11;rgb:g/0/0\u{07}", .other), ("\u{1B}]11;?\u{07}", .other), ("\u{1B}]52;c;aGk=\u{1B}\\", .other),
        ("\u{1B}]4;0;rgb:0000/0000/0000\u{1B}\\", .color(index: 0, .black)),
        ("\u{1B}]4;15;rgb:ffff/8080/0000\u{07}", .color(index: 15, RGB(255, 128, 0))),
        ("\u{1B}]4;16;rgb:0/0/0\u{07}", .other), ("\u{1B}]4;01;rgb:0/0/0\u{07}", .other),
        ("\u{1B}]4;1;rgb:0/0\u{07}", .other), ("\u{1B}]4;rgb:0/0/0\u{07}", .other), ("\u{1B}]4;1;?\u{07}", .other),
        ("\u{1B}[6;20;10t", .cellPixels(width: 10, height: 20)), ("\u{1B}[6;0;10t", .other),
        ("\u{1B}[6;99999999999;10t", .other), ("\u{1B}[6;-5;7t", .other), ("\u{1B}[8;24;80t", .other),
        ("\u{1B}[4;480;800t", .windowPixels(width: 800, height: 480)),
        ("\u{1B}P1$r0;48:2::1:2:3m\u{1B}\\", .truecolor(true)), ("\u{1B}P1$r48:2:1:2:3m\u{1B}\\", .truecolor(true)),
        ("\u{1B}P1$r48;2;1;2;3m\u{1B}\\", .truecolor(true)), ("\u{1B}P1$r0;1;48;2;1;2;3;4m\u{1B}\\", .truecolor(true)),
        ("\u{1B}P1$r0;48:2:1:1:2:3m\u{1B}\\", .truecolor(true)), ("\u{1B}P1$r0;48:5:16m\u{1B}\\", .truecolor(false)),
        ("\u{1B}P1$r38:2::1:2:3m\u{1B}\\", .truecolor(false)), ("\u{1B}P1$r48;2;1;2m\u{1B}\\", .truecolor(false)),
        ("\u{1B}P1$r0m\u{1B}\\", .truecolor(false)), ("\u{1B}P0$r\u{1B}\\", .truecolor(false)),
        ("\u{1B}P1$r0;24r\u{1B}\\", .other), ("\u{1B}P>|XTerm(379)\u{1B}\\", .version("XTerm(379)")),
        ("\u{1B}P1+r544e=78\u{1B}\\", .other),
        ("\u{1B}[?62;4;22c", .attributes([62, 4, 22])), ("\u{1B}[?6c", .attributes([6])),
        ("\u{1B}[?c", .attributes([])),
        ("\u{1B}[>1;4402;0c", .secondaryAttributes([1, 4402, 0])), ("\u{1B}[=0c", .other), ("\u{1B}[12;40R", .other),
        ("\u{1B}[1;2R", .other),
        ("\u{1B}[?0u", .keyboard(0)), ("\u{1B}[?5u", .keyboard(5)), ("\u{1B}[?u", .keyboard(0)),
        ("\u{1B}[?2026;2$y", .other), ("\u{1B}[4;2$y", .other), ("\u{1B}[?1;0;1024S", .other), ("\u{1B}[I", .other),
        ("\u{1B}[O", .other), ("\u{1B}_Gi=31;OK\u{1B}\\", .graphics(true)),
        ("\u{1B}_GI=4,i=31;OK\u{1B}\\", .graphics(true)),
        ("\u{1B}_Gi=32;OK\u{1B}\\", .sharedMemory(true)), ("\u{1B}_Gi=32;EBADF:\u{1B}\\", .sharedMemory(false)),
        ("\u{1B}_Gi=31;EINVAL:unknown key\u{1B}\\", .graphics(false)), ("\u{1B}_Gi=7;OK\u{1B}\\", .other),
        ("\u{1B}_Gi=31\u{1B}\\", .other), ("\u{1B}_Gi=310;OK\u{1B}\\", .other),
    ]

    @Test("Every reply is parsed, wherever it is split", arguments: answers)
    func split(text: String, reply: TerminalReply) {
        for (first, second, events) in eventsOfDivisions(of: Array(text.utf8)) {
            #expect(events == [.reply(reply)], "\(first) \(second)")
        }
    }

    @Test("A timeout within a reply makes no key of it, not even of its escape while it is awaited", arguments: answers)
    func stalled(text: String, reply: TerminalReply) {
        let bytes = Array(text.utf8)
        for (first, second, events) in eventsOfDivisions(of: bytes, pauses: true) {
            // After the timeout the first byte of a reply is the Escape key.
            let escape: [InputEvent] = first == 1 || (first == 0 && second == 1) ? [.key(Key(.escape))] : []
            #expect(events == escape + [.reply(reply)], "\(first) \(second)")
        }
        for (isAwaited, escape) in [(false, [InputEvent.key(Key(.escape))]), (true, [])] {
            var parser = InputParser()
            let all = bytes.flatMap { parser.parse([$0]) + parser.timeOut(awaitingReply: isAwaited) }
            #expect(all == escape + [.reply(reply)])
        }
    }

    @Test("Split replies among keys are replies and keys")
    func probe() {
        let replies =
            "\u{1B}]11;rgb:0000/0000/0000\u{1B}\\\u{1B}[6;20;10t\u{1B}P1$r0;48:2::1:2:3m\u{1B}\\\u{1B}[?0u\u{1B}[?62;22c"
        let expected: [InputEvent] = [
            .key(Key(.character("j"))), .reply(.background(.black)), .reply(.cellPixels(width: 10, height: 20)),
            .reply(.truecolor(true)), .reply(.keyboard(0)), .reply(.attributes([62, 22])), .key(Key(.down)),
        ]
        let bytes = Array("j\(replies)\u{1B}[B".utf8)
        for pauses in [false, true] {
            for (first, second, events) in eventsOfDivisions(of: bytes, pauses: pauses) {
                let others = events.filter { !pauses || $0 != .key(Key(.escape)) }
                #expect(others == expected, "\(first) \(second) \(pauses)")
            }
        }
    }

    @Test("An Escape before a reply is a key, and the reply a reply", arguments: answers)
    func escapeBefore(text: String, reply: TerminalReply) {
        for hasTimedOut in [false, true] {
            var parser = InputParser()
            let all = parser.parse([0x1B]) + (hasTimedOut ? parser.timeOut() : []) + parser.parse(text.utf8)
            #expect(all == [.key(Key(.escape)), .reply(reply)])
        }
    }

    @Test("An endless string is limited, and an escape ends it")
    func endless() {
        for introducer in ["]", "P", "_", "^", "X"] {
            var parser = InputParser()
            var all = parser.parse("\u{1B}\(introducer)11;".utf8)
            for _ in 0..<1000 { all += parser.parse([UInt8](repeating: 0x41, count: 1000)) }
            #expect((all + parser.timeOut()).isEmpty && parser.held.capacity < 8 * InputParser.maxString)
            #expect(parser.parse("\u{1B}[Aq".utf8) == [.key(Key(.up)), .key(Key(.character("q")))])
        }
    }

    @Test("A stalled sequence is still a key or the mouse when it continues")
    func stalledKeys() {
        for (text, event) in [
            ("\u{1B}[1;5A", .key(Key(.up, .control))), ("\u{1B}[5~", .key(Key(.pageUp))),
            ("\u{1B}[<0;5;7M", .mouse(MouseEvent(.press(.left), at: CellPosition(column: 4, row: 6)))),
        ] as [(String, InputEvent)] {
            var parser = InputParser()
            let all = text.utf8.flatMap { parser.parse([$0]) + parser.timeOut() }
            #expect(all == [.key(Key(.escape)), event], "\(text)")
        }
    }
}

@Suite("TerminalProbe", .timeLimit(.minutes(10)))
struct TerminalProbeTests {
    private func queries(_ variables: [String: String]) -> String {
        String(decoding: TerminalProbe.bytes { variables[$0] }.raw, as: UTF8.self)
    }

    private static let all =
        "\u{1B}]11;?\u{1B}\\\u{1B}[16t\u{1B}[14t\u{1B}[48;2;1;2;3m\u{1B}P$qm\u{1B}\\\u{1B}[0m\u{1B}[?u\u{1B}[>q\u{1B}[>c"

    @Test("DA1 is queried last, and colours are reset")
    func all() {
        let text = queries(["TERM": "xterm-256color"])
        #expect(text == Self.all + "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c")
        #expect(TerminalProbe.bytes.raw == Array(text.utf8))
    }

    @Test("The console, screen and dumb terminals get fewer queries")
    func fewer() {
        let screen = "\u{1B}]11;?\u{1B}\\\u{1B}[16t\u{1B}[14t\u{1B}[?u\u{1B}[c"
        for (variables, expected) in [
            (["TERM": "linux"], "\u{1B}[c"), (["TERM": "dumb"], ""), ([:], ""), (["TERM": "screen-256color"], screen),
            (["TERM": "xterm", "STY": "1234.pts"], screen), (["TERM": "nsterm-256color"], Self.all + "\u{1B}[c"),
        ] { #expect(queries(variables) == expected) }
    }

    @Test("The 16 colours are queried on request, before DA1, not in GNU screen")
    func palette() {
        func text(_ variables: [String: String]) -> String {
            String(decoding: TerminalProbe.bytes(asksPalette: true) { variables[$0] }.raw, as: UTF8.self)
        }
        let queries = (0..<16).map { "\u{1B}]4;\($0);?\u{1B}\\" }.joined()
        for variables in [["TERM": "xterm-16color"], ["TERM": "tmux", "TMUX": "/tmp/tmux"], ["TERM": "nsterm"]] {
            #expect(text(variables).replacing(queries, with: "") == self.queries(variables))
            #expect(text(variables).contains(queries) && text(variables).hasSuffix("\u{1B}[c"))
        }
        #expect(!text(["TERM": "screen"]).contains("\u{1B}]4;") && text(["TERM": "linux"]) == "\u{1B}[c")
    }

    @Test("tmux passes the queries for images to its terminal")
    func tmux() {
        let text = queries(["TERM": "tmux-256color", "TMUX": "/tmp/tmux"])
        #expect(
            text.hasSuffix(
                "\u{1B}Ptmux;\u{1B}\u{1B}[>q\u{1B}\\"
                    + "\u{1B}Ptmux;\u{1B}\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\u{1B}\\\u{1B}\\\u{1B}[c"))
    }

    @Test("The queries of a stream erase what the terminal shows of them")
    func stream() {
        let text = String(
            decoding: TerminalProbe.images(TerminalVariables { ["TERM": "xterm"][$0] }, asksPalette: false),
            as: UTF8.self)
        #expect(text.hasPrefix("\u{1B}7") && text.hasSuffix("\u{1B}8\u{1B}[K\u{1B}[c"))
    }
}

@Suite("TerminalQuery", .timeLimit(.minutes(10)))
struct TerminalQueryTests {
    private static let fence = "\u{1B}[c"
    /// Whether a process may put input into its terminal's queue (TIOCSTI, since Linux 6.2 an option).
    private static let givesBack: Bool = {
        guard let file = fopen("/proc/sys/dev/tty/legacy_tiocsti", "r") else { return true }
        defer { fclose(file) }
        return fgetc(file) == Int32(UInt8(ascii: "1"))
    }()

    /// The terminal after it has sent `replies` to the queries, and the worker has told `outcome`.
    private func terminal(_ replies: String, _ outcome: String, seconds: Int = 10) throws -> SessionTerminal {
        let terminal = try SessionTerminal("query", "\(seconds)")
        try terminal.show(Self.fence)
        terminal.type(replies)
        #expect(try terminal.event { _ in true } == outcome)
        #expect(try terminal.end() == 0 && terminal.isAsBefore)
        return terminal
    }

    @Test(
        "Replies choose how images are drawn",
        arguments: [
            ("\u{1B}P>|kitty(0.40.0)\u{1B}\\\u{1B}[>1;4000;40c\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;c", "kitty"),
            ("\u{1B}[>41;379;0c\u{1B}[?63;1;2;4;6;9;15;22c", "sixel"),
            ("\u{1B}P>|VTE(7800)\u{1B}\\\u{1B}[?65;1;9c", "octant"),
            ("\u{1B}[>0;1302;1c\u{1B}[?6c", "sextant"), ("\u{1B}[?6c", "half"),
            // Claims to be kitty, and does not reply to its query.
            ("\u{1B}P>|kitty(0.40.0)\u{1B}\\\u{1B}[?62;c", "octant"),
            // Nonsense.
            ("\u{1B}P>|\u{7}\u{1B}\\\u{1B}[6;0;0t\u{1B}_Gi=31;\u{1B}\\\u{1B}[>;;;c\u{1B}[?;;;c", "half"),
            ("\u{1B}]11;rgb:\u{1B}\u{1B}[99;99;99;99t\u{1B}[?999999999999;4c", "sixel"),
        ])
    func replies(_ replies: String, choice: String) throws { _ = try terminal(replies, choice) }

    @Test("Kitty's reply decides, though DA1 is late")
    func kittyAlone() throws { _ = try terminal("\u{1B}_Gi=31;OK\u{1B}\\", "kitty", seconds: 2) }

    @Test("Input without end ends the wait")
    func flood() throws { _ = try terminal(String(repeating: "x", count: 6000), "silent", seconds: 600) }

    @Test("What is typed among the replies is given back", .enabled(if: TerminalQueryTests.givesBack))
    func typedBetween() throws {
        #expect(try terminal("ls\u{1B}[>41;379;0cé\u{1B}[6;-5;7t\u{1B}[?63;4c", "sixel").waitingInput == 4)
    }
}

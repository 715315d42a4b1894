import Testing

@testable import SpyglassTerminalUI

@Suite("InputParser: mouse and paste", .timeLimit(.minutes(10)))
struct InputMouseTests {
    @Test(
        "Buttons, wheel and drags have positions and modifiers",
        arguments: [
            ("0;1;1M", .press(.left), 0, 0, []), ("0;1;1m", .release(.left), 0, 0, []),
            ("1;5;7M", .press(.middle), 4, 6, []),
            ("2;300;200M", .press(.right), 299, 199, []), ("32;2;2M", .drag(.left), 1, 1, []),
            ("34;2;2M", .drag(.right), 1, 1, []), ("64;2;2M", .wheelUp, 1, 1, []), ("65;2;2M", .wheelDown, 1, 1, []),
            ("66;2;2M", .wheelLeft, 1, 1, []), ("67;2;2M", .wheelRight, 1, 1, []),
            ("4;1;1M", .press(.left), 0, 0, .shift),
            ("8;1;1M", .press(.left), 0, 0, .alt), ("81;1;1M", .wheelDown, 0, 0, .control),
            ("28;1;1m", .release(.left), 0, 0, [.shift, .alt, .control]), ("0;65535;1M", .press(.left), 65_534, 0, []),
        ] as [(String, MouseEvent.Kind, Int, Int, Key.Modifiers)])
    func mouse(text: String, kind: MouseEvent.Kind, column: Int, row: Int, modifiers: Key.Modifiers) {
        let event = MouseEvent(kind, at: CellPosition(column: column, row: row), modifiers)
        #expect(events("\u{1B}[<" + text) == [.mouse(event)])
    }

    @Test(
        "Impossible positions, motion and old reports are dropped",
        arguments: [
            "[<0;0;1M", "[<0;1;0M", "[<0;65536;1M", "[<0;99999999999999999999;1M", "[<35;1;1M", "[<3;1;1M", "[<64;1;1m",
            "[<96;1;1M", "[<128;1;1M", "[<0;1M", "[<M", "[<0;1;1;1M", "[<-1;1;1M", "[M !!", "[M#\u{7F}\u{7F}",
        ])
    func swallowed(text: String) { #expect(events("\u{1B}\(text)q") == [.key(Key(.character("q")))]) }

    @Test("Split pasted text is one event")
    func paste() {
        let text = "a\u{04}é\u{1B}[A\u{1B}[20\u{1B}\u{1B}[201\r\n漢 \u{1B}[200~"
        let bytes = Array("x\u{1B}[200~\(text)\u{1B}[201~y".utf8)
        let expected: [InputEvent] = [.key(Key(.character("x"))), .paste(text), .key(Key(.character("y")))]
        for pauses in [false, true] {
            for (first, second, events) in eventsOfDivisions(of: bytes, pauses: pauses) {
                let others = events.filter { !pauses || $0 != .key(Key(.escape)) }
                #expect(others == expected, "\(first) \(second) \(pauses)")
            }
        }
    }

    @Test(
        "A paste is truncated at its limit between characters", arguments: ["a", "é", "漢", "🚀"])
    func pasteLimit(unit: String) {
        for start in ["", "x", "xx", "xxx"] {
            var parser = InputParser()
            var all = parser.parse("\u{1B}[200~\(start)".utf8)
            let piece = Array(String(repeating: unit, count: 1000).utf8)
            for _ in 0..<200 { all += parser.parse(piece) }
            #expect(all.isEmpty && !parser.hasPending)
            let whole = start + String(repeating: unit, count: 200_000)
            var (text, rest) = ("", whole[...])
            while let next = rest.popFirst(), text.utf8.count + next.utf8.count <= PasteText.limit { text.append(next) }
            #expect(parser.parse("\u{1B}[201~q".utf8) == [.paste(text), .key(Key(.character("q")))])
        }
    }

    @Test("Ctrl-C ends a paste without an end", arguments: ["\u{03}", "\u{1B}[99;5u"])
    func endlessPaste(interrupt: String) {
        let expected: [InputEvent] = [.paste("a\u{1B}[99;5"), .key(Key(.character("c"), .control))]
        #expect(events("\u{1B}[200~a\u{1B}[99;5\(interrupt)") == expected)
    }

    @Test("A paste can end without its marker")
    func endedPaste() {
        var parser = InputParser()
        #expect(parser.endPaste().isEmpty && parser.parse("\u{1B}[200~ab\u{1B}[2".utf8).isEmpty && parser.isPasting)
        #expect(parser.endPaste() == [.paste("ab")] && !parser.isPasting)
        #expect(parser.parse("q\u{1B}[201~".utf8) == [.key(Key(.character("q")))])
        #expect(events("\u{1B}[200~c\u{1B}[201~") == [.paste("c")])
    }

    @Test("A lone end marker is ignored; invalid UTF-8 is replaced")
    func oddPastes() {
        var parser = InputParser()
        let bytes = Array("\u{1B}[201~q\u{1B}[200~\u{1B}[201~\u{1B}[200~a".utf8) + [0xFF] + Array("b\u{1B}[201~".utf8)
        #expect(parser.parse(bytes) == [.key(Key(.character("q"))), .paste(""), .paste("a\u{FFFD}b")])
    }
}

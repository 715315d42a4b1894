import Testing

@testable import SpyglassTerminalUI

/// The events of bytes in one chunk.
func events(_ text: String) -> [InputEvent] {
    var parser = InputParser()
    return parser.parse(text.utf8)
}

/// The events of bytes in three chunks, for every division, with a timeout after each chunk but the last if it `pauses`.
func eventsOfDivisions(
    of bytes: [UInt8], pauses: Bool = false
) -> [(first: Int, second: Int, events: [InputEvent])] {
    (0...bytes.count).flatMap { first in
        (first...bytes.count).map { second in
            var parser = InputParser()
            var events: [InputEvent] = []
            for chunk in [bytes[..<first], bytes[first..<second]] {
                events += parser.parse(chunk)
                if pauses { events += parser.timeOut() + parser.timeOut() }
            }
            return (first, second, events + parser.parse(bytes[second...]))
        }
    }
}

private func key(_ code: Key.Code, _ modifiers: Key.Modifiers = []) -> [InputEvent] {
    [.key(Key(code, modifiers))]
}

private func keys(_ text: String) -> [InputEvent] { text.map { .key(Key(.character($0))) } }

@Suite("InputParser: keys", .timeLimit(.minutes(10)))
struct InputKeyTests {
    @Test("Characters are keys, whatever their length in UTF-8", arguments: ["q", "G ~", "é", "漢字", "🚀", "\u{10FFFF}"])
    func characters(text: String) { #expect(events(text) == keys(text)) }

    @Test(
        "Control characters are keys with Control, or named keys",
        arguments: [
            ("\u{01}", key(.character("a"), .control)), ("\u{03}", key(.character("c"), .control)),
            ("\u{0A}", key(.character("j"), .control)), ("\u{0C}", key(.character("l"), .control)),
            ("\u{1A}", key(.character("z"), .control)), ("\0", key(.character("@"), .control)),
            ("\u{1C}", key(.character("\\"), .control)), ("\u{1F}", key(.character("_"), .control)),
            ("\r", key(.enter)), ("\t", key(.tab)), ("\u{7F}", key(.backspace)), ("\u{08}", key(.backspace)),
        ])
    func controls(text: String, expected: [InputEvent]) { #expect(events(text) == expected) }

    @Test(
        "An escape before a key is Alt",
        arguments: [
            ("\u{1B}a", key(.character("a"), .alt)), ("\u{1B}é", key(.character("é"), .alt)),
            ("\u{1B}\r", key(.enter, .alt)), ("\u{1B}\u{7F}", key(.backspace, .alt)),
            ("\u{1B} ", key(.character(" "), .alt)),
            ("\u{1B}\u{02}", key(.character("b"), [.alt, .control])), ("\u{1B}\u{1B}[A", key(.up, .alt)),
            ("\u{1B}\u{1B}OB", key(.down, .alt)), ("\u{1B}\u{1B}x", key(.escape) + key(.character("x"), .alt)),
        ])
    func alt(text: String, expected: [InputEvent]) { #expect(events(text) == expected) }

    @Test(
        "xterm, VT220, rxvt and Linux console keys are parsed",
        arguments: [
            ("[A", .up, []), ("[B", .down, []), ("[C", .right, []), ("[D", .left, []), ("[H", .home, []),
            ("[F", .end, []),
            ("OA", .up, []), ("OH", .home, []), ("[1;5A", .up, .control), ("[1;2D", .left, .shift),
            ("[1;3C", .right, .alt), ("[1;8B", .down, [.shift, .alt, .control]), ("O5A", .up, .control),
            ("O1;5A", .up, .control), ("[1~", .home, []), ("[2~", .insert, []), ("[3~", .delete, []), ("[4~", .end, []),
            ("[5~", .pageUp, []), ("[6~", .pageDown, []), ("[5;5~", .pageUp, .control), ("[7~", .home, []),
            ("[8~", .end, []), ("[a", .up, .shift), ("[d", .left, .shift), ("Oa", .up, .control),
            ("[5^", .pageUp, .control),
            ("[5$", .pageUp, .shift), ("[5@", .pageUp, [.shift, .control]), ("[Z", .tab, .shift),
            ("[1;2Z", .tab, .shift),
            // xterm's modifyOtherKeys.
            ("[27;5;99~", .character("c"), .control), ("[27;6;67~", .character("C"), .control),
            ("[27;2;33~", .character("!"), []), ("[27;5;13~", .enter, .control), ("[27;2;9~", .tab, .shift),
            ("[27;6;32~", .character(" "), [.shift, .control]),
        ] as [(String, Key.Code, Key.Modifiers)])
    func editing(text: String, code: Key.Code, modifiers: Key.Modifiers) {
        #expect(events("\u{1B}" + text) == key(code, modifiers))
    }

    @Test("Function keys have five spellings")
    func functions() {
        let vt220 = [11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34]
        let spellings = [
            vt220.map { "[\($0)~" }, "PQRS".map { "O\($0)" }, "PQRS".map { "[\($0)" }, "ABCDE".map { "[[\($0)" },
        ]
        for spelling in spellings {
            for (index, text) in spelling.enumerated() {
                #expect(events("\u{1B}" + text) == key(.function(index + 1)))
            }
        }
        #expect(events("\u{1B}[1;2P") == key(.function(1), .shift))
        #expect(events("\u{1B}[24;5~") == key(.function(12), .control))
    }

    @Test(
        "The number block in application mode sends its characters",
        arguments: [
            ("Op", .character("0")), ("Oy", .character("9")), ("Oj", .character("*")), ("Ok", .character("+")),
            ("Om", .character("-")), ("On", .character(".")), ("Oo", .character("/")), ("OX", .character("=")),
            ("OM", .enter),
        ] as [(String, Key.Code)])
    func numberBlock(text: String, code: Key.Code) { #expect(events("\u{1B}" + text) == key(code)) }

    @Test(
        "Kitty's protocol sends keys with modifiers",
        arguments: [
            ("[97u", .character("a"), []), ("[97;5u", .character("a"), .control), ("[27u", .escape, []),
            ("[13;2u", .enter, .shift), ("[9;2u", .tab, .shift), ("[127;3u", .backspace, .alt),
            ("[32;5u", .character(" "), .control),
            ("[97;2u", .character("A"), []), ("[97:65;2u", .character("A"), []), ("[49:33;2u", .character("!"), []),
            ("[97:65:113;6u", .character("A"), .control), ("[49;6u", .character("1"), [.shift, .control]),
            ("[97;3:2u", .character("a"), .alt), ("[97;1;228u", .character("ä"), []), ("[97;;65u", .character("A"), []),
            ("[97;129u", .character("a"), []), ("[97;33u", .character("a"), .alt),
            ("[233;7u", .character("é"), [.alt, .control]),
            ("[57399u", .character("0"), []), ("[57408u", .character("9"), []), ("[57410u", .character("/"), []),
            ("[57413u", .character("+"), []), ("[57414u", .enter, []), ("[57417u", .left, []),
            ("[57420;5u", .down, .control),
            ("[57421u", .pageUp, []), ("[57424u", .end, []), ("[57425u", .insert, []), ("[57426u", .delete, []),
            ("[57376u", .function(13), []), ("[57398u", .function(35), []), ("[1;1:1A", .up, []),
            ("[1;5:2A", .up, .control),
            ("[3;1:2~", .delete, []),
        ] as [(String, Key.Code, Key.Modifiers)])
    func kitty(text: String, code: Key.Code, modifiers: Key.Modifiers) {
        #expect(events("\u{1B}" + text) == key(code, modifiers))
    }

    @Test(
        "Releases, Super, lone modifiers and invalid codes are ignored",
        arguments: [
            "[97;1:3u", "[1;1:3A", "[3;1:3~", "[27;5:3u", "[97;9u", "[1;9A", "[57441;2u", "[57358u", "[55296u",
            "[1114112u", "[99999999999999999999u", "[133u", "[1u", "[0u",
        ])
    func nothing(text: String) { #expect(events("\u{1B}" + text + "q") == keys("q")) }

    @Test(
        "Invalid UTF-8 is dropped, its neighbours are not",
        arguments: [
            [0x80], [0xBF, 0xBF], [0xC0, 0xAF], [0xC3], [0xE2, 0x82], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF0, 0x9F, 0x9A], [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88], [0xFF], [0xC2, 0x9B], [0xC2, 0x80],
        ] as [[UInt8]])
    func invalid(bytes: [UInt8]) {
        var parser = InputParser()
        #expect(parser.parse([0x61] + bytes + [0x62]) == keys("ab"))
        #expect(parser.parse(bytes + Array("\u{1B}[A".utf8)) == key(.up))
    }

    @Test("A control character in a sequence is a key")
    func controlInside() {
        #expect(
            events("\u{1B}[6;\u{03}20;10t") == key(.character("c"), .control) + [
                .reply(.cellPixels(width: 10, height: 20))
            ])
        #expect(events("\u{1B}]11;rgb:00/\r00/00\u{07}") == key(.enter) + [.reply(.background(.black))])
    }

    @Test("CAN and SUB end a sequence", arguments: ["[1;5", "]11;rgb:", "P1$r", "[M", "[M!", "_G", "^x", "Xy"])
    func cancelled(text: String) {
        for end in ["\u{18}", "\u{1A}"] { #expect(events("\u{1B}\(text)\(end)q") == keys("q")) }
    }

    @Test(
        "An escape in a sequence starts the next one", arguments: ["[1;5", "]11;rgb:", "P1$r", "[M", "_G", "^x", "[1 "])
    func interrupted(text: String) {
        #expect(events("\u{1B}\(text)\u{1B}[Aq") == key(.up) + keys("q"))
    }

    @Test(
        "Unknown sequences are dropped whole",
        arguments: [
            "[1;2y", "[99~", "[0 q", "[1;2;3;4v", "[<1;2M", "[<0;0;0M", "[M !!",
            "[" + String(repeating: "1;", count: 500) + "A",
            "[1?2A", "Oz", "[[x", "[9999999999999999999999~", "]0;title\u{1B}\\", "^private\u{1B}\\",
            "Xstring\u{1B}\\", "_apc\u{1B}\\", "Punknown\u{1B}\\",
        ])
    func unknown(text: String) {
        let rest = events("\u{1B}" + text + "q").filter { $0 != .reply(.other) }
        #expect(rest == keys("q"))
    }

    @Test("A lone Escape is reported once a press")
    func escape() {
        var parser = InputParser()
        for (text, typed) in [
            ("\u{1B}", key(.escape)), ("\u{1B}\u{1B}", key(.escape) + key(.escape)),
            ("\u{1B}O", key(.character("O"), .alt)),
        ] {
            #expect(parser.parse(text.utf8).isEmpty && parser.hasPending)
            #expect(parser.timeOut() == typed && !parser.hasPending && parser.timeOut().isEmpty)
            #expect(parser.parse("A".utf8) == keys("A"))
        }
    }

    @Test("While a reply is awaited, Escape is reported after two pauses or with the next key")
    func escapeOrReply() {
        var parser = InputParser()
        #expect(parser.parse([0x1B]).isEmpty && parser.timeOut(awaitingReply: true).isEmpty && parser.hasPending)
        #expect(parser.timeOut(awaitingReply: true) == key(.escape) && !parser.hasPending)
        #expect(events("\u{1B}\u{3}") == events("\u{3}"))
        for rest in ["q", "\u{3}", "\u{1B}[0n"] {
            parser = InputParser()
            #expect((parser.parse([0x1B]) + parser.timeOut(awaitingReply: true)).isEmpty)
            #expect(parser.parse(rest.utf8) == key(.escape) + events(rest))
        }
    }

    @Test("Keys after Escape are reported when they cannot be a reply", arguments: [false, true])
    func typedAfterEscape(awaitingReply: Bool) {
        for text in ["[j", "[19q", "]1a", "]x", "P1a", "Px", "_a", "[ j", "[\r", "]é", "^", "Xy", "O", "[é"] {
            var parser = InputParser()
            var all = parser.parse([0x1B]) + parser.timeOut(awaitingReply: awaitingReply)
            for character in text { all += parser.parse(character.utf8) + parser.timeOut() }
            let expected = text.flatMap { $0 == "\r" ? key(.enter) : keys(String($0)) }
            #expect(all == key(.escape) + expected && !parser.hasPending, "\(text)")
        }
    }

    @Test("After the attributes a string's first byte is a key")
    func nothingOwed() {
        for text in ["]", "P", "_"] {
            var parser = InputParser()
            _ = parser.parse("\u{1B}[?62c\u{1B}".utf8)
            #expect(parser.timeOut() + parser.parse(text.utf8) == key(.escape) + keys(text))
            #expect(parser.parse("\u{1B}\(text)".utf8).isEmpty)
            #expect(parser.timeOut() == text.map { .key(Key(.character($0), .alt)) })
            // A reply without a query is a reply, too.
            let answer = Array("\u{1B}]11;rgb:0/0/0\u{07}".utf8)
            #expect(parser.parse(answer.prefix(9)).isEmpty && parser.timeOut().isEmpty)
            #expect(parser.parse(answer.dropFirst(9)) == [.reply(.background(.black))])
        }
    }

    @Test("Alt with a sequence's first character is reported with the next key")
    func altIntroducer() {
        for (text, first) in [("[j", "["), ("]x", "]"), ("Pq", "P"), ("_q", "_"), ("^q", "^"), ("Xq", "X")]
            as [(String, Character)]
        {
            var parser = InputParser()
            var all = parser.parse("\u{1B}\(first)".utf8) + parser.timeOut()
            all += parser.parse(text.dropFirst().utf8)
            #expect(all == key(.character(first), .alt) + keys(String(text.dropFirst())), "\(text)")
        }
    }
}

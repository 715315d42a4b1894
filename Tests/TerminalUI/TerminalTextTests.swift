import Testing

@testable import SpyglassTerminalUI

@Suite("TerminalText: sanitising")
struct TerminalTextTests {
    private func clean(_ text: String) -> String { TerminalText(cleaning: text).string }

    private static let lineControls: Set<UInt32> = [0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x85]
    private static let allControls = Array<UInt32>(0...0x1F) + Array<UInt32>(0x7F...0x9F)

    @Test("Every control character is replaced: C0, DEL, and C1 in UTF-8 and as a byte", arguments: allControls)
    func controls(_ value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        let expected = Self.lineControls.contains(value) ? "a b" : "a\u{FFFD}b"
        let raw = TerminalText(cleaning: [UInt8(ascii: "a"), UInt8(value), UInt8(ascii: "b")]).string
        #expect([clean("a\(scalar)b"), raw] == [expected, value == 0x85 ? "a\u{FFFD}b" : expected])
    }

    @Test(
        "Line ends, marks, joiners, selectors and spaces stay only where terminals agree on them",
        arguments: [
            // Tabs and line ends become one space, or nothing at the ends.
            ("one\r\n\ttwo\u{2028}three\u{2029}four\u{85}five", "one two three four five"),
            ("\n\ttitle\r\n", "title"), ("a \n b", "a  b"), ("\n", ""),
            // Combining marks are dropped at the start.
            ("\u{301}\u{301}e\u{301}", "e\u{301}"), ("\u{93F}क", "क"), ("\n\u{301}a", "a"),
            ("a\n\u{301}b", "a b"), ("\u{1161}a", "\u{FFFD}a"),
            // Joiners stay inside emoji and non-Latin words.
            ("👩\u{200D}🚀", "👩\u{200D}🚀"), ("می\u{200C}خواهم", "می\u{200C}خواهم"),
            ("a\u{200D}b\u{200C}c", "abc"), ("👩\u{200D}", "👩"), ("\u{200D}👩", "👩"),
            // The emoji selector stays after a default-text emoji.
            ("❤\u{FE0F}", "❤\u{FE0F}"), ("1\u{FE0F}\u{20E3}", "1\u{FE0F}\u{20E3}"),
            ("a\u{FE0F}漢\u{FE0F}", "a漢"), ("⌚\u{FE0E}", "⌚"),
            // Other spaces become a space, except the ideographic one.
            ("a\u{2003}b\u{2009}c\u{205F}d", "a b c d"), ("10\u{202F}000", "10\u{A0}000"),
            ("a\u{3000}b", "a\u{3000}b"),
            // An endless grapheme is replaced.
            (String(repeating: "👩\u{200D}", count: 1000) + "👩", "\u{FFFD}"),
            (String(repeating: "\u{1100}", count: 1000), "\u{FFFD}"),
            (String(repeating: "\u{600}", count: 1000) + "1", "\u{FFFD}"),
        ])
    func cleaned(text: String, expected: String) { #expect(clean(text) == expected) }

    @Test(
        "Invisible and reordering characters are dropped",
        arguments: [
            0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x180E, 0x200B, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C,
            0x202D, 0x202E,
            0x2060, 0x2061, 0x2064, 0x2066, 0x2067, 0x2068, 0x2069, 0x206A, 0x206F, 0x3164, 0xFE00, 0xFE0E, 0xFE0F,
            0xFEFF, 0xFFA0, 0xFFF0, 0xFFF9, 0xFFFA, 0xFFFB, 0x1D173, 0xE0001, 0xE0020, 0xE0061, 0xE007F, 0xE0100,
        ] as [UInt32])
    func invisible(_ value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        #expect(clean("\(scalar)a\(scalar)b") == "ab")
    }

    @Test("Noncharacters are replaced", arguments: [0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF] as [UInt32])
    func noncharacters(_ value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        #expect(clean("a\(scalar)b") == "a\u{FFFD}b")
    }

    @Test("Invalid UTF-8 is replaced: lone, overlong, surrogates, truncated")
    func invalidUTF8() {
        let bytes: [[UInt8]] = [[0xFF], [0xC0, 0x8A], [0xED, 0xA0, 0x80], [0xE2, 0x96], [0xF5, 0x80, 0x80, 0x80]]
        for sequence in bytes {
            let text = TerminalText(cleaning: [UInt8(ascii: "a")] + sequence + [UInt8(ascii: "b")])
            #expect(text.string == "a" + String(repeating: "\u{FFFD}", count: text.string.count - 2) + "b")
        }
    }

    @Test("Ten thousand marks on one letter leave six")
    func zalgo() {
        let text = TerminalText(
            cleaning: "e" + String(repeating: "\u{301}", count: 5000) + String(repeating: "\u{332}", count: 5000) + "x",
            limit: 20_000)
        #expect(text == TerminalText(clean: "e" + String(repeating: "\u{301}", count: 6) + "x", width: 2))
    }

    @Test("Ordinary text is unchanged, ASCII or not")
    func ordinary() {
        for text in [
            "", " · ", "Apollo 11", "Nébuleuse d’Orion — M42", "火星 🚀", "Привет", "שלום", "ไทย", "é", "\u{E000}",
        ] { #expect(clean(text) == text) }
    }

    @Test("Text beyond its limit is truncated with an ellipsis")
    func limit() {
        for (text, limit, expected) in [
            ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcde…"), ("äöü", 2, "äö…"), ("äöü", 3, "äöü"), ("a", 0, "…"),
            ("a", Int.max, "a"),
        ] {
            let texts = [
                TerminalText(cleaning: text, limit: limit), TerminalText(cleaning: Array(text.utf8), limit: limit),
            ]
            #expect(texts.map(\.string) == [expected, expected])
        }
        let long = TerminalText(cleaning: String(repeating: "漢", count: 89_685))
        #expect(long.string.unicodeScalars.count == TerminalText.defaultLimit + 1)
    }

    @Test("The standard library's properties decide for other scalars")
    func everyScalar() {
        for value in UInt32(0x300)...0x1FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let properties = scalar.properties
            let result = clean("é\(scalar)b").unicodeScalars.dropFirst().dropLast()
            let isRight =
                switch properties.generalCategory {
                case _ where properties.isNoncharacterCodePoint: result.elementsEqual(["\u{FFFD}"])
                case .spaceSeparator, .lineSeparator, .paragraphSeparator: result.count == 1
                case _ where properties.isJoinControl: result.count == 1
                case _ where properties.isDefaultIgnorableCodePoint: result.isEmpty
                case .format: result.isEmpty || CharacterWidth.ofScalar(scalar) != .zero
                case .nonspacingMark, .enclosingMark, .spacingMark: result.elementsEqual([scalar])
                // Hangul vowels alone.
                case _ where CharacterWidth.ofScalar(scalar) == .zero: result.elementsEqual(["\u{FFFD}"])
                default: result.elementsEqual([scalar])
                }
            #expect(isRight, "\(value)")
        }
    }

    @Test("Literals and interpolations are cleaned")
    func literals() {
        let hostile = "\u{1B}[2J"
        let text: TerminalText = "see \(hostile)!"
        #expect(text.string == "see \u{FFFD}[2J!")
    }

    @Test("Joined texts are measured as one")
    func joined() {
        let (flag, mixed): (TerminalText, TerminalText) = ("\u{1F1E9}" + "\u{1F1EA}", "ab" + "漢")
        #expect([flag, mixed].map(\.width) == [2, 4])
    }

    @Test("Random bytes yield no control or invisible character")
    func randomBytes() {
        var generator = Seeded(4)
        for _ in 0..<2000 {
            let text = TerminalText(cleaning: RandomText.bytes(&generator))
            for scalar in text.string.unicodeScalars {
                let isHarmless =
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator: false
                    default: !scalar.properties.isBidiControl
                    }
                #expect(isHarmless, "\(scalar.value)")
            }
            #expect(text.string.allSatisfy { CharacterWidth.of($0) > 0 && $0.unicodeScalars.count <= 16 })
            #expect(text.width == CharacterWidth.of(text.string))
            #expect(TerminalText(cleaning: text.string).string == text.string, "cleaning twice changes nothing")
        }
    }
}

/// Bytes that are likely to cause errors.
enum RandomText {
    private static let pieces: [String] = [
        "a", " ", " ", "    ", "-", "Mars", "\u{1B}[31m", "\n", "\u{301}", "\u{200D}", "\u{FE0F}", "👩", "🚀", "🏽",
        "\u{1F1E9}", "漢", "、", "ー",
        "\u{202E}", "\u{9B}", "\u{E0061}", "क", "\u{94D}", "\u{93F}", "\u{1100}", "\u{1161}", "\u{11A8}", "❤", "1",
        "\u{20E3}",
        "\u{600}", "é", "…", "\u{3000}", "\u{AD}", "ﾊ", "ﾞ",
    ]

    static func bytes(_ generator: inout Seeded) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...40, using: &generator) {
            if Int.random(in: 0..<8, using: &generator) == 0 {
                bytes.append(UInt8.random(in: 0...255, using: &generator))
            } else {
                bytes += Array(pieces[Int.random(in: 0..<pieces.count, using: &generator)].utf8)
            }
        }
        return bytes
    }
}

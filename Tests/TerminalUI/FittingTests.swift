import Testing

@testable import SpyglassTerminalUI

@Suite("TerminalText: fitting")
struct FittingTests {
    private func truncated(_ text: String, _ columns: Int, _ glyphs: GlyphSet = .utf8) -> String {
        TerminalText(cleaning: text).truncated(to: columns, glyphs: glyphs).string
    }

    private func wrapped(_ text: String, _ columns: Int, maxLines: Int = .max, _ glyphs: GlyphSet = .utf8) -> [String] {
        TerminalText(cleaning: text).wrapped(to: columns, maxLines: maxLines, glyphs: glyphs).map(\.string)
    }

    @Test(
        "Truncated text ends in an ellipsis, and no grapheme or wide character is split",
        arguments: [
            ("Apollo", 6, "Apollo"), ("Apollo", 5, "Apol…"), ("Apollo 11", 8, "Apollo…"), ("Apollo", 1, "…"),
            ("Apollo", 0, ""), ("Apollo", -3, ""), ("漢字漢字", 6, "漢字…"), ("漢字漢字", 5, "漢字…"),
            ("漢字漢字", 4, "漢…"), ("👨\u{200D}👩\u{200D}👧x👧", 4, "👨\u{200D}👩\u{200D}👧x…"),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ])
    func truncation(text: String, columns: Int, expected: String) { #expect(truncated(text, columns) == expected) }

    @Test("Padding fills to a width; wider text is unchanged")
    func padding() {
        #expect(TerminalText(cleaning: "漢").padded(to: 4) == TerminalText(clean: "漢  ", width: 4))
        #expect(TerminalText(cleaning: "Mars").padded(to: 2) == "Mars")
    }

    @Test(
        "Lines break at spaces, which are dropped, at hyphens in words, and between wide characters",
        arguments: [
            ("the quick brown fox", 9, ["the quick", "brown fox"]),
            ("the quick brown fox", 10, ["the quick", "brown fox"]), ("the   quick", 5, ["the", "quick"]),
            ("one two ", 3, ["one", "two"]), ("      one", 3, ["one"]), ("one      two", 3, ["one", "two"]),
            ("     ", 3, []), ("", 10, []), ("fits", 10, ["fits"]),
            // After a hyphen inside a word, not inside an option and not before a number.
            ("ultra-violet", 7, ["ultra-", "violet"]), ("run it --archive x", 9, ["run it", "--archive", "x"]),
            ("big (--work-memory) re-read", 16, ["big", "(--work-memory)", "re-read"]),
            ("--work-memory re-read", 16, ["--work-memory", "re-read"]),
            ("--no-cache re-read", 14, ["--no-cache re-", "read"]), ("show -n 5", 6, ["show", "-n 5"]),
            ("wide-field view", 6, ["wide-", "field", "view"]),
            ("at -270 degrees", 4, ["at", "-270", "degr", "ees"]),
            // A word longer than a line at a grapheme.
            ("abcdefgh ij", 3, ["abc", "def", "gh", "ij"]), ("a bcdefg", 3, ["a", "bcd", "efg"]),
            ("👩\u{200D}🚀👩\u{200D}🚀", 3, ["👩\u{200D}🚀", "👩\u{200D}🚀"]),
            // Chinese and Japanese anywhere but at punctuation.
            ("火星探査機", 4, ["火星", "探査", "機"]), ("火星、探査", 5, ["火", "星、", "探査"]),
            ("火「星」", 4, ["火", "「星", "」"]), ("NASA火星", 6, ["NASA火", "星"]),
            // One column shows something of every text.
            ("ab c", 1, ["a", "b", "c"]), ("漢a", 1, ["\u{FFFD}", "a"]), ("漢a", 0, ["\u{FFFD}", "a"]),
        ] as [(String, Int, [String])])
    func lines(text: String, columns: Int, expected: [String]) { #expect(wrapped(text, columns) == expected) }

    @Test(
        "More lines than the maximum end in an ellipsis",
        arguments: [
            ("one two three four", 5, 2, ["one", "two…"]), ("one two", 5, 2, ["one", "two"]), ("one two", 5, 0, []),
            ("abcdef", 3, 1, ["ab…"]),
        ] as [(String, Int, Int, [String])])
    func maxLines(text: String, columns: Int, limit: Int, expected: [String]) {
        #expect(wrapped(text, columns, maxLines: limit) == expected)
    }

    @Test("In ASCII the ellipsis is three points, and a wide character that does not fit is a question mark")
    func narrowASCII() {
        #expect([5, 2].map { truncated("Apollo", $0, .ascii) } == ["Ap...", ".."])
        #expect(wrapped("one two three four", 5, maxLines: 2, .ascii) == ["one", "tw..."])
        #expect(wrapped("漢a", 1, .ascii) == ["?", "a"])
    }

    @Test(
        "ASCII transliterates Latin and punctuation, others become ?",
        arguments: [
            ("Ansel · 1942 – “Moon” ‘rise’…", "Ansel - 1942 - \"Moon\" 'rise'..."),
            ("Ångström, Łódź, Nuño, Straße, Æsir, Ÿ, ſ, ž", "Angstrom, Lodz, Nuno, Strasse, AEsir, Y, s, z"),
            ("e\u{301}te\u{301}", "ete"), ("火星 👩\u{200D}🚀 \u{1B}", "?? ? ?"), ("© ½ × ° €", "(c) 1/2 x ? EUR"),
        ])
    func ascii(text: String, expected: String) {
        let ascii = TerminalText(cleaning: text).shown(in: .ascii)
        #expect(ascii == TerminalText(clean: expected, width: expected.count))
    }

    @Test("No line is too wide, and only spaces are lost")
    func randomTexts() {
        var generator = Seeded(5)
        for _ in 0..<1000 {
            let text = TerminalText(cleaning: RandomText.bytes(&generator))
            let columns = Int.random(in: 1...12, using: &generator)
            for glyphs in [GlyphSet.utf8, .ascii] {
                let lines = text.wrapped(to: columns, glyphs: glyphs)
                let short = text.truncated(to: columns, glyphs: glyphs)
                let all = lines + [short]
                #expect(all.allSatisfy { $0.width <= columns && $0.width == CharacterWidth.of($0.string) })
                #expect(glyphs == .utf8 || all.allSatisfy(\.isASCII))
                if columns >= 2 * TextSanitizer.maxGrapheme || glyphs == .ascii {
                    let joined = lines.map(\.string).joined().filter { $0 != " " }
                    #expect(joined == text.shown(in: glyphs).string.filter { $0 != " " })
                }
                #expect(text.wrapped(to: columns, maxLines: 2, glyphs: glyphs).count <= 2)
            }
        }
    }
}

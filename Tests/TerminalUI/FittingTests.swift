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

    @Test("Truncated text ends in an ellipsis")
    func truncation() {
        #expect(truncated("Apollo", 6) == "Apollo")
        #expect(truncated("Apollo", 5) == "Apol…")
        #expect(truncated("Apollo 11", 8) == "Apollo…")
        #expect(truncated("Apollo", 5, .ascii) == "Ap...")
        #expect(truncated("Apollo", 1) == "…")
        #expect(truncated("Apollo", 2, .ascii) == "..")
        #expect(truncated("Apollo", 0) == "")
        #expect(truncated("Apollo", -3) == "")
    }

    @Test("Truncation never splits a grapheme or a wide character")
    func truncationAtGraphemes() {
        #expect(truncated("漢字漢字", 6) == "漢字…")
        #expect(truncated("漢字漢字", 5) == "漢字…")
        #expect(truncated("漢字漢字", 4) == "漢…")
        #expect(truncated("👨\u{200D}👩\u{200D}👧x👧", 4) == "👨\u{200D}👩\u{200D}👧x…")
        #expect(truncated("e\u{301}e\u{301}e\u{301}", 2) == "e\u{301}…")
    }

    @Test("Padding fills to a width; wider text is unchanged")
    func padding() {
        #expect(TerminalText(cleaning: "漢").padded(to: 4).string == "漢  ")
        #expect(TerminalText(cleaning: "漢").padded(to: 4).width == 4)
        #expect(TerminalText(cleaning: "Mars").padded(to: 2).string == "Mars")
    }

    @Test("Lines break at spaces, which are dropped")
    func words() {
        #expect(wrapped("the quick brown fox", 9) == ["the quick", "brown fox"])
        #expect(wrapped("the quick brown fox", 10) == ["the quick", "brown fox"])
        #expect(wrapped("the   quick", 5) == ["the", "quick"])
        #expect(wrapped("one two ", 3) == ["one", "two"])
        #expect(wrapped("      one", 3) == ["one"])
        #expect(wrapped("one      two", 3) == ["one", "two"])
        #expect(wrapped("     ", 3) == [])
        #expect(wrapped("", 10) == [])
        #expect(wrapped("fits", 10) == ["fits"])
    }

    @Test("A line breaks after a hyphen inside a word, not inside an option")
    func options() {
        #expect(wrapped("ultra-violet", 7) == ["ultra-", "violet"])
        #expect(wrapped("run it --archive x", 9) == ["run it", "--archive", "x"])
        #expect(wrapped("big (--work-memory) re-read", 16) == ["big", "(--work-memory)", "re-read"])
        #expect(wrapped("--work-memory re-read", 16) == ["--work-memory", "re-read"])
        #expect(wrapped("--no-cache re-read", 14) == ["--no-cache re-", "read"])
        #expect(wrapped("show -n 5", 6) == ["show", "-n 5"])
    }

    @Test("A word longer than a line breaks at a grapheme")
    func longWords() {
        #expect(wrapped("abcdefgh ij", 3) == ["abc", "def", "gh", "ij"])
        #expect(wrapped("a bcdefg", 3) == ["a", "bcd", "efg"])
        #expect(wrapped("👩\u{200D}🚀👩\u{200D}🚀", 3) == ["👩\u{200D}🚀", "👩\u{200D}🚀"])
    }

    @Test("Lines break after a hyphen in a word, not before a number")
    func hyphens() {
        #expect(wrapped("wide-field view", 6) == ["wide-", "field", "view"])
        #expect(wrapped("at -270 degrees", 4) == ["at", "-270", "degr", "ees"])
    }

    @Test("Chinese and Japanese lines break anywhere but at punctuation")
    func ideographs() {
        #expect(wrapped("火星探査機", 4) == ["火星", "探査", "機"])
        #expect(wrapped("火星、探査", 5) == ["火", "星、", "探査"])
        #expect(wrapped("火「星」", 4) == ["火", "「星", "」"])
        #expect(wrapped("NASA火星", 6) == ["NASA火", "星"])
    }

    @Test("More lines than the maximum end in an ellipsis")
    func maxLines() {
        #expect(wrapped("one two three four", 5, maxLines: 2) == ["one", "two…"])
        #expect(wrapped("one two three four", 5, maxLines: 2, .ascii) == ["one", "tw..."])
        #expect(wrapped("one two", 5, maxLines: 2) == ["one", "two"])
        #expect(wrapped("one two", 5, maxLines: 0) == [])
        #expect(wrapped("abcdef", 3, maxLines: 1) == ["ab…"])
    }

    @Test("One column shows something of every text")
    func oneColumn() {
        #expect(wrapped("ab c", 1) == ["a", "b", "c"])
        #expect(wrapped("漢a", 1) == ["\u{FFFD}", "a"])
        #expect(wrapped("漢a", 0) == ["\u{FFFD}", "a"])
        #expect(wrapped("漢a", 1, .ascii) == ["?", "a"])
    }

    @Test("ASCII transliterates Latin and punctuation, others become ?")
    func ascii() {
        func ascii(_ text: String) -> String { TerminalText(cleaning: text).shown(in: .ascii).string }
        #expect(ascii("Ansel · 1942 – “Moon” ‘rise’…") == "Ansel - 1942 - \"Moon\" 'rise'...")
        #expect(ascii("Ångström, Łódź, Nuño, Straße, Æsir, Ÿ, ſ, ž") == "Angstrom, Lodz, Nuno, Strasse, AEsir, Y, s, z")
        #expect(ascii("e\u{301}te\u{301}") == "ete")
        #expect(ascii("火星 👩\u{200D}🚀 \u{1B}") == "?? ? ?")
        #expect(ascii("© ½ × ° €") == "(c) 1/2 x ? EUR")
        #expect(TerminalText(cleaning: "…").shown(in: .ascii).width == 3)
    }

    @Test("No line is too wide, and only spaces are lost")
    func randomTexts() {
        var generator = Seeded(5)
        for _ in 0..<1000 {
            let text = TerminalText(cleaning: RandomText.bytes(&generator))
            let columns = Int.random(in: 1...12, using: &generator)
            for glyphs in [GlyphSet.utf8, .ascii] {
                let lines = text.wrapped(to: columns, glyphs: glyphs)
                #expect(lines.allSatisfy { $0.width <= columns && $0.width == CharacterWidth.of($0.string) })
                if columns >= 2 * TextSanitizer.maxGrapheme || glyphs == .ascii {
                    let joined = lines.map(\.string).joined().filter { $0 != " " }
                    #expect(joined == text.shown(in: glyphs).string.filter { $0 != " " })
                }
                let short = text.truncated(to: columns, glyphs: glyphs)
                #expect(short.width <= columns && short.width == CharacterWidth.of(short.string))
                #expect(text.wrapped(to: columns, maxLines: 2, glyphs: glyphs).count <= 2)
                if glyphs == .ascii { #expect(lines.allSatisfy(\.isASCII) && short.isASCII) }
            }
        }
    }
}

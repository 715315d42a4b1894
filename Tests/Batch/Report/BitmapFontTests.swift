import Testing

@testable import SpyglassBatch

@Suite("BitmapFont")
struct BitmapFontTests {
    @Test("A letter starts in its top left corner")
    func letter() {
        let rows = (0..<BitmapFont.rowCount).map { row in
            (0..<5).map { BitmapFont.bits(of: UInt8(ascii: "F"), row: row) & (16 >> UInt8($0)) != 0 ? "#" : "." }
                .joined()
        }
        #expect(rows == ["#####", "#....", "#....", "####.", "#....", "#....", "#....", "....."])
    }

    @Test("Every character has its own glyph, five pixels wide")
    func glyphs() {
        let glyphs = (UInt8(0x20)...0x7E).map { character in
            (0..<BitmapFont.rowCount).map { BitmapFont.bits(of: character, row: $0) }
        }
        #expect(Set(glyphs).count == 95)
        #expect(glyphs.allSatisfy { $0.allSatisfy { $0 < 32 } })
    }

    @Test(
        "Accents are removed; unknown characters become question marks",
        arguments: [
            ("Crème brûlée", "Creme brulee"), ("e\u{301}", "e"), ("Łódź", "Lodz"), ("Ænima ſ", "Anima s"),
            ("日本\u{1b}", "???"), ("×÷ÿĀ", "x/yA"),
        ])
    func transliteration(_ text: String, _ shown: String) {
        #expect(String(decoding: BitmapFont.characters(of: text), as: UTF8.self) == shown)
    }

    @Test(
        "A long name loses its middle",
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdefgh.jpg", 8, "abc..jpg"), ("abcdefgh.jpg", 7, "abc..pg"), ("abc", 2, "ab"),
        ])
    func shortening(_ text: String, _ count: Int, _ shown: String) {
        #expect(BitmapFont.shortened(Array(text.utf8), to: count) == Array(shown.utf8))
    }
}

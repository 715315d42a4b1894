import Testing

@testable import SpyglassTerminalUI

@Suite("CharacterWidth")
struct CharacterWidthTests {
    @Test(
        "Hard cases have the width of most terminals",
        arguments: [
            ("a", 1), (" ", 1), ("~", 1), ("é", 1), ("e\u{301}", 1), ("©", 1), ("·", 1), ("…", 1), ("█", 1),
            ("\u{FFFD}", 1),
            ("漢", 2), ("あ", 2), ("、", 2), ("Ａ", 2), ("ｱ", 1), ("ﾊﾞ", 2), ("が", 2), ("か\u{3099}", 2), ("\u{3000}", 2),
            ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("\u{20000}", 2), ("\u{3FFFD}", 2), ("☰", 2), ("㎏", 2),
            ("नि", 2), ("क्ष", 2), ("क्षि", 3), ("ก็", 1), ("กำ", 2), ("ம்", 1), ("שׁ", 1), ("ع", 1), ("عً", 1),
            ("🚀", 2), ("⌚", 2), ("❤", 1), ("❤\u{FE0F}", 2), ("☎", 1), ("☎\u{FE0F}", 2), ("👍🏽", 2), ("☝🏽", 2),
            ("👩\u{200D}🚀", 2), ("👨\u{200D}👩\u{200D}👧\u{200D}👦", 2), ("🧑🏽\u{200D}🤝\u{200D}🧑🏿", 2),
            ("❤\u{FE0F}\u{200D}🔥", 2), ("❤\u{200D}🔥", 2), ("🏳\u{FE0F}\u{200D}🌈", 2), ("⛹🏽\u{200D}♂\u{FE0F}", 2),
            ("🇩🇪", 2), ("\u{1F1E9}", 2), ("1\u{FE0F}\u{20E3}", 2), ("#\u{FE0F}\u{20E3}", 2), ("1\u{20E3}", 1),
            ("🏽", 2), ("a🏽", 3), ("漢🏽", 4), ("1🏽", 3), ("\u{1FAE8}", 2), ("\u{1FADF}", 2),
            ("Z\u{351}\u{36B}\u{343}", 1), ("\u{600}1", 2),
        ])
    func hardCases(_ text: String, _ width: Int) {
        #expect(CharacterWidth.of(text) == width)
    }

    @Test("Emoji are wide, or wide with a selector")
    func emojiProperties() {
        for value in UInt32(0x80)...0x1FFFF {
            guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age.major <= 17 else { continue }
            let properties = scalar.properties
            let isRight =
                switch CharacterWidth.ofScalar(scalar) {
                case .wide: true
                case .narrowEmoji: properties.isEmoji && !properties.isEmojiPresentation
                case .narrow, .zero: !properties.isEmoji
                }
            #expect(isRight, "\(value)")
        }
    }

    @Test("Marks of width zero are Unicode's nonspacing and enclosing marks")
    func marks() {
        for value in UInt32(0x300)...0x1FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isZero = CharacterWidth.ofScalar(scalar) == .zero
            let isRight =
                switch scalar.properties.generalCategory {
                case .nonspacingMark, .enclosingMark: isZero
                case .uppercaseLetter, .lowercaseLetter, .decimalNumber, .mathSymbol: !isZero
                default: true
                }
            #expect(isRight, "\(value)")
        }
    }
}

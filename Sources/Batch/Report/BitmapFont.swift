/// An ASCII font of 5x7 pixels in cells of 6x10; descenders have an eighth row.
enum BitmapFont {
    static let advance = 6
    static let lineHeight = 10
    static let rowCount = 8

    /// A row of a glyph, from the left in bits 4 to 0; `?` for anything but printable ASCII.
    static func bits(of character: UInt8, row: Int) -> UInt8 {
        let index = (0x20...0x7E).contains(character) ? Int(character) - 0x20 : 0x1F
        return UInt8(truncatingIfNeeded: glyphs[index] >> (8 * UInt64(rowCount - 1 - row)))
    }

    private static let glyphs: [UInt64] = [
        0x0000_0000_0000_0000, 0x0404_0404_0400_0400, 0x0A0A_0A00_0000_0000, 0x0A0A_1F0A_1F0A_0A00,  // space ! " #
        0x040F_140E_051E_0400, 0x1819_0204_0813_0300, 0x0C12_1408_1512_0D00, 0x0404_0800_0000_0000,  // $ % & '
        0x0204_0808_0804_0200, 0x0804_0202_0204_0800, 0x0004_150E_1504_0000, 0x0004_041F_0404_0000,  // ( ) * +
        0x0000_0000_000C_0408, 0x0000_001F_0000_0000, 0x0000_0000_000C_0C00, 0x0001_0204_0810_0000,  // , - . /
        0x0E11_1315_1911_0E00, 0x040C_0404_0404_0E00, 0x0E11_0102_0408_1F00, 0x1F02_0402_0111_0E00,  // 0 1 2 3
        0x0206_0A12_1F02_0200, 0x1F10_1E01_0111_0E00, 0x0608_101E_1111_0E00, 0x1F01_0204_0808_0800,  // 4 5 6 7
        0x0E11_110E_1111_0E00, 0x0E11_110F_0102_0C00, 0x000C_0C00_0C0C_0000, 0x000C_0C00_0C04_0800,  // 8 9 : ;
        0x0204_0810_0804_0200, 0x0000_1F00_1F00_0000, 0x0804_0201_0204_0800, 0x0E11_0102_0400_0400,  // < = > ?
        0x0E11_1715_1710_0E00, 0x0E11_111F_1111_1100, 0x1E11_111E_1111_1E00, 0x0E11_1010_1011_0E00,  // @ A B C
        0x1C12_1111_1112_1C00, 0x1F10_101E_1010_1F00, 0x1F10_101E_1010_1000, 0x0E11_1017_1111_0F00,  // D E F G
        0x1111_111F_1111_1100, 0x0E04_0404_0404_0E00, 0x0702_0202_0212_0C00, 0x1112_1418_1412_1100,  // H I J K
        0x1010_1010_1010_1F00, 0x111B_1515_1111_1100, 0x1111_1915_1311_1100, 0x0E11_1111_1111_0E00,  // L M N O
        0x1E11_111E_1010_1000, 0x0E11_1111_1512_0D00, 0x1E11_111E_1412_1100, 0x0F10_100E_0101_1E00,  // P Q R S
        0x1F04_0404_0404_0400, 0x1111_1111_1111_0E00, 0x1111_1111_110A_0400, 0x1111_1115_151B_1100,  // T U V W
        0x1111_0A04_0A11_1100, 0x1111_0A04_0404_0400, 0x1F01_0204_0810_1F00, 0x0E08_0808_0808_0E00,  // X Y Z [
        0x0010_0804_0201_0000, 0x0E02_0202_0202_0E00, 0x040A_1100_0000_0000, 0x0000_0000_0000_001F,  // \ ] ^ _
        0x0804_0000_0000_0000, 0x0000_0E01_0F11_0F00, 0x1010_1619_1111_1E00, 0x0000_0E10_1011_0E00,  // ` a b c
        0x0101_0D13_1111_0F00, 0x0000_0E11_1F10_0E00, 0x0609_081C_0808_0800, 0x0000_0F11_110F_010E,  // d e f g
        0x1010_1619_1111_1100, 0x0400_0C04_0404_0E00, 0x0200_0602_0202_120C, 0x1010_1214_1814_1200,  // h i j k
        0x0C04_0404_0404_0E00, 0x0000_1A15_1511_1100, 0x0000_1619_1111_1100, 0x0000_0E11_1111_0E00,  // l m n o
        0x0000_1E11_111E_1010, 0x0000_0F11_110F_0101, 0x0000_1619_1010_1000, 0x0000_0F10_0E01_1E00,  // p q r s
        0x0808_1C08_0809_0600, 0x0000_1111_1113_0D00, 0x0000_1111_110A_0400, 0x0000_1111_1515_0A00,  // t u v w
        0x0000_110A_040A_1100, 0x0000_1111_110F_010E, 0x0000_1F02_0408_1F00, 0x0204_0408_0404_0200,  // x y z {
        0x0404_0404_0404_0404, 0x0804_0402_0404_0800, 0x0000_0815_0200_0000,  // | } ~
    ]

    /// Maps text to ASCII: Latin letters lose their accents, others become `?`.
    static func characters(of text: String) -> [UInt8] {
        text.unicodeScalars.compactMap { scalar in
            switch scalar.value {
            case 0x20...0x7E: UInt8(scalar.value)
            case latinStart..<latinStart + UInt32(latin.count): latin[Int(scalar.value - latinStart)]
            // Combining accents, as in decomposed file names.
            case 0x0300...0x036F: nil
            default: UInt8(ascii: "?")
            }
        }
    }

    /// Shortens text in the middle, since names differ at both ends.
    static func shortened(_ text: [UInt8], to count: Int) -> [UInt8] {
        guard text.count > count else { return text }
        guard count > 4 else { return Array(text.prefix(count)) }
        let kept = count - 2
        return text.prefix(kept - kept / 2) + [UInt8(ascii: "."), UInt8(ascii: ".")] + text.suffix(kept / 2)
    }

    private static let latinStart: UInt32 = 0xC0
    /// The letters without accents from U+00C0 to U+017F (Latin-1 Supplement, Latin Extended-A).
    private static let latin = Array(
        """
        AAAAAAACEEEEIIIIDNOOOOOxOUUUUYPsaaaaaaaceeeeiiiidnooooo/ouuuuypy\
        AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiJjJjKkkLlLlLlLlLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTt\
        UuUuUuUuUuUuWwYyYZzZzZzs
        """.utf8)
}

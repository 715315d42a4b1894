/// Numbers as 16 hexadecimal digits.
enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ number: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { buffer in
            for place in 0..<16 { buffer[place] = digits[Int(number >> UInt64(4 * (15 - place)) & 0xF)] }
            return 16
        }
    }

    /// Sixteen lower-case digits; `nil` for anything else.
    static func number(_ text: some StringProtocol) -> UInt64? {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ digits.contains($0) }) else { return nil }
        return UInt64(text, radix: 16)
    }
}

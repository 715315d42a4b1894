/// FNV-1a, 64 bits (draft-eastlake-fnv): the same in every run, unlike `Hasher`.
///
/// It does not resist chosen collisions.
package enum FNV1a {
    package static func hash(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { hash($0) }
    }

    /// Hashes bytes, or continues a hash.
    @inlinable
    package static func hash(_ bytes: some Sequence<UInt8>, from start: UInt64 = 0xcbf2_9ce4_8422_2325) -> UInt64 {
        bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}

/// Numbers as lower-case hexadecimal digits with leading zeros.
package enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Writes the last `count` digits of a number.
    package static func text(_ number: UInt64, digits count: Int = 16) -> String {
        String(unsafeUninitializedCapacity: count) { buffer in
            for index in 0..<count { buffer[index] = digits[Int(number >> UInt64(4 * (count - 1 - index)) & 0xF)] }
            return count
        }
    }

    /// Reads 16 digits; `nil` for anything else.
    package static func number(_ text: some StringProtocol) -> UInt64? {
        text.utf8.count == 16 && isHex(text) ? UInt64(text, radix: 16) : nil
    }

    /// Whether there are only lower-case digits.
    package static func isHex(_ text: some StringProtocol) -> Bool { text.utf8.allSatisfy { digits.contains($0) } }
}

/// XXH64 of "xxHash fast digest algorithm" 0.1.1: detects damage, does not resist attacks.
package enum XXHash64 {
    // The five primes of the specification.
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    package static func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { hash($0, seed: seed) }
    }

    /// The bytes need not be aligned.
    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        let count = bytes.count
        var offset = 0
        var sum: UInt64
        if let base = bytes.baseAddress, count >= 32 {
            var lane1 = seed &+ prime1 &+ prime2
            var lane2 = seed &+ prime2
            var lane3 = seed
            var lane4 = seed &- prime1
            repeat {
                lane1 = round(lane1, word(base, offset))
                lane2 = round(lane2, word(base, offset &+ 8))
                lane3 = round(lane3, word(base, offset &+ 16))
                lane4 = round(lane4, word(base, offset &+ 24))
                offset &+= 32
            } while count &- offset >= 32
            sum = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
            for lane in [lane1, lane2, lane3, lane4] { sum = (sum ^ round(0, lane)) &* prime1 &+ prime4 }
        } else {
            sum = seed &+ prime5
        }
        sum &+= UInt64(count)
        if let base = bytes.baseAddress { sum = finish(sum, base, offset, count) }
        sum = (sum ^ sum >> 33) &* prime2
        sum = (sum ^ sum >> 29) &* prime3
        return sum ^ sum >> 32
    }

    /// The last bytes, fewer than 32.
    private static func finish(_ start: UInt64, _ base: UnsafeRawPointer, _ done: Int, _ count: Int) -> UInt64 {
        var sum = start
        var offset = done
        while count &- offset >= 8 {
            sum = rotate(sum ^ round(0, word(base, offset)), 27) &* prime1 &+ prime4
            offset &+= 8
        }
        if count &- offset >= 4 {
            let half = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            sum = rotate(sum ^ UInt64(half) &* prime1, 23) &* prime2 &+ prime3
            offset &+= 4
        }
        while offset < count {
            let byte = base.load(fromByteOffset: offset, as: UInt8.self)
            sum = rotate(sum ^ UInt64(byte) &* prime5, 11) &* prime1
            offset &+= 1
        }
        return sum
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 { value &<< bits | value &>> (64 &- bits) }

    @inline(__always)
    private static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

/// FNV-1a, 64 bits (draft-eastlake-fnv): the same in every run, unlike `Hasher`.
///
/// It does not resist chosen collisions.
package enum FNV1a {
    package static func hash(_ text: String) -> UInt64 { hash(text.utf8) }

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

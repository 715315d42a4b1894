import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("LZW")
struct LZWTests {
    /// Decodes data that arrives in parts.
    private func decoded(_ data: [UInt8], codeSize: Int, count: Int, parts: Int = .max) -> [UInt8] {
        var decoder = LZWDecoder()
        decoder.start(codeSize: codeSize, count: count)
        for start in stride(from: 0, to: data.count, by: min(parts, max(data.count, 1))) {
            decoder.decode(data[start..<min(start + min(parts, data.count), data.count)].span)
        }
        return decoder.withBytes(0..<decoder.count) { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// Runs, gradients and noise.
    private func indices(_ random: inout SeededRandom, codeSize: Int) -> [UInt8] {
        let mask = UInt8((1 << min(codeSize, 8)) - 1)
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let count = Int.random(in: 1...3_000, using: &random)
            let first = UInt8.random(in: .min ... .max, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes += repeatElement(first & mask, count: count)
            case 1: bytes += (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) & mask }
            default: bytes += (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) & mask }
            }
        }
        return bytes
    }

    @Test("Any encoded bytes are decoded, in parts of any length", arguments: 0..<60)
    func roundTrip(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let codeSize = Int.random(in: 2...8, using: &random)
        let bytes = indices(&random, codeSize: codeSize)
        let data = GIFFile.lzw(bytes, codeSize: codeSize, clears: seed % 3 != 0)
        for parts in [Int.max, 1, 7, 8, 255] {
            let isEqual = decoded(data, codeSize: codeSize, count: bytes.count, parts: parts) == bytes
            #expect(isEqual, "parts of \(parts)")
        }
    }

    @Test("More bytes than wanted are left out, fewer are given")
    func counts() {
        let bytes = (0..<1_000).map { UInt8($0 / 50 % 4) }
        let data = GIFFile.lzw(bytes, codeSize: 2)
        let found = [0, 333, 5_000].map { decoded(data, codeSize: 2, count: $0) }
        #expect(found == [[], Array(bytes[..<333]), bytes])
    }

    @Test("A string is cut at any length, also one that repeats what was just decoded")
    func cutStrings() {
        let bytes = (0..<300).map { UInt8($0 % 2) }
        let data = GIFFile.lzw(bytes, codeSize: 2)
        for count in bytes.indices { #expect(decoded(data, codeSize: 2, count: count) == Array(bytes[..<count])) }
    }

    @Test(
        "Unusual codes: a size of 1, of three bits from the second on, as in giflib; no clear code; one without a string"
    )
    func unusual() {
        for (data, codeSize, expected) in [
            // Clear and 0 of two bits; 1, 4 (which is 0 1) and the end of three.
            ([0b0_001_00_10, 0b0_011_10], 1, [0, 1, 0, 1]),
            // 0, 1, 6 (which is 0 1), and the end, of four bits.
            ([0b10_001_000, 0b000_0101_1], 2, [0, 1, 0, 1]),
            // Clear, 1, then 7, which has no string yet and ends the data.
            ([0b11_001_100, 0b1], 2, [1]),
        ] as [([UInt8], Int, [UInt8])] { #expect(decoded(data, codeSize: codeSize, count: 100) == expected) }
    }

    @Test("Any data ends without a trap", arguments: 0..<200)
    func noise(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let data = (0..<5_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        for codeSize in LZWDecoder.codeSizes {
            #expect(decoded(data, codeSize: codeSize, count: 10_000).count <= 10_000)
        }
    }

    @Test("A decoder is used again, with fewer and with more bytes")
    func again() {
        var decoder = LZWDecoder()
        for count in [100, 10, 5_000, 0, 3] {
            let bytes = (0..<count).map { UInt8($0 * $0 % 4) }
            decoder.start(codeSize: 2, count: count)
            decoder.decode(GIFFile.lzw(bytes, codeSize: 2).span)
            let isEqual =
                decoder.hasEnded && decoder.count == count
                && decoder.withBytes(0..<count) { span in
                    bytes.indices.allSatisfy { span[$0] == bytes[$0] }
                }
            #expect(isEqual)
        }
    }
}

/// Repeatable numbers (xorshift64*).
private struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 2 &+ 1 }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }
}

import Testing

@testable import SpyglassCaching

@Suite("XXH64")
struct XXHash64Tests {
    /// The generator of the reference implementation's own check (`XSUM_fillTestBuffer`).
    private static let buffer: [UInt8] = {
        var state: UInt64 = 2_654_435_761
        return (0..<222).map { _ in
            defer { state &*= 11_400_714_785_074_694_797 }
            return UInt8(state >> 56)
        }
    }()

    @Test(
        "The reference implementation's vectors hold",
        arguments: [
            (0, 0, 0xEF46_DB37_51D8_E999), (0, 2_654_435_761, 0xAC75_FDA2_929B_17EF),
            (1, 0, 0xE934_A84A_DB05_2768), (1, 2_654_435_761, 0x5014_6076_43A9_B4C3),
            (4, 0, 0x9136_A0DC_A574_57EE),
            (14, 0, 0x8282_DCC4_994E_35C8), (14, 2_654_435_761, 0xC3BD_6BF6_3DEB_6DF0),
            (222, 0, 0xB641_AE8C_B691_C174), (222, 2_654_435_761, 0x20CB_8AB7_AE10_C14A),
        ] as [(Int, UInt64, UInt64)])
    func vectors(count: Int, seed: UInt64, hash: UInt64) {
        #expect(XXHash64.hash(Array(Self.buffer.prefix(count)), seed: seed) == hash)
    }

    @Test("Known words have their published hashes")
    func words() {
        #expect(XXHash64.hash(Array("a".utf8)) == 0xD24E_C4F1_A98C_6E5B)
        #expect(XXHash64.hash(Array("abc".utf8)) == 0x44BC_2CF5_AD77_0999)
        #expect(XXHash64.hash(Array("Nobody inspects the spammish repetition".utf8)) == 0xFBCE_A83C_8A37_8BF1)
    }

    @Test("The hash does not depend on the alignment of the bytes")
    func alignment() {
        let bytes = Self.buffer
        let padded = [0] + bytes
        let shifted = padded.withUnsafeBytes { XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0.dropFirst())) }
        #expect(shifted == XXHash64.hash(bytes))
    }

    @Test("FNV-1a has the published vectors")
    func fnv() {
        #expect(FNV1a.hash("") == 0xcbf2_9ce4_8422_2325)
        #expect(FNV1a.hash("a") == 0xaf63_dc4c_8601_ec8c)
        #expect(FNV1a.hash("foobar") == 0x8594_4171_f739_67e8)
    }
}

import Testing

@testable import SpyglassCodecs

@Suite("BinaryReader")
struct BinaryReaderTests {
    private let bytes: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08]

    @Test("Integers are read in both byte orders, in order and anywhere")
    func integers() throws {
        var reader = BinaryReader(bytes)
        #expect(try reader.integer(2) == 0x0102 && reader.integer(1) == 3 && reader.left == 5)
        #expect(try reader.integer(4, at: 4) == 0x0506_0708)
        #expect(try BinaryReader(bytes, isBigEndian: false).integer(4, at: 1) == 0x0504_0302)
    }

    @Test("A name has the order of the file")
    func names() {
        for isBigEndian in [true, false] {
            #expect(BinaryReader(Array("ftypavif".utf8), isBigEndian: isBigEndian).name(at: 4) == "avif")
        }
        #expect(BinaryReader(bytes).name(at: 5) == nil)
        #expect(FourCC("av1C").description == "av1C" && FourCC(0x01_61_62_63).description == "?abc")
    }

    @Test("What is outside of the bytes throws and moves nothing", arguments: [-1, 5, 8, .max])
    func outside(offset: Int) {
        var reader = BinaryReader(bytes[...])
        #expect(throws: CodecError.self) { try reader.integer(4, at: offset) }
        #expect(throws: CodecError.self) { try reader.part(4, at: offset) }
        #expect(throws: CodecError.self) { try reader.part(0, at: offset < 0 ? offset : 9) }
        #expect(throws: CodecError.self) { try reader.skip(9) }
        #expect(reader.offset == 0)
    }

    @Test("A part is bounded by itself, and parts of a part too")
    func parts() throws {
        var reader = BinaryReader(bytes)
        try reader.skip(2)
        var part = try reader.part(4)
        #expect(reader.left == 2 && part.count == 4)
        #expect(try part.integer(2) == 0x0304 && part.part(2, at: 1).integer(2, at: 0) == 0x0405)
        #expect(throws: CodecError.self) { try part.integer(4) }
        #expect(part.matches([5, 6], at: 2) && !part.matches([5, 6, 7], at: 2))
    }

    @Test("Arithmetic with sizes that leaves the range of any file throws")
    func sizes() throws {
        let most = try CheckedSize(UInt64(1 << 48))
        #expect(throws: CodecError.self) { try CheckedSize(UInt64(1 << 48) + 1) }
        #expect(throws: CodecError.self) { try BinaryReader([UInt8](repeating: 255, count: 8)).size(8, at: 0) }
        #expect(throws: CodecError.self) { try most + 1 }
        #expect(throws: CodecError.self) { try most * 2 }
        #expect(throws: CodecError.self) { try most * most }
        #expect(throws: CodecError.self) { try 3 - 4 as CheckedSize }
        #expect(throws: CodecError.self) { try most.range(1) }
        #expect(try (3 as CheckedSize) + 4 * 5 == 23 && (4 as CheckedSize).range(2) == 4..<6)
        #expect(most.upTo(7) == 7 && (3 as CheckedSize).upTo(7) == 3)
    }
}

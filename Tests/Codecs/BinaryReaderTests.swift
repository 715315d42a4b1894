import Testing

@testable import SpyglassCodecs

@Suite("BinaryReader")
struct BinaryReaderTests {
    private let bytes: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08]

    @Test("Integers are read in both byte orders, in order and anywhere")
    func integers() throws {
        var reader = BinaryReader(bytes)
        let found = try [
            reader.integer(2), reader.integer(1), reader.integer(4, at: 4),
            BinaryReader(bytes, isBigEndian: false).integer(4, at: 1),
        ]
        #expect(found == [0x0102, 3, 0x0506_0708, 0x0504_0302] && reader.left == 5)
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
        let reads: [(inout BinaryReader) throws -> Void] = [
            { _ = try $0.integer(4, at: offset) }, { _ = try $0.part(4, at: offset) },
            { _ = try $0.part(0, at: offset < 0 ? offset : 9) }, { try $0.skip(9) },
        ]
        for read in reads { #expect(throws: CodecError.self) { try read(&reader) } }
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
        let sizes: [() throws -> Any] = [
            { try CheckedSize(UInt64(1 << 48) + 1) },
            { try BinaryReader([UInt8](repeating: 255, count: 8)).size(8, at: 0) }, { try most + 1 },
            { try most * 2 }, { try most * most }, { try 3 - 4 as CheckedSize }, { try most.range(1) },
        ]
        for size in sizes { #expect(throws: CodecError.self) { _ = try size() } }
        #expect(try (3 as CheckedSize) + 4 * 5 == 23 && (4 as CheckedSize).range(2) == 4..<6)
        #expect(most.upTo(7) == 7 && (3 as CheckedSize).upTo(7) == 3)
    }
}

import Testing

@testable import SpyglassCodecs

@Suite("DecodingNeeds")
struct DecodingNeedsTests {
    private func needs(_ bytes: [UInt8]) -> [Bool] {
        let needs = DecodingNeeds(bytes)
        return [needs.usesColorManagement, needs.mayNeedWorker, needs.mayBeTransparent]
    }

    @Test("A PNG needs what the chunks before its pixels say")
    func png() {
        func file(_ color: PNGFile.Color, _ chunks: String...) -> [UInt8] {
            var file = PNGFile(width: 1, height: 1, color: color)
            for chunk in chunks { file.chunk(chunk, [0, 0, 0]) }
            file.chunk("IDAT", [])
            return file.bytes
        }
        #expect(needs(file(.gray)) == [false, false, false])
        #expect(needs(file(.gray, "iCCP")) == [true, false, false])
        #expect(needs(file(.palette, "PLTE", "tRNS")) == [false, false, true])
        #expect(needs(Array(file(.gray).dropLast(12))) == [true, false, true])
    }

    @Test("GIF has no profile, WebP needs a worker, other files need nothing")
    func others() {
        #expect(needs(Array("GIF89a".utf8)) == [false, false, true])
        #expect(needs(Array("RIFF\0\0\0\0WEBPVP8 ".utf8)) == [false, true, true])
        #expect(needs(Array("<html>".utf8)) == [false, false, false])
    }
}

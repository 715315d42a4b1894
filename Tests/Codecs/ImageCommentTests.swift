import SpyglassCodecs
import SpyglassPixels
import Testing

@Suite("ImageComment")
struct ImageCommentTests {
    private func find(_ bytes: [UInt8]) -> String? { ImageComment.find(in: bytes.span) }

    private let formats: [ImageEncoder.Format] = [.jpeg(.init()), .jpeg(.init(isProgressive: true)), .png]

    @Test("The encoder's comment is found in the first kilobyte of any image")
    func written() throws {
        let long = String(repeating: "0123456789", count: 90)
        for (format, comment) in formats.flatMap({ format in ["spyglass 1 00ff", " ~", long].map { (format, $0) } }) {
            let exif: [UInt8] = Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            let encoder = ImageEncoder(format, comment: comment, exif: exif)
            for picture in [PixelBuffer.slopes(100, 100), .colors(256, 60, 60), .colors(2, 1, 1)] {
                #expect(try find(Array(encoder.encode(picture).prefix(1024))) == comment)
            }
        }
    }

    @Test("An empty or missing comment is nil")
    func none() throws {
        for format in formats {
            #expect(try find(ImageEncoder(format).encode(.slopes(9, 9))) == nil)
            #expect(try find(ImageEncoder(format, comment: "").encode(.slopes(9, 9))) == nil)
        }
        #expect(find([]) == nil)
        #expect(find(Array("a text".utf8)) == nil)
    }

    @Test("Unprintable characters become question marks, and long text is cut")
    func cleaned() throws {
        for format in formats {
            let odd = ImageEncoder(format, comment: "a\u{1B}[2J\u{7F}\n\0é漢b")
            #expect(odd.comment == "a?[2J?????b")
            #expect(try find(odd.encode(.slopes(9, 9))) == "a?[2J?????b")
            let long = ImageEncoder(format, comment: String(repeating: "x", count: 70_000))
            #expect(try find(long.encode(.slopes(9, 9))) == String(repeating: "x", count: 900))
        }
    }

    @Test("Another program's comment is found and sanitised")
    func foreign() {
        #expect(find([0xFF, 0xD8, 0xFF, 0xFF, 0xFF, 0xFE, 0, 5, 0x41, 0x1B, 0x42]) == "A?B")
        // Nothing after a scan is read.
        #expect(find([0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 0xFF, 0xFE, 0, 3, 0x41]) == nil)
        var file = PNGFile(width: 1, height: 1)
        file.chunk("tEXt", Array("Title\0no".utf8))
        file.chunk("tEXt", Array("Comment".utf8))
        file.chunk("tEXt", Array("Comment\0yes\u{1}".utf8))
        file.chunk("tEXt", Array("Comment\0second".utf8))
        #expect(find(file.bytes) == "yes?")
    }
}

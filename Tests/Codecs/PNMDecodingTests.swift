import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("PNMDecoding")
struct PNMDecodingTests {
    private let decoder = ImageDecoder()

    private func colors(_ text: String, _ bytes: [UInt8] = []) throws -> [RGBA] {
        let image = try decoder.decode(.bytes(Array(text.utf8) + bytes), to: .original)
        #expect(image.info.format == .pnm && image.completeness == .complete)
        return image.pixels.colors
    }

    private func grey(_ values: UInt8...) -> [RGBA] { values.map { RGBA($0, $0, $0) } }

    @Test("Bits are black where they are 1, as text and packed")
    func bits() throws {
        let found = try [colors("P1\n# a comment\n3 2\n101 0 1\n1"), colors("P4 3 2\n", [0b101 << 5, 0b011 << 5])]
        #expect(found == Array(repeating: grey(0, 255, 0, 255, 0, 0), count: 2))
    }

    @Test("Grey and colours are scaled from their largest value, in one byte or two")
    func samples() throws {
        for (text, bytes, expected) in [
            ("P2\n3 1 # wide\n15\n0 5\n99", [], grey(0, 85, 255)),
            ("P3 1 2 255 1 2 3 4 5 6", [], [RGBA(1, 2, 3), RGBA(4, 5, 6)]),
            ("P5\n2 1\n255\n", [0x0A, 0x20], grey(10, 32)),
            ("P5\n2# wide\n1 255# the largest\n", [0x0A, 0x20], grey(10, 32)),
            ("P5\n2 1\n65535\n", [0x80, 0x80, 0xFF, 0xFF], grey(128, 255)),
            ("P6\n1 1\n100\n", [0, 50, 100], [RGBA(0, 128, 255)]),
        ] as [(String, [UInt8], [RGBA])] { #expect(try colors(text, bytes) == expected) }
    }

    @Test("A PAM has one to four channels")
    func channels() throws {
        func header(_ depth: Int, _ maxValue: Int = 255, name: String = "ANY") -> String {
            "P7\n#x\nWIDTH 1\n\nHEIGHT 1\r\nDEPTH \(depth)\nMAXVAL \(maxValue)\nTUPLTYPE \(name)\nENDHDR\n"
        }
        for name in ["", " name of  three words ", String(repeating: "long ", count: 99)] {
            #expect(try colors(header(1, name: name), [7]) == grey(7))
        }
        let found = try [
            colors(header(1, 1), [1]), colors(header(2), [7, 9]), colors(header(3), [1, 2, 3]),
            colors(header(4), [1, 2, 3, 4]),
        ]
        #expect(found.joined().elementsEqual([RGBA(255, 255, 255), RGBA(7, 7, 7, 9), RGBA(1, 2, 3), RGBA(1, 2, 3, 4)]))
        #expect(decoder.failure(.bytes(Array(header(5).utf8)))?.kind == .unsupported)
        for line in ["#\n", "\n"] {
            let lines = String(repeating: line, count: 70_000)
            let failure = decoder.failure(.bytes(Array(("P7\n" + lines + header(1).dropFirst(3)).utf8)))
            #expect(failure?.kind == .corrupt)
        }
    }

    @Test(
        "Headers that make no sense are errors in one line",
        arguments: [
            "P5", "P5 x", "P5 0 1 255\n", "P5 1 1 0\n", "P5 1 1 65536\n1", "P5 99999999999999999999 1 255\n",
            "P7\nWIDTH 1\n",
            "P7\nSIZE 1\n", "P2 1 1 255 -1",
        ])
    func errors(text: String) throws {
        let failure = try #require(decoder.failure(.bytes(Array(text.utf8))))
        #expect(isOneLine(failure.description) && [.corrupt, .limit, .notAnImage].contains(failure.kind))
    }

    @Test("Every truncation gives an error or the rows that are there", arguments: ["P2", "P5"])
    func truncated(kind: String) throws {
        let text = Array("\(kind) 3 20 9\n".utf8)
        let bytes = text + (0..<60).flatMap { kind == "P5" ? [UInt8($0 % 10)] : Array("\($0 % 10) ".utf8) }
        #expect(try cutEverywhere(bytes, at: 3..<bytes.count, headerBytes: text.count) >= 19)
    }
}

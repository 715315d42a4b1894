import Foundation
import SpyglassCodecs
import SpyglassPixels
import SpyglassTestSupport
import Testing

/// A line of `Fixtures/images/manifest.json`; see the README in that folder.
struct FixturePicture: Decodable, Sendable, CustomTestStringConvertible {
    struct Expected: Decodable, Sendable {
        let size: [Int]
        let file: String
        let tolerance: Int
    }

    let file: String
    let format: String
    let width: Int
    let height: Int
    let orientation: Int
    let expect: String
    let errorKind: String?
    let rows: Int?
    let expected: [Expected]

    var testDescription: String { file }
    var path: String { TestData.fixture("images/\(file)") }

    static let all: [FixturePicture] = {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let manifest = Data(contents(TestData.fixture("images/manifest.json")))
        return (try? decoder.decode([FixturePicture].self, from: manifest)) ?? []
    }()
}

@Suite("Fixtures")
struct FixtureTests {
    private let decoder = ImageDecoder()

    private static let kinds: [String: CodecError.Kind] = [
        "empty": .empty, "unrecognized": .notAnImage, "unsupported": .unsupported, "truncated": .corrupt,
        "corrupt": .corrupt,
        "limit": .limit,
    ]

    @Test("The manifest exists")
    func manifest() {
        #expect(FixturePicture.all.count > 200)
    }

    @Test(
        "A complete image equals another program's result",
        arguments: FixturePicture.all.filter { $0.expect == "whole" })
    func whole(picture: FixturePicture) throws {
        let info = try decoder.probe(.file(picture.path))
        let size = PixelSize(width: picture.width, height: picture.height)
        #expect("\(info.format)".lowercased() == picture.format && info.storedSize == size)
        #expect(info.orientation.rawValue == picture.orientation)
        let image = try decoder.decode(.file(picture.path), to: .original)
        #expect(image.completeness == .complete && image.info == info && image.pixels.size == info.size)
        try compare(picture)
    }

    @Test(
        "A truncated image has the rows that it must have",
        arguments: FixturePicture.all.filter { $0.expect == "partial" })
    func partial(picture: FixturePicture) throws {
        let image = try decoder.decode(.file(picture.path), to: .original)
        let rows = try #require(picture.rows)
        #expect(image.rows >= rows && (image.completeness != .complete || rows == picture.height))
        try compare(picture, rows: rows)
    }

    @Test(
        "A file without an image gives an error of the right kind",
        arguments: FixturePicture.all.filter { $0.expect == "error" })
    func failing(picture: FixturePicture) throws {
        let error = try #require(decoder.failure(.file(picture.path)))
        let kind = picture.errorKind.flatMap { Self.kinds[$0] }
        #expect(error.kind == kind && isOneLine(error.description))
    }

    @Test(
        "A flipped bit gives an image or an error", arguments: FixturePicture.all.filter { $0.expect == "any" }
    )
    func anything(picture: FixturePicture) {
        for target in [TargetSize.original, .box(3, 3)] {
            if let error = decoder.failure(.file(picture.path), to: target) { #expect(isOneLine(error.description)) }
        }
    }

    private func compare(_ picture: FixturePicture, rows: Int? = nil) throws {
        for expected in picture.expected {
            let size = PixelSize(width: expected.size[0], height: expected.size[1])
            let target = TargetSize(box: size, fit: .fill)
            let image = try decoder.decode(.file(picture.path), to: target)
            try #require(image.pixels.size == size)
            let wanted = contents(TestData.fixture("images/\(expected.file)")).prefix(
                (rows ?? size.height) * size.width * 4)
            try #require(!wanted.isEmpty)
            let difference = zip(wanted, image.pixels.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
            #expect(difference <= expected.tolerance, "\(size)")
        }
    }
}

/// Whether a message is one printable line.
func isOneLine(_ message: String) -> Bool {
    !message.isEmpty && message.utf8.allSatisfy { (0x20...0x7E).contains($0) }
}

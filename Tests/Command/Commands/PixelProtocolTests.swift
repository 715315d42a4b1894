import Glibc
import SpyglassCodecs
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("Pixel protocols of show", .timeLimit(.minutes(10)))
struct PixelProtocolTests {
    private let folder: TemporaryFolder
    /// Slopes, edges and grain, as in a photograph; it fits its cells, so that nothing is resampled.
    private let photo: PixelBuffer

    init() throws {
        folder = try TemporaryFolder()
        var photo = PixelBuffer(size: PixelSize(width: 203, height: 151))
        for y in 0..<151 {
            for x in 0..<203 {
                let grain = (x &* 7919 ^ y &* 104_729) >> 3 & 7
                let isSky = (x - 100) * (x - 100) + (y - 75) * (y - 75) > 60 * 60
                photo[x, y] =
                    isSky
                    ? RGBA(UInt8(20 + x / 4 + grain), UInt8(30 + y / 3 + grain), UInt8(90 + (x + y) / 4))
                    : RGBA(UInt8(240 - x / 2 - grain), UInt8(150 + y / 3 - grain), UInt8(x / 2 + y / 4))
            }
        }
        self.photo = photo
        try folder.write("photo.png", try ImageEncoder(.png).encode(photo))
    }

    /// What is printed between the first introducer and the last terminator.
    private func shown(_ mode: String, from start: String, to end: String) async throws -> [UInt8] {
        let path = folder.path("photo.png")
        let outcome = await FakeSystem().run("show", "--pixels", mode, "--cell-size", "9x18", "--cells", "80x24", path)
        #expect(outcome.code == .success && outcome.errors == "")
        let bytes = Array(outcome.output.utf8)
        let first = bytes.indices.first { bytes[$0...].starts(with: start.utf8) }
        let last = bytes.indices.last { bytes[$0...].starts(with: end.utf8) }
        return Array(bytes[try #require(first)..<(try #require(last)) + end.utf8.count])
    }

    /// Peak signal-to-noise ratio of the colours in dB; 99 for equal images.
    private func ratio(_ bytes: [UInt8]) -> Double {
        guard bytes.count == photo.bytes.count else { return 0 }
        var sum = 0
        for at in bytes.indices where at % 4 != 3 {
            sum += (Int(bytes[at]) - Int(photo.bytes[at])) * (Int(bytes[at]) - Int(photo.bytes[at]))
        }
        return sum == 0 ? 99 : 10 * log10(255 * 255 * 3 * Double(photo.size.pixelCount) / Double(sum))
    }

    private func decoded(_ file: [UInt8]) throws -> [UInt8] {
        try ImageDecoder().decode(.bytes(file), to: .original).pixels.bytes
    }

    @Test("Kitty gets the exact pixels")
    func kitty() async throws {
        let (commands, faults) = KittyCommand.read(try await shown("kitty", from: "\u{1B}_G", to: "\u{1B}\\"))
        #expect(faults == [] && commands.count == 1)
        #expect(try decoded(commands[0].data) == photo.bytes)
    }

    @Test(
        "A named background is drawn behind transparent pixels, in linear light",
        arguments: ["kitty", "iterm2", "sixel"])
    func background(mode: String) async throws {
        // White, half transparent, beside nothing.
        let image = PixelBuffer(size: PixelSize(width: 2, height: 1), bytes: [255, 255, 255, 128, 0, 0, 0, 0])
        try folder.write("half.png", try ImageEncoder(.png).encode(image))
        try folder.write(
            "flat.png",
            try ImageEncoder(.png).encode(
                PixelBuffer(size: image.size, bytes: [188, 188, 188, 255, 0, 0, 0, 255])))
        let words = ["show", "--pixels", mode, "--cell-size", "10x20"]
        let half = folder.path("half.png")
        let flat = await FakeSystem().run(words + [folder.path("flat.png")]).output
        #expect(await FakeSystem().run(words + ["--background", "#000000", half]).output == flat)
        #expect(await FakeSystem().run(words + [half]).output != flat)
    }

    @Test("iTerm2 gets a photograph as JPEG of at least 31 dB")
    func iTerm() async throws {
        let text = String(decoding: try await shown("iterm2", from: "\u{1B}]1337;", to: "\u{07}"), as: UTF8.self)
        let file = try #require(Base64.decoded(text.drop { $0 != ":" }.dropFirst().dropLast()))
        #expect(file.starts(with: [0xFF, 0xD8]) && text.contains(";width=23;height=9:"))
        #expect(ratio(try decoded(file)) > 31)
    }

    @Test("Sixels are a photograph of at least 36 dB")
    func sixel() async throws {
        let picture = SixelPicture(reading: try await shown("sixel", from: "\u{1B}P", to: "\u{1B}\\"))
        #expect(picture.faults == [] && ratio(picture.pixels) > 36)
    }

    @Test(
        "sixel2png reads the same picture",
        .enabled(if: access("/usr/bin/sixel2png", X_OK) == 0, "sixel2png (libsixel-bin) is not installed"))
    func libsixel() async throws {
        let sixels = try await shown("sixel", from: "\u{1B}P", to: "\u{1B}\\")
        try folder.write("photo.six", sixels)
        #expect(system("/usr/bin/sixel2png -i '\(folder.path("photo.six"))' -o '\(folder.path("six.png"))'") == 0)
        #expect(try decoded(folder.read("six.png")) == SixelPicture(reading: sixels).pixels)
    }
}

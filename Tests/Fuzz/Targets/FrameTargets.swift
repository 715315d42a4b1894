import SpyglassCodecs
import SpyglassPixels

/// Any content after the first bytes of a format: an image and regions of it, or an error in one line.
///
/// Of an animation also the frames, twice the same: their number, sizes and durations are within bounds. Decoders that run in
/// workers are called in this process.
enum FrameTargets {
    static func gif(_ input: [UInt8]) { expect(Array("GIF89a".utf8) + input.dropFirst(6)) }
    static func qoi(_ input: [UInt8]) { expect(Array("qoif".utf8) + input.dropFirst(4)) }
    static func ico(_ input: [UInt8]) { expect([0, 0, 1, 0] + input.dropFirst(4)) }
    static func pnm(_ input: [UInt8]) { expect(Array("P".utf8) + input.dropFirst(1)) }

    /// Cards are as long as needed: a line of the input is one.
    static func fits(_ input: [UInt8]) {
        let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false)
        let cards = lines.map { $0.prefix(80) + [UInt8](repeating: 0x20, count: max(80 - $0.count, 0)) }
        expect(Array("SIMPLE  =".utf8) + cards.joined().dropFirst(9))
    }

    static func bmp(_ input: [UInt8]) { expect(Array("BM".utf8) + input.dropFirst(2)) }

    static func webp(_ input: [UInt8]) {
        expect(
            Array("RIFF".utf8) + (input.dropFirst(4).prefix(4) + [0, 0, 0, 0]).prefix(4) + Array("WEBP".utf8)
                + input.dropFirst(12), .complete)
    }

    /// The first byte chooses the order of bytes, the third classic or large offsets.
    static func tiff(_ input: [UInt8]) {
        let version: UInt8 = input.count > 2 && input[2] == 43 ? 43 : 42
        let isLittle = input.first != UInt8(ascii: "M")
        let start = isLittle ? Array("II".utf8) + [version, 0] : Array("MM".utf8) + [0, version]
        expect(start + input.dropFirst(4), .complete)
    }

    /// Parts are not compared: libde265 shows damaged blocks as its threads leave them.
    static func heif(_ input: [UInt8]) {
        expect((input.prefix(4) + [0, 0, 0, 24]).prefix(4) + Array("ftyp".utf8) + input.dropFirst(8), .none)
    }

    static func apng(_ input: [UInt8]) {
        var bytes = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + input.dropFirst(8)
        PNGTarget.repairChecksums(&bytes)
        expect(bytes)
    }

    private static func expect(_ bytes: [UInt8], _ compared: RegionCheck.Compared = .all) {
        var limits = ImageLimits()
        limits.pixels = 1 << 18
        limits.frames = 100
        limits.framePixels = 1 << 20
        let decoder = ImageDecoder(limits: limits, workers: .inProcess)
        RegionCheck.run(bytes, decoder, compared)
        let box = PixelSize(width: 32, height: 32)
        do {
            guard let animation = try decoder.animation(of: .bytes(bytes), to: TargetSize(box: box)) else { return }
            let first = try frames(of: animation, box)
            animation.restart()
            let again = try frames(of: animation, box)
            precondition(again == first, "other frames")
        } catch {
            expectOneLine(error)
        }
    }

    private static func frames(of animation: Animation, _ box: PixelSize) throws(CodecError) -> [PixelBuffer] {
        var frames: [PixelBuffer] = []
        while let frame = try animation.next() {
            precondition(frame.pixels.size.width <= box.width && frame.pixels.size.height <= box.height)
            precondition(frame.duration >= .milliseconds(11))
            frames.append(frame.pixels)
        }
        precondition(frames.count <= 100)
        return frames
    }
}

import SpyglassCodecs
import SpyglassPixels

/// Any content after the first bytes of a GIF, a BMP or an animated PNG: an image and regions of it, or an error in one line.
///
/// Of an animation also the frames, twice the same: their number, sizes and durations are within bounds.
enum FrameTargets {
    static func gif(_ input: [UInt8]) { expect(Array("GIF89a".utf8) + input.dropFirst(6)) }
    static func bmp(_ input: [UInt8]) { expect(Array("BM".utf8) + input.dropFirst(2)) }

    static func apng(_ input: [UInt8]) {
        var bytes = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + input.dropFirst(8)
        PNGTarget.repairChecksums(&bytes)
        expect(bytes)
    }

    private static func expect(_ bytes: [UInt8]) {
        var limits = ImageLimits()
        limits.pixels = 1 << 18
        limits.frames = 100
        limits.framePixels = 1 << 20
        let decoder = ImageDecoder(limits: limits)
        RegionCheck.run(bytes, decoder)
        let box = PixelSize(width: 32, height: 32)
        do {
            guard let animation = try decoder.animation(of: .bytes(bytes), to: TargetSize(box: box)) else { return }
            let first = try frames(of: animation, box)
            animation.restart()
            let again = try frames(of: animation, box)
            precondition(again == first, "other frames")
        } catch {
            let message = "\(error)"
            precondition(!message.isEmpty && !message.contains("\n"))
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

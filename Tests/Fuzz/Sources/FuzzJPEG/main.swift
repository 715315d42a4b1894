import Fuzzing
import SpyglassCodecs
import SpyglassPixels

// Whatever stands behind the first bytes of a JPEG: a picture of the size that was asked for, or an error in one line.
// The first byte says how: in pieces of how many bytes, whether exact, whether at its own size.
fuzz { data, size in
    guard size > 0 else { return 0 }
    let input = UnsafeBufferPointer(start: data, count: size)
    expectPictureOrError([0xFF, 0xD8] + input.dropFirst(2), way: input[0])
    return 0
}

private func expectPictureOrError(_ bytes: [UInt8], way: UInt8) {
    var limits = ImageLimits()
    limits.pixels = 1 << 20
    limits.coefficientBytes = 16 << 20
    limits.scans = 20
    let decoder = ImageDecoder(limits: limits, windowBytes: [65_536, 1, 7, 100][Int(way & 3)])
    do {
        let box = PixelSize(width: 32, height: 32)
        let isOriginal = way & 8 != 0
        let target = isOriginal ? .original : TargetSize(box: box)
        let image = try decoder.decode(.bytes(bytes), to: target, isExact: way & 4 != 0)
        let most = isOriginal ? image.info.size : box
        precondition(image.pixels.size.width <= most.width && image.pixels.size.height <= most.height)
    } catch {
        precondition(!error.description.isEmpty && !error.description.contains("\n"))
    }
}

import Fuzzing
import SpyglassCodecs
import SpyglassPixels

// Whatever stands behind the first bytes of a PNG: a picture of the size that was asked for, or an error in one line.
fuzz { data, size in
    expectPictureOrError(
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + UnsafeBufferPointer(start: data, count: size).dropFirst(8))
    return 0
}

private func expectPictureOrError(_ bytes: [UInt8]) {
    var limits = ImageLimits()
    limits.pixels = 1 << 20
    do {
        let box = PixelSize(width: 32, height: 32)
        let image = try ImageDecoder(limits: limits).decode(.bytes(bytes), to: TargetSize(box: box))
        precondition(image.pixels.size.width <= box.width && image.pixels.size.height <= box.height)
    } catch {
        precondition(!error.description.isEmpty && !error.description.contains("\n"))
    }
}

import CFuzzer
import SpyglassCodecs
import SpyglassPixels

// Whatever the bytes: a picture of the size that was asked for, or an error in one line.
private let limits = ImageLimits(pixels: 1 << 20, coefficientBytes: 64 << 20, scans: 20)

_ = LLVMFuzzerRunDriver(&CommandLine.count, &CommandLine.vector) { data, size in
    let bytes = [UInt8](UnsafeBufferPointer(start: data, count: size))
    return 0
}

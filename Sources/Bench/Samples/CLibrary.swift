internal import SpyglassCBench
internal import SpyglassCaching
internal import SpyglassPixels

/// libjpeg and libpng, called as their own examples call them: what we are held against.
enum CLibrary {
    /// Decodes a whole file into one buffer of four bytes a pixel and lets it go.
    ///
    /// - Throws: `BenchError` when the library refuses it.
    static func decode(_ file: SampleFile, eighths: Int = 8) throws(BenchError) {
        try withPixels(of: file, eighths) { _, bytes in
            if let start = bytes.baseAddress { sg_bench_black_hole(start) }
        }
    }

    /// Whether the library gives these pixels of a whole file.
    ///
    /// Hashes are compared (XXH64), so that two large pictures need not be in memory at once.
    ///
    /// - Throws: `BenchError` when the library refuses it.
    static func gives(_ pixels: PixelHash, of file: SampleFile) throws(BenchError) -> Bool {
        try withPixels(of: file, 8) { PixelHash(size: $0, value: XXHash64.hash($1)) } == pixels
    }

    /// Whether a JPEG is of inks (CMYK, YCCK), of which the library makes no other colours.
    static func isCMYK(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { sg_bench_jpeg_is_cmyk($0, bytes.count) } ?? false
        }
    }

    /// The pixels of a whole file, as it stores them; `nil` when the library refuses it.
    static func pixels(of file: SampleFile, eighths: Int = 8) -> PixelBuffer? {
        try? withPixels(of: file, eighths) { PixelBuffer(size: $0, bytes: Array($1)) }
    }

    /// Gives the library's own buffer of a whole file to `body` and frees it.
    private static func withPixels<Result>(
        of file: SampleFile, _ eighths: Int, _ body: (PixelSize, UnsafeRawBufferPointer) -> Result
    ) throws(BenchError) -> Result {
        var picture = sg_bench_image()
        guard decode(file, eighths, &picture), let pixels = picture.pixels else {
            throw BenchError("\(file.kind.library), called plainly, refuses a picture of \(file.size)")
        }
        defer { sg_bench_free(&picture) }
        let size = PixelSize(width: Int(picture.width), height: Int(picture.height))
        return body(size, UnsafeRawBufferPointer(start: pixels, count: size.pixelCount * PixelBuffer.bytesPerPixel))
    }

    private static func decode(_ file: SampleFile, _ eighths: Int, _ picture: inout sg_bench_image) -> Bool {
        file.bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return false }
            return switch file.kind {
            case .jpeg, .progressiveJPEG, .cmykJPEG: sg_bench_decode_jpeg(start, bytes.count, CInt(eighths), &picture)
            case .png8, .png16, .interlacedPNG: sg_bench_decode_png(start, bytes.count, &picture)
            }
        }
    }

    /// A PNG of red, green and blue, of 8 or 16 bits each (the high byte first).
    static func png(
        _ rows: [UInt8], _ size: PixelSize, depth: Int, isInterlaced: Bool
    ) throws(BenchError) -> [UInt8] {
        var file = sg_bench_file()
        let isDone = sg_bench_encode_png(
            rows, UInt32(size.width), UInt32(size.height), CInt(depth), isInterlaced, &file)
        guard isDone, let bytes = file.bytes else { throw BenchError("libpng could not write a file") }
        defer { sg_bench_free_file(&file) }
        return Array(UnsafeBufferPointer(start: bytes, count: file.count))
    }
}

/// What tells one picture's pixels from another's.
struct PixelHash: Hashable {
    let size: PixelSize
    /// XXH64 of the bytes.
    let value: UInt64

    init(size: PixelSize, value: UInt64) { (self.size, self.value) = (size, value) }

    init(_ pixels: PixelBuffer) { self.init(size: pixels.size, value: XXHash64.hash(pixels.bytes)) }
}

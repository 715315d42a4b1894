internal import SpyglassCBench
internal import SpyglassPixels

/// The formats' C libraries, called as in their own examples: the reference for decoding.
enum CLibrary {
    /// Decodes a whole file into one buffer of four bytes a pixel and frees it.
    static func decode(_ file: SampleFile, eighths: Int = 8, frames: Int = 1) throws(BenchError) {
        try withPixels(of: file, eighths, frames: frames) { _, bytes in
            if let start = bytes.baseAddress { sg_bench_black_hole(start) }
        }
    }

    /// Whether the library decodes a whole file to these pixels.
    static func decodes(_ file: SampleFile, to pixels: PixelBuffer) throws(BenchError) -> Bool {
        try withPixels(of: file, 8) { $0 == pixels.size && $1.elementsEqual(pixels.bytes) }
    }

    static func isCMYK(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { sg_bench_jpeg_is_cmyk($0, bytes.count) } ?? false
        }
    }

    static func withPixels<Result>(
        of file: SampleFile, _ eighths: Int, frames: Int = 1, _ body: (PixelSize, UnsafeRawBufferPointer) -> Result
    ) throws(BenchError) -> Result {
        var image = sg_bench_image()
        guard decode(file, eighths, frames, &image), let pixels = image.pixels else {
            throw BenchError("\(file.kind.library ?? "no library") cannot decode an image of \(file.size)")
        }
        defer { sg_bench_free(&image) }
        let size = PixelSize(width: Int(image.width), height: Int(image.height))
        return body(size, UnsafeRawBufferPointer(start: pixels, count: size.pixelCount * PixelBuffer.bytesPerPixel))
    }

    private static func decode(_ file: SampleFile, _ eighths: Int, _ frames: Int, _ image: inout sg_bench_image) -> Bool
    {
        file.bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return false }
            return switch file.kind {
            case .jpeg, .progressiveJPEG, .cmykJPEG: sg_bench_decode_jpeg(start, bytes.count, CInt(eighths), &image)
            case .png8, .png16, .interlacedPNG: sg_bench_decode_png(start, bytes.count, &image)
            case .gif: sg_bench_decode_gif(start, bytes.count, CInt(frames), &image)
            case .bmp, .qoi, .fits, .pnm, .ico, .jxl, .raw: false
            case .webp: sg_bench_decode_webp(start, bytes.count, &image)
            case .avif: sg_bench_decode_avif(start, bytes.count, &image)
            case .heif: sg_bench_decode_heic(start, bytes.count, &image)
            case .tiff: sg_bench_decode_tiff(start, bytes.count, &image)
            }
        }
    }

    /// Encodes an RGB PNG of 8 or 16 bits a channel (big-endian).
    static func png(_ rows: [UInt8], _ size: PixelSize, depth: Int, isInterlaced: Bool) throws(BenchError) -> [UInt8] {
        var file = sg_bench_file()
        let isDone = sg_bench_encode_png(
            rows, UInt32(size.width), UInt32(size.height), CInt(depth), isInterlaced, &file)
        guard isDone, let bytes = file.bytes else { throw BenchError("libpng cannot encode a file") }
        defer { sg_bench_free_file(&file) }
        return Array(UnsafeBufferPointer(start: bytes, count: file.count))
    }
}

internal import SpyglassCPNG
internal import SpyglassPixels

/// Encodes one image through libpng (`png_write_row`); not thread-safe.
struct PNGEncoding: ~Copyable {
    private let handle: OpaquePointer
    private let image: PixelBuffer
    private let colors: PNGColors

    /// For photographs of 160 and 320 pixels level 6 makes files 2 % larger and 4 % smaller, in two and three times the time.
    private static let level = 3
    private static let rowsAtOnce = 16
    private static let maxSide = Int(Int32.max)

    init(_ image: PixelBuffer) throws(CodecError) {
        guard max(image.size.width, image.size.height) <= Self.maxSide else {
            throw CodecError(.limit, "\(image.size) is too large for a PNG, whose sides are below 2^31 pixels")
        }
        guard let handle = sg_png_encoder_create() else { throw .outOfMemory(to: "encode") }
        self.handle = handle
        self.image = image
        colors = PNGColors(image)
    }

    deinit { sg_png_encoder_destroy(handle) }

    func encoded(comment: String?, exif: [UInt8]?) throws(CodecError) -> [UInt8] {
        try start(comment: Array((comment ?? "").utf8), exif: exif ?? [])
        try writeRows()
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        guard sg_png_encoder_finish(handle, &bytes, &count) else { throw failure() }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    private func start(comment: [UInt8], exif: [UInt8]) throws(CodecError) {
        var encoding = sg_png_encoding()
        encoding.width = UInt32(image.size.width)
        encoding.height = UInt32(image.size.height)
        encoding.level = CInt(Self.level)
        encoding.bit_depth = 8
        // Filters predict a pixel from its neighbours, which does not help indices or few bits (PNG specification, 12.7).
        encoding.is_filtered = true
        var palette: [UInt8] = []
        switch colors {
        case .gray(let depth):
            encoding.color = SG_PNG_GRAY
            encoding.bit_depth = CInt(depth)
            encoding.is_filtered = depth == 8
        case .grayAlpha: encoding.color = SG_PNG_GRAY_ALPHA
        case .palette(let used):
            encoding.color = SG_PNG_PALETTE
            encoding.bit_depth = CInt(used.depth)
            encoding.is_filtered = false
            encoding.color_count = CInt(used.colors.count)
            encoding.transparent_count = CInt(used.transparentCount)
            palette = used.bytes
        case .rgb: encoding.color = SG_PNG_RGB
        case .rgba: encoding.color = SG_PNG_RGBA
        }
        if encoding.color == SG_PNG_RGB || encoding.color == SG_PNG_RGBA {
            encoding.has_only_runs = image.hasColoredGrain
        }
        guard sg_png_encoder_start(handle, &encoding, palette, comment, comment.count, exif, exif.count) else {
            throw failure()
        }
    }

    private func writeRows() throws(CodecError) {
        switch colors {
        case .gray(let depth):
            try writeRows(bytesPerPixel: 1) { pixel, row, at in
                row[at] = UInt8(truncatingIfNeeded: pixel) >> UInt8(8 - depth)
            }
        case .grayAlpha:
            try writeRows(bytesPerPixel: 2) { pixel, row, at in
                row[2 * at] = UInt8(truncatingIfNeeded: pixel)
                row[2 * at + 1] = UInt8(pixel >> 24)
            }
        case .palette(let palette):
            try writeRows(bytesPerPixel: 1) { pixel, row, at in row[at] = palette.index(of: pixel) }
        case .rgb, .rgba: try write(image.bytes, stride: image.stride, count: image.size.height)
        }
    }

    private func writeRows(bytesPerPixel: Int, _ convert: (UInt32, inout [UInt8], Int) -> Void) throws(CodecError) {
        let size = image.size
        let stride = size.width * bytesPerPixel
        var strip = [UInt8](repeating: 0, count: min(Self.rowsAtOnce, size.height) * stride)
        for start in Swift.stride(from: 0, to: size.height, by: Self.rowsAtOnce) {
            let part = start..<min(start + Self.rowsAtOnce, size.height)
            image.withWords(ofRows: part) { words in
                for (at, word) in words.enumerated() { convert(UInt32(littleEndian: word), &strip, at) }
            }
            try write(strip, stride: stride, count: part.count)
        }
    }

    private func write(_ bytes: [UInt8], stride: Int, count: Int) throws(CodecError) {
        precondition(count * stride <= bytes.count, "complete rows")
        guard sg_png_encoder_write_rows(handle, bytes, stride, UInt32(count)) else { throw failure() }
    }

    private func failure() -> CodecError {
        if sg_png_encoder_lacks_memory(handle) { return .outOfMemory(to: "encode") }
        return CodecError(.library, "not encoded: \(String(libraryMessage: sg_png_encoder_message(handle)))")
    }
}

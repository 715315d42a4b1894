internal import SpyglassCPNG
internal import SpyglassPixels

/// Encodes one image through libpng (`png_write_row`); not thread-safe.
struct PNGEncoding: ~Copyable {
    private let handle: OpaquePointer
    private let image: PixelBuffer
    private let metadata: FileMetadata
    private let colors: PNGColors

    /// For photographs of 160 and 320 pixels level 6 makes files 2 % larger and 4 % smaller, in two and three times the time.
    private static let level = 3
    private static let rowsAtOnce = 16
    private static let maxSide = Int(Int32.max)

    /// A grey image has the fewest bits that hold it; that of a FITS file has eight.
    init(_ image: PixelBuffer, _ metadata: FileMetadata) throws(CodecError) {
        guard max(image.size.width, image.size.height) <= Self.maxSide else {
            throw CodecError(.limit, "\(image.size) is too large for a PNG, whose sides are below 2^31 pixels")
        }
        guard let handle = sg_png_encoder_create() else { throw .outOfMemory(to: "encode") }
        self.handle = handle
        (self.image, self.metadata) = (image, metadata)
        let isPlain = metadata.source == .fits && image.isGray() && image.isOpaque
        // A profile of RGB is not for grey.
        colors =
            isPlain && metadata.profile == nil
            ? .gray(depth: 8) : PNGColors(image, allowsGray: metadata.profile == nil)
    }

    deinit { sg_png_encoder_destroy(handle) }

    /// Appends the file.
    func encode(into file: inout [UInt8]) throws(CodecError) {
        try start()
        try writeRows()
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        guard sg_png_encoder_finish(handle, &bytes, &count) else { throw failure() }
        file += UnsafeBufferPointer(start: bytes, count: count)
    }

    private func start() throws(CodecError) {
        var encoding = sg_png_encoding()
        (encoding.width, encoding.height) = (UInt32(image.size.width), UInt32(image.size.height))
        (encoding.level, encoding.bit_depth) = (CInt(Self.level), 8)
        var palette: [UInt8] = []
        switch colors {
        case .gray(let depth): (encoding.color, encoding.bit_depth) = (SG_PNG_GRAY, CInt(depth))
        case .grayAlpha: encoding.color = SG_PNG_GRAY_ALPHA
        case .palette(let used):
            (encoding.color, encoding.bit_depth) = (SG_PNG_PALETTE, CInt(used.depth))
            encoding.color_count = CInt(used.colors.count)
            encoding.transparent_count = CInt(used.transparentCount)
            palette = used.bytes
        case .rgb: encoding.color = SG_PNG_RGB
        case .rgba: encoding.color = SG_PNG_RGBA
        }
        // Filters predict a pixel from its neighbours, which does not help indices or few bits (PNG specification, 12.7).
        encoding.is_filtered = palette.isEmpty && encoding.bit_depth == 8
        if encoding.color == SG_PNG_RGB || encoding.color == SG_PNG_RGBA {
            encoding.has_only_runs = image.hasColoredGrain
        }
        let (comment, profile) = (Array(metadata.comment.utf8), metadata.profile ?? [])
        let exif = metadata.exif ?? []
        guard
            sg_png_encoder_start(
                handle, &encoding, palette, comment, comment.count, profile, profile.count, exif, exif.count)
        else { throw failure() }
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
            var (last, index) = (palette.colors[0], UInt8(0))
            try writeRows(bytesPerPixel: 1) { pixel, row, at in
                if pixel != last { (last, index) = (pixel, palette.index(of: pixel)) }
                row[at] = index
            }
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

/// The colour type of a PNG: the smallest that holds the image exactly.
enum PNGColors {
    /// Luminance, of 1, 2, 4 or 8 bits.
    case gray(depth: Int)
    case grayAlpha
    case palette(PNGPalette)
    case rgb
    case rgba

    init(_ image: PixelBuffer, allowsGray: Bool) {
        let isOpaque = image.isOpaque
        let plain: PNGColors =
            switch (allowsGray && image.isGray(), isOpaque) {
            case (true, true): .gray(depth: Self.grayDepth(of: image))
            case (true, false): .grayAlpha
            case (false, true): .rgb
            case (false, false): .rgba
            }
        self = Self.palette(of: image, insteadOf: plain) ?? plain
    }

    var bits: Int {
        switch self {
        case .gray(let depth): depth
        case .grayAlpha: 16
        case .palette(let palette): palette.depth
        case .rgb: 24
        case .rgba: 32
        }
    }

    /// The fewest bits that hold the values of a grey image; fewer than eight are repeated to fill a byte.
    private static func grayDepth(of image: PixelBuffer) -> Int {
        var isUsed = [Bool](repeating: false, count: 256)
        image.withWords(ofRows: 0..<image.size.height) { words in
            for word in words { isUsed[Int(UInt32(littleEndian: word) & 255)] = true }
        }
        let steps = [(depth: 1, step: 255), (depth: 2, step: 85), (depth: 4, step: 17)]
        let fitting = steps.first { _, step in isUsed.indices.allSatisfy { !isUsed[$0] || $0 % step == 0 } }
        return fitting?.depth ?? 8
    }

    /// A palette, if it saves more bytes before compression than it takes.
    private static func palette(of image: PixelBuffer, insteadOf plain: PNGColors) -> PNGColors? {
        guard plain.bits > 1, let palette = PNGPalette(image), palette.depth < plain.bits else { return nil }
        let bytesSaved = (plain.bits - palette.depth) * image.size.pixelCount / 8
        return bytesSaved > palette.chunkBytes ? .palette(palette) : nil
    }
}

/// The colours of an image with at most 256: transparent ones first, then in order of appearance.
struct PNGPalette {
    let colors: [UInt32]
    let transparentCount: Int
    private let indices: [UInt32: UInt8]

    private static let maxColors = 256

    /// `nil` if there are more; a photograph is rejected after a few rows.
    init?(_ image: PixelBuffer) {
        var (found, known, last) = ([UInt32](), Set<UInt32>(), nil as UInt32?)
        for row in 0..<image.size.height {
            image.withWords(ofRows: row..<row + 1) { words in
                for word in words where word != last && known.count <= Self.maxColors {
                    last = word
                    if known.insert(word).inserted { found.append(UInt32(littleEndian: word)) }
                }
            }
            guard known.count <= Self.maxColors else { return nil }
        }
        let transparent = found.filter { $0 >> 24 != 255 }
        let colors = transparent + found.filter { $0 >> 24 == 255 }
        (self.colors, transparentCount) = (colors, transparent.count)
        indices = Dictionary(uniqueKeysWithValues: zip(colors, UInt8.min...UInt8.max))
    }

    var depth: Int {
        switch colors.count {
        case ...2: 1
        case ...4: 2
        case ...16: 4
        default: 8
        }
    }

    var chunkBytes: Int {
        let chunk = 12
        return chunk + 3 * colors.count + (transparentCount > 0 ? chunk + transparentCount : 0)
    }

    var bytes: [UInt8] { colors.flatMap { color in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: color >> $0) } } }
    func index(of color: UInt32) -> UInt8 { indices[color] ?? 0 }
}

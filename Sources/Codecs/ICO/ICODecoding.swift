internal import SpyglassPixels

/// Decodes the largest image of an ICO, which is a PNG or a bitmap with a mask.
struct ICODecoding: ImageDecoding {
    let info: ImageInfo
    private let image: ByteReader
    private let isPNG: Bool
    private let limits: ImageLimits

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        image = try ByteReader(Self.largest(input)..<Int.max, of: input)
        self.limits = limits
        let head = image.head
        isPNG = FileKind.sniff(head.span) == .image(.png)
        guard isPNG else {
            info = try ICOBitmap(image, limits).info
            return
        }
        let png = try PNGDecoding(ByteReader(again: image), limits).info
        info = ImageInfo(
            format: .ico, storedSize: png.storedSize, orientation: png.orientation, isProgressive: png.isProgressive,
            hasAlpha: png.hasAlpha, colorDescription: png.colorDescription)
    }

    var metadata: ImageMetadata { ImageMetadata(info: info) }

    func decode(_ spec: DecodeSpec) throws(CodecError) -> DecodedImage {
        guard isPNG else { return try ICOBitmap(image, limits).decode(spec) }
        var decoded = try PNGDecoding(ByteReader(again: image), limits).decode(spec)
        decoded.info = info
        return decoded
    }

    /// Returns the offset of the largest image; of several, the one with the most bits a pixel.
    private static func largest(_ input: ByteReader) throws(CodecError) -> Int {
        let (headerBytes, entryBytes) = (6, 16)
        let count = try BinaryReader(try input.bytes(headerBytes, at: 0), isBigEndian: false).integer(2, at: 4)
        let entries = BinaryReader(try input.bytes(count * entryBytes, at: headerBytes), isBigEndian: false)
        var best: (pixels: Int, bits: Int, start: Int)?
        for at in stride(from: 0, through: entries.count - entryBytes, by: entryBytes) {
            // A side of 256 is written as 0.
            let width = (try entries.integer(1, at: at) + 255) % 256 + 1
            let height = (try entries.integer(1, at: at + 1) + 255) % 256 + 1
            let start = try entries.integer(4, at: at + 12)
            // Without reading a smaller image.
            if let best, best.pixels > width * height { continue }
            let stated = try entries.integer(2, at: at + 6)
            let bits = stated > 0 ? stated : try bits(input, at: start)
            if let best, (best.pixels, best.bits) >= (width * height, bits) { continue }
            best = (width * height, bits, start)
        }
        guard let best else { throw .corrupt(.ico, "it has no image") }
        return best.start
    }

    /// Returns the bits a pixel of an image whose entry leaves them out; of a PNG, the most.
    private static func bits(_ input: ByteReader, at start: Int) throws(CodecError) -> Int {
        let head = try input.bytes(16, at: start)
        guard !head.starts(with: PNGChunks.signature) else { return 32 }
        return (try? BinaryReader(head, isBigEndian: false).integer(2, at: 14)) ?? 0
    }
}

/// A BMP without its file header, which states twice the height of the image, since a mask follows the pixels.
private struct ICOBitmap: RowDecoding {
    let info: ImageInfo
    let input: ByteReader
    let limits: ImageLimits
    private let bits: Int
    private let storage: BMPHeader.Storage
    private let pixelsAt: Int

    /// `BITMAPINFOHEADER` and its successors, up to `BITMAPV5HEADER`.
    private static let headerBytes = 40...124

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        let header = BinaryReader(try input.bytes(Self.headerBytes.lowerBound, at: 0), isBigEndian: false)
        let (length, compression) = (try header.integer(4, at: 0), try header.integer(4, at: 16))
        guard Self.headerBytes.contains(length) else { throw .unsupported(.ico, "a header of \(length) bytes") }
        let bits = try header.integer(2, at: 14)
        guard [1, 4, 8, 16, 24, 32].contains(bits), compression == 0 else {
            throw .unsupported(.ico, "\(bits) bits a pixel with compression \(compression)")
        }
        let (width, height) = (try header.integer(4, at: 4), try header.integer(4, at: 8))
        let size = try limits.size(UInt32(width), UInt32(height / 2))
        let stated = try header.integer(4, at: 32)
        // Deeper images may have a palette for displays that need one.
        let colors = stated > 0 || bits > 8 ? stated : 1 << bits
        let palette = try input.bytes(4 * min(colors, 256), at: length)
        storage =
            switch bits {
            case 16: .rgb16
            case 24: .bytes
            case 32: .rgb32
            default: .palette(palette.colors(4), isRunLength: false)
            }
        pixelsAt = length + 4 * colors
        info = ImageInfo(
            format: .ico, storedSize: size, orientation: .downMirrored, hasAlpha: true,
            colorDescription: "\(bits > 8 ? "RGB" : "palette") and alpha, \(bits) bit\(bits == 1 ? "" : "s") a pixel")
        (self.input, self.limits, self.bits) = (input, limits, bits)
    }

    var colors: ImageColors { .rgb }
    func start() throws(CodecError) -> RowLayout { .rgba }

    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        let size = info.storedSize
        let (rowBytes, maskBytes) = ((size.width * bits + 31) / 32 * 4, (size.width + 31) / 32 * 4)
        let maskAt = pixelsAt + rowBytes * size.height
        var rgb = [UInt8](repeating: 0, count: 3 * size.width)
        var row = [UInt8](repeating: 0, count: layout.channels * size.width)
        let hasAlpha = try hasAlpha(rowBytes)
        for y in 0..<area.endY {
            let stored = try input.bytes(rowBytes, at: pixelsAt + y * rowBytes)
            guard stored.count == rowBytes else { return try endEarly(after: y) }
            guard y >= area.y else { continue }
            // A mask that is missing hides nothing.
            let mask = hasAlpha ? [] : try input.bytes(maskBytes, at: maskAt + y * maskBytes)
            storage.convert(stored, bits: bits, width: size.width, to: &rgb)
            for x in 0..<size.width {
                for channel in 0..<3 { row[4 * x + channel] = rgb[3 * x + channel] }
                let isHidden = x / 8 < mask.count && mask[x / 8] << UInt8(x % 8) & 128 != 0
                row[4 * x + 3] = hasAlpha ? stored[4 * x + 3] : isHidden ? 0 : 255
            }
            take(row.span)
        }
        return RowsRead()
    }

    /// Whether the fourth bytes are alpha; icons older than Windows XP leave them 0 and use the mask.
    private func hasAlpha(_ rowBytes: Int) throws(CodecError) -> Bool {
        guard bits == 32 else { return false }
        for y in 0..<info.storedSize.height {
            let stored = try input.bytes(rowBytes, at: pixelsAt + y * rowBytes)
            guard stored.count == rowBytes else { return true }
            if stride(from: 3, to: stored.count, by: 4).contains(where: { stored[$0] != 0 }) { return true }
        }
        return false
    }
}

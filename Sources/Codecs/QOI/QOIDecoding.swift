internal import SpyglassPixels

/// Decodes a QOI by rows (qoiformat.org, version 1.0).
struct QOIDecoding: ~Copyable, RowDecoding {
    let info: ImageInfo
    let input: ByteReader
    let limits: ImageLimits
    private let window: ByteWindow

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        (self.input, self.limits, window) = (input, limits, ByteWindow(input))
        guard let header = try window.bytes(Self.headerBytes) else {
            throw .corrupt(.qoi, "the file ends inside its header")
        }
        let fields = BinaryReader(header)
        let size = try limits.size(UInt32(fields.integer(4, at: 4)), UInt32(fields.integer(4, at: 8)))
        let channels = try fields.integer(1, at: 12)
        guard 3...4 ~= channels else { throw .corrupt(.qoi, "\(channels) channels") }
        info = ImageInfo(
            format: .qoi, storedSize: size, hasAlpha: channels == 4,
            colorDescription: channels == 4 ? "RGB and alpha, 8 bits" : "RGB, 8 bits")
    }

    /// `qoif`, width, height, channels, colour space; the last does not affect decoding.
    private static let headerBytes = 14

    var colors: ImageColors { .rgb }
    func start() throws(CodecError) -> RowLayout { info.hasAlpha ? .rgba : .rgb }

    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        var pixels = QOIPixels(window)
        var row = [UInt8](repeating: 0, count: info.storedSize.width * layout.channels)
        for y in 0..<area.endY {
            for at in stride(from: 0, to: row.count, by: layout.channels) {
                guard let pixel = try pixels.next() else { return try endEarly(after: y) }
                (row[at], row[at + 1], row[at + 2]) = (pixel.red, pixel.green, pixel.blue)
                if layout.hasAlpha { row[at + 3] = pixel.alpha }
            }
            if y >= area.y { take(row.span) }
        }
        return RowsRead()
    }
}

/// The pixels of a QOI, one after the other.
private struct QOIPixels {
    private let window: ByteWindow
    private var pixel = RGBA(0, 0, 0, 255)
    private var seen = [RGBA](repeating: RGBA(0, 0, 0, 0), count: 64)
    /// Pixels that repeat the last one.
    private var run: UInt8 = 0

    init(_ window: ByteWindow) { self.window = window }

    /// `nil` at the end of the file.
    mutating func next() throws(CodecError) -> RGBA? {
        guard run == 0 else {
            run -= 1
            return pixel
        }
        guard let code = try window.byte() else { return nil }
        let value = code & 63
        switch code >> 6 {
        case 3 where value >= 62:
            guard let red = try window.byte(), let green = try window.byte(), let blue = try window.byte() else {
                return nil
            }
            var alpha = pixel.alpha
            if value == 63 {
                guard let stated = try window.byte() else { return nil }
                alpha = stated
            }
            pixel = RGBA(red, green, blue, alpha)
        case 3: run = value
        case 2:
            guard let rest = try window.byte() else { return nil }
            let green = value &- 32
            add(green &+ (rest >> 4) &- 8, green, green &+ (rest & 15) &- 8)
        case 1: add((value >> 4) &- 2, (value >> 2 & 3) &- 2, (value & 3) &- 2)
        default: pixel = seen[Int(value)]
        }
        let place = 3 * Int(pixel.red) + 5 * Int(pixel.green) + 7 * Int(pixel.blue) + 11 * Int(pixel.alpha)
        seen[place % 64] = pixel
        return pixel
    }

    private mutating func add(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        pixel = RGBA(pixel.red &+ red, pixel.green &+ green, pixel.blue &+ blue, pixel.alpha)
    }
}

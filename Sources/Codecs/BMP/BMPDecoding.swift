internal import SpyglassPixels

/// Decodes a BMP by rows (BITMAPFILEHEADER, wingdi.h).
///
/// Rows are stored from the bottom, unless the height is negative: the image is then one that must be mirrored.
struct BMPDecoding: ~Copyable, RowDecoding {
    let info: ImageInfo
    let input: ByteReader
    let limits: ImageLimits
    private let header: BMPHeader
    private let window: ByteWindow

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        (self.input, self.limits, window) = (input, limits, ByteWindow(input))
        header = try BMPHeader(window, limits)
        info = header.info
    }

    var colors: ImageColors { .rgb }
    func start() throws(CodecError) -> RowLayout { header.hasAlpha ? .rgba : .rgb }

    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        let rows =
            if case .palette(let colors, isRunLength: true) = header.storage {
                try readRuns(of: area, colors, take)
            } else {
                try readStoredRows(of: area, layout, take)
            }
        return rows < area.endY ? try endEarly(after: rows) : RowsRead()
    }

    /// Returns the number of rows that are there.
    private func readStoredRows(
        of area: PixelArea, _ layout: RowLayout, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> Int {
        let width = info.storedSize.width
        var stored: [UInt8] = []
        var row = [UInt8](repeating: 0, count: width * layout.channels)
        for y in 0..<area.endY {
            stored.removeAll(keepingCapacity: true)
            try window.append(header.rowBytes, to: &stored)
            // The last one may lack its padding.
            guard stored.count >= (width * header.bits + 7) / 8 else { return y }
            guard y >= area.y else { continue }
            header.storage.convert(stored, bits: header.bits, width: width, to: &row)
            take(row.span)
        }
        return area.endY
    }

    /// Returns the number of rows that are there; pixels that are skipped have the first colour.
    private func readRuns(
        of area: PixelArea, _ colors: [UInt8], _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> Int {
        let size = info.storedSize
        let perByte = 8 / header.bits
        var (x, y) = (0, 0)
        var indices = [UInt8](repeating: 0, count: size.width)
        var row = [UInt8](repeating: 0, count: 3 * size.width)
        func put(_ byte: UInt8, _ at: Int) {
            guard x < size.width else { return }
            indices[x] = perByte == 1 ? byte : at % 2 == 0 ? byte >> 4 : byte & 15
            x += 1
        }
        func endRow() {
            if y >= area.y, y < area.endY {
                for column in 0..<size.width { row.setColor(column, indices[column], of: colors) }
                take(row.span)
            }
            for column in 0..<size.width { indices[column] = 0 }
            y += 1
        }
        while y < area.endY {
            guard let count = try window.byte(), let value = try window.byte() else {
                // The last row may lack its end.
                if x == size.width { endRow() }
                return y
            }
            switch (count, value) {
            case (1..., _): for at in 0..<Int(count) { put(value, at) }
            case (_, 0):
                endRow()
                x = 0
            case (_, 1): while y < area.endY { endRow() }
            case (_, 2):
                guard let right = try window.byte(), let up = try window.byte() else { return y }
                x = min(x + Int(right), size.width)
                for _ in 0..<up where y < area.endY { endRow() }
            default:
                // Literal pixels, padded to 16 bits.
                let bytes = (Int(value) + perByte - 1) / perByte
                guard let literal = try window.bytes(bytes + bytes % 2) else { return y }
                for at in 0..<Int(value) { put(literal[at / perByte], at) }
            }
        }
        return area.endY
    }
}

extension [UInt8] {
    fileprivate mutating func setColor(_ x: Int, _ index: UInt8, of colors: [UInt8]) {
        for channel in 0..<3 { self[3 * x + channel] = colors[3 * Int(index) + channel] }
    }
}

/// The header of a BMP: the file header, one of Windows or OS/2, bit masks and palette.
struct BMPHeader {
    enum Storage {
        /// 1, 2, 4 or 8 bits a pixel, perhaps in runs (RLE4, RLE8).
        case palette([UInt8], isRunLength: Bool)
        /// Blue, green, red.
        case bytes
        /// 16 or 32 bits a pixel.
        case masks([BMPChannel])
    }

    let size: PixelSize
    let isTopDown: Bool
    let bits: Int
    let storage: Storage

    /// BITMAPINFOHEADER and its versions 2 to 5.
    private static let windowsSizes = [40, 52, 56, 108, 124]
    /// OS22XBITMAPHEADER, which may end after any field.
    private static let os2Sizes = 16...64
    /// Also the upper bytes of the second header's size, which texts that begin with BM lack.
    static let signature = FileSignature("BM", and: [0, 0, 0], at: 15)
    private static let coreBytes = 12
    private static let fileHeaderBytes = 14

    init(_ window: ByteWindow, _ limits: ImageLimits) throws(CodecError) {
        let start = BinaryReader(try Self.bytes(Self.fileHeaderBytes + 4, window), isBigEndian: false)
        let (pixelsAt, headerBytes) = (try start.integer(4, at: 10), try start.integer(4, at: 14))
        let isCore = headerBytes == Self.coreBytes
        let isWindows = Self.windowsSizes.contains(headerBytes)
        guard isCore || isWindows || Self.os2Sizes.contains(headerBytes) else {
            throw .unsupported(.bmp, "a header of \(headerBytes) bytes")
        }
        // Fields that a short header lacks are 0; offsets are those of BITMAPINFOHEADER.
        var bytes = [0, 0, 0, 0] + (try Self.bytes(headerBytes - 4, window))
        if isCore { bytes = Array(bytes[..<6]) + [0, 0] + bytes[6..<8] + [0, 0] + bytes[8...] }
        bytes += repeatElement(0, count: max(0, 124 - bytes.count))
        var fields = BinaryReader(bytes, isBigEndian: false)
        let height = Int(Int32(truncatingIfNeeded: try fields.integer(4, at: 8)))
        let width = Int(Int32(truncatingIfNeeded: try fields.integer(4, at: 4)))
        guard width > 0, height != 0 else { throw .corrupt(.bmp, "\(width)x\(height) is not a valid image size") }
        size = try limits.size(UInt32(width), UInt32(height.magnitude))
        isTopDown = height < 0
        bits = try fields.integer(2, at: 14)
        let compression = try fields.integer(4, at: 16)
        // In an OS/2 header, 3 and 4 are other methods.
        let hasMasks = isWindows && (compression == 3 || compression == 6)
        if hasMasks, headerBytes == 40 {
            bytes.replaceSubrange(
                40..<(compression == 3 ? 52 : 56), with: try Self.bytes(compression == 3 ? 12 : 16, window))
            fields = BinaryReader(bytes, isBigEndian: false)
        }
        switch (bits, compression) {
        case (1, 0), (2, 0), (4, 0), (8, 0), (4, 2), (8, 1):
            let stated: CheckedSize = isCore ? 0 : try fields.size(4, at: 32)
            let entryBytes = isCore ? 3 : 4
            // Some writers leave the place of the pixels out, or state that of the palette.
            let room = pixelsAt > window.offset ? (pixelsAt - window.offset) / entryBytes : 256
            let count = min(stated > 0 ? stated.upTo(256) : 1 << bits, room)
            storage = .palette(
                try Self.bytes(count * entryBytes, window).colors(entryBytes), isRunLength: compression > 0)
        case (24, 0): storage = .bytes
        case (16, 0): storage = .rgb16
        case (32, 0): storage = .rgb32
        case (16, _) where hasMasks, (32, _) where hasMasks:
            let masks = try (0..<4).map { (mask) throws(CodecError) in UInt32(try fields.integer(4, at: 40 + 4 * mask))
            }
            storage = .masks((masks[3] == 0 ? Array(masks[..<3]) : masks).map(BMPChannel.init))
        default: throw .unsupported(.bmp, "\(bits) bits a pixel with compression \(compression)")
        }
        guard try window.skip(max(0, pixelsAt - window.offset)) else { throw Self.endsInHeader }
    }

    private static func bytes(_ count: Int, _ window: ByteWindow) throws(CodecError) -> [UInt8] {
        guard let bytes = try window.bytes(count) else { throw endsInHeader }
        return bytes
    }

    private static let endsInHeader = CodecError.corrupt(.bmp, "the file ends inside its header")

    var hasAlpha: Bool { if case .masks(let channels) = storage { channels.count == 4 } else { false } }
    var rowBytes: Int { (size.width * bits + 31) / 32 * 4 }

    var info: ImageInfo {
        let space = if case .palette = storage { "palette" } else { hasAlpha ? "RGB and alpha" : "RGB" }
        return ImageInfo(
            format: .bmp, storedSize: size, orientation: isTopDown ? .up : .downMirrored, hasAlpha: hasAlpha,
            colorDescription: "\(space), \(bits) bit\(bits == 1 ? "" : "s") a pixel")
    }
}

extension BMPHeader.Storage {
    /// Five bits a channel; the highest bit is free.
    static let rgb16 = BMPHeader.Storage.masks([0x7C00, 0x3E0, 0x1F].map(BMPChannel.init))
    static let rgb32 = BMPHeader.Storage.masks([0xFF_0000, 0xFF00, 0xFF].map(BMPChannel.init))

    /// Converts a row without runs to its channels.
    func convert(_ stored: [UInt8], bits: Int, width: Int, to row: inout [UInt8]) {
        switch self {
        case .palette(let colors, _):
            let mask = UInt8(truncatingIfNeeded: 1 << bits - 1)
            for x in 0..<width {
                let bit = x * bits
                row.setColor(x, stored[bit / 8] >> UInt8(8 - bits - bit % 8) & mask, of: colors)
            }
        case .bytes:
            for at in stride(from: 0, to: 3 * width, by: 3) {
                (row[at], row[at + 1], row[at + 2]) = (stored[at + 2], stored[at + 1], stored[at])
            }
        case .masks(let channels):
            let bytes = bits / 8
            for x in 0..<width {
                let pixel = (0..<bytes).reduce(UInt32(0)) { $0 | UInt32(stored[x * bytes + $1]) << UInt32(8 * $1) }
                for channel in channels.indices { row[x * channels.count + channel] = channels[channel].value(pixel) }
            }
        }
    }
}

/// The bits of one channel in a pixel.
struct BMPChannel {
    private let mask: UInt32
    private let shift: UInt32
    /// The eight-bit value of each value of the channel's upper bits, eight at most.
    private let values: [UInt8]

    /// Treats gaps in a mask as set.
    init(_ mask: UInt32) {
        let low = UInt32(mask.trailingZeroBitCount)
        let bits = mask == 0 ? 0 : UInt32(32 - mask.leadingZeroBitCount) - low
        self.mask = mask
        shift = bits > 8 ? low + bits - 8 : low & 31
        let most = 1 << Int(min(bits, 8)) - 1
        values = (0...most).map { most == 0 ? 0 : UInt8(($0 * 255 + most / 2) / most) }
    }

    func value(_ pixel: UInt32) -> UInt8 { values[Int((pixel & mask) &>> shift)] }
}

extension [UInt8] {
    /// Red, green and blue of 256 colours; missing ones are black.
    func colors(_ entryBytes: Int) -> [UInt8] {
        var colors = [UInt8](repeating: 0, count: 3 * 256)
        for at in 0..<count / entryBytes {
            for channel in 0..<3 { colors[3 * at + channel] = self[entryBytes * at + 2 - channel] }
        }
        return colors
    }
}

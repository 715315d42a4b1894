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
        let window = ByteWindow(input)
        let header = try BMPHeader(window, limits)
        (self.window, self.header, info) = (window, header, header.info)
        self.input = input
        self.limits = limits
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
        guard rows < area.endY else { return RowsRead() }
        guard rows > 0 else { throw .corrupt(.bmp, "the file ends before the first row") }
        return RowsRead(
            completeness: .truncated(rows: rows, of: info.storedSize.height), firstWarning: "the file ends early")
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
            convert(stored, to: &row)
            take(row.span)
        }
        return area.endY
    }

    private func convert(_ stored: [UInt8], to row: inout [UInt8]) {
        let width = info.storedSize.width
        switch header.storage {
        case .palette(let colors, _):
            let mask = UInt8(truncatingIfNeeded: 1 << header.bits - 1)
            for x in 0..<width {
                let bit = x * header.bits
                row.setColor(x, stored[bit / 8] >> UInt8(8 - header.bits - bit % 8) & mask, of: colors)
            }
        case .bytes:
            for at in stride(from: 0, to: 3 * width, by: 3) {
                (row[at], row[at + 1], row[at + 2]) = (stored[at + 2], stored[at + 1], stored[at])
            }
        case .masks(let channels):
            let bytes = header.bits / 8
            for x in 0..<width {
                let pixel = (0..<bytes).reduce(UInt32(0)) { $0 | UInt32(stored[x * bytes + $1]) << UInt32(8 * $1) }
                for channel in channels.indices { row[x * channels.count + channel] = channels[channel].value(pixel) }
            }
        }
    }

    /// Returns the number of rows that are there.
    ///
    /// Pixels that are skipped have the first colour.
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
            guard let count = try window.byte(), let value = try window.byte() else { return y }
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

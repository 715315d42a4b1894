internal import SpyglassPixels

/// The decoded rows of one image of a GIF, which its data may hold in another order.
struct GIFRows {
    /// Rows from the top that can be drawn; of an interlaced image some may repeat coarser ones.
    let count: Int
    /// Whether none is missing.
    let isWhole: Bool
    private let reader: GIFReader
    private let size: PixelSize
    private let decodedRows: Int
    private let isInterlaced: Bool

    /// Decodes the rows above `end`; valid until the next image is decoded.
    init(_ image: GIFImage, _ size: PixelSize, until end: Int, from reader: GIFReader) throws(CodecError) {
        let wanted = Self.decoded(size, until: end, isInterlaced: image.isInterlaced)
        try reader.readData(of: image, count: wanted * size.width)
        (self.reader, self.size, isInterlaced) = (reader, size, image.isInterlaced)
        decodedRows = reader.lzw.count / size.width
        isWhole = decodedRows == wanted
        let covered = isInterlaced ? decodedRows * 8 : decodedRows
        count = min(max(end, 0), size.height, covered)
    }

    /// The number of rows to decode so that all above `end` are there.
    static func decoded(_ size: PixelSize, until end: Int, isInterlaced: Bool) -> Int {
        end > 0 ? isInterlaced ? size.height : min(end, size.height) : 0
    }

    /// Calls `body` with the indices of row `y`, which is below `count`.
    func withRow(_ y: Int, _ body: (Span<UInt8>) -> Void) {
        let row = isInterlaced ? interlaced(y) : y
        reader.lzw.withBytes(row * size.width..<(row + 1) * size.width, body)
    }

    /// Rows 0, 8, 16 come first, then 4, 12, then 2, 6, then 1, 3 (GIF89a specification, appendix E).
    private func interlaced(_ y: Int) -> Int {
        let (eighths, fourths, halves) = ((size.height + 7) / 8, (size.height + 3) / 8, (size.height + 1) / 4)
        func place(_ y: Int) -> Int {
            switch y & 7 {
            case 0: y / 8
            case 4: eighths + y / 8
            case 2, 6: eighths + fourths + y / 4
            default: eighths + fourths + halves + y / 2
            }
        }
        return [y, y & ~1, y & ~3].map(place).first { $0 < decodedRows } ?? place(y & ~7)
    }
}

internal import SpyglassPixels

/// Decodes the first image of a GIF by rows, on the whole canvas.
struct GIFDecoding: ~Copyable, RowDecoding {
    let info: ImageInfo
    let input: ByteReader
    let limits: ImageLimits
    private let reader: GIFReader
    private let image: GIFImage
    private let area: PixelArea

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        let reader = try GIFReader(input)
        let header = try reader.header(limits)
        (image, area, info) = (header.image, header.area, header.info)
        self.reader = reader
        self.input = input
        self.limits = limits
    }

    var colors: ImageColors { .rgb }
    func workBytes(_ spec: DecodeSpec) -> Int { area.size.pixelCount + LZWDecoder.workBytes }
    func start() throws(CodecError) -> RowLayout { .rgba }

    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        let rows = try GIFRows(image, self.area.size, until: area.endY - self.area.y, from: reader)
        guard rows.count > 0 || rows.isWhole else { throw Self.noRows }
        let words = image.words
        let first = self.area.x
        var row = [UInt32](repeating: 0, count: info.storedSize.width)
        let end = rows.isWhole ? area.endY : min(area.endY, self.area.y + rows.count)
        for y in area.y..<max(area.y, end) {
            if (self.area.y..<self.area.y + rows.count).contains(y) {
                rows.withRow(y - self.area.y) { indices in
                    for x in indices.indices { row[first + x] = words[Int(indices[x])] }
                }
            } else if y == self.area.endY {
                for x in row.indices { row[x] = 0 }
            }
            row.withUnsafeBytes { take($0.assumingMemoryBound(to: UInt8.self).span) }
        }
        guard !rows.isWhole else { return RowsRead() }
        return RowsRead(
            completeness: end < area.endY ? .truncated(rows: end, of: info.storedSize.height) : .degraded,
            firstWarning: "the image data ends early")
    }

    static let noRows = CodecError.corrupt(.gif, "the image data ends before the first row")
}

extension GIFReader {
    /// Reads up to the data of the first image; a canvas that does not hold it is enlarged.
    func header(
        _ limits: ImageLimits
    ) throws(CodecError) -> (image: GIFImage, area: PixelArea, info: ImageInfo) {
        guard let image = try nextImage() else { throw .corrupt(.gif, "it has no image") }
        guard let area = image.area else { throw .corrupt(.gif, "its first image has no pixels") }
        let canvas = try limits.size(UInt32(max(width, area.endX)), UInt32(max(height, area.endY)))
        let bits = image.colors.bits
        let info = ImageInfo(
            format: .gif, storedSize: canvas, isProgressive: image.isInterlaced,
            hasAlpha: image.transparentIndex != nil || area != PixelArea(of: canvas),
            colorDescription: "palette, \(bits) bit\(bits == 1 ? "" : "s")")
        return (image, area, info)
    }
}

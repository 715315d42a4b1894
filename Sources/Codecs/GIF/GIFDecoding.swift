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
        (image, area, info) = try reader.header(limits)
        (self.reader, self.input, self.limits) = (reader, input, limits)
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
    func header(_ limits: ImageLimits) throws(CodecError) -> (image: GIFImage, area: PixelArea, info: ImageInfo) {
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

/// Draws the images of a GIF on its canvas.
final class GIFFrames: FrameDecoding {
    let info: ImageInfo
    private let input: ByteReader
    private var reader: GIFReader?
    private(set) var plays: Int?
    private var canvas: FrameCanvas
    private var count: FrameCount
    private var hasEnded = false

    /// `nil` for a single image.
    init?(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        let reader = try GIFReader(input)
        info = try reader.header(limits).info
        try reader.skipData()
        guard try reader.nextImage() != nil else { return nil }
        plays = reader.plays
        self.input = input
        canvas = FrameCanvas(info.storedSize)
        count = FrameCount(limits)
    }

    var workBytes: Int { canvas.workBytes + maxIndices + LZWDecoder.workBytes }
    /// Index bytes of an image, which may reach beyond the canvas; that has at least the first image's pixels.
    private var maxIndices: Int { info.storedSize.pixelCount + 1 << 20 }

    func withRow(_ y: Int, _ body: (Span<UInt8>) -> Void) { canvas.withRow(y, body) }

    func restart() {
        (reader, hasEnded) = (nil, false)
        count = FrameCount(count.limits)
    }

    func nextFrame() throws(CodecError) -> Duration? {
        guard !hasEnded else { return nil }
        let reader = if let reader { reader } else { try start() }
        guard let image = try reader.nextImage(), try draw(image, from: reader) else {
            hasEnded = true
            return nil
        }
        plays = reader.plays
        return image.duration
    }

    private func start() throws(CodecError) -> GIFReader {
        let reader = try GIFReader(ByteReader(again: input))
        canvas.clear()
        self.reader = reader
        return reader
    }

    /// Returns false if the file ends before the first row.
    private func draw(_ image: GIFImage, from reader: GIFReader) throws(CodecError) -> Bool {
        guard let area = image.area, let visible = canvas.clipped(area) else {
            canvas.begin(nil, .keep)
            try count.add(0)
            try reader.skipData()
            return true
        }
        let rows = GIFRows.decoded(area.size, until: visible.size.height, isInterlaced: image.isInterlaced)
        guard rows * area.size.width <= maxIndices else {
            throw .corrupt(.gif, "an image of \(area.size) on a canvas of \(canvas.size)")
        }
        try count.add(rows * area.size.width)
        let drawn = try GIFRows(image, area.size, until: visible.size.height, from: reader)
        guard drawn.count > 0 else {
            if count.isFirst { throw GIFDecoding.noRows }
            return false
        }
        canvas.begin(visible, image.disposal)
        let words = image.words
        for row in 0..<drawn.count {
            drawn.withRow(row) { indices in
                canvas.draw(indices, in: words, x: visible.x, y: visible.y + row, count: visible.size.width)
            }
        }
        return true
    }
}

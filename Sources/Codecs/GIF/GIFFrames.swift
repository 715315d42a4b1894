internal import SpyglassPixels

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
    /// Index bytes of an image.
    ///
    /// It may reach beyond the canvas, which has at least the first image's pixels.
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
        let isOpaque = !words.contains(0)
        for row in 0..<drawn.count {
            drawn.withRow(row) { indices in
                canvas.draw(
                    indices, in: words, isOpaque: isOpaque, x: visible.x, y: visible.y + row,
                    count: visible.size.width)
            }
        }
        return true
    }
}

internal import SpyglassPixels

/// Draws the frames of an animated PNG; each is decoded as a PNG of its own.
final class APNGFrames: FrameDecoding {
    private let header: PNGDecoding
    private let input: ByteReader
    private let limits: ImageLimits
    private var reader: APNGReader?
    private let frames: Int
    let plays: Int?
    private var canvas: FrameCanvas
    private var count: FrameCount
    private var framesLeft: Int

    /// `nil` for a still image.
    init?(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        let header = try PNGDecoding(ByteReader(again: input), limits)
        let reader = try APNGReader(input, canvas: header.info.storedSize)
        guard let reader, reader.isAnimated else { return nil }
        (frames, framesLeft, plays) = (reader.frames, reader.frames, reader.plays)
        canvas = FrameCanvas(header.info.storedSize)
        count = FrameCount(limits)
        self.header = header
        self.input = input
        self.limits = limits
    }

    var info: ImageInfo { header.info }
    var colors: ImageColors { header.colors }
    var transfer: TransferCurve { header.transfer }
    func profile() -> EmbeddedProfile { header.profile() }

    /// Data of up to eight bytes a pixel, twice while a chunk is copied.
    var workBytes: Int {
        canvas.workBytes + 17 * info.storedSize.pixelCount
            + header.workBytes(DecodeSpec(.original, isExact: false))
    }

    func withRow(_ y: Int, _ body: (Span<UInt8>) -> Void) { canvas.withRow(y, body) }

    func restart() {
        (reader, framesLeft) = (nil, frames)
        count = FrameCount(limits)
    }

    func nextFrame() throws(CodecError) -> Duration? {
        guard framesLeft > 0 else { return nil }
        if reader == nil {
            reader = try APNGReader(ByteReader(again: input), canvas: info.storedSize)
            canvas.clear()
        }
        framesLeft -= 1
        if let (control, png) = try reader?.nextFrame() {
            let input = try ByteReader(.bytes(png), limits, input.cancellation, isCancelled: input.isCancelled)
            if try draw(input, control.area, control.disposal, isBlended: control.isBlended) { return control.duration }
        } else if framesLeft == frames - 1 {
            // The first frame is missing or damaged: the still image is the only frame.
            framesLeft = 0
            let canvas = PixelArea(of: canvas.size)
            if try draw(ByteReader(again: input), canvas, .keep, isBlended: false) {
                return FrameTime.shown(milliseconds: 0)
            }
        }
        framesLeft = 0
        return nil
    }

    /// Returns false if the data ends before the first row, unless it is the first frame's.
    private func draw(
        _ input: ByteReader, _ area: PixelArea, _ disposal: FrameCanvas.Disposal, isBlended: Bool
    ) throws(CodecError) -> Bool {
        try count.add(area.size.pixelCount)
        let rows: RowsRead
        do throws(CodecError) {
            let decoder = try PNGDecoding(input, limits)
            let layout = try decoder.start()
            canvas.begin(area, disposal)
            var y = area.y
            rows = try decoder.readRows(
                of: PixelArea(of: area.size), layout, DecodeSpec(.original, isExact: false)
            ) { row in
                canvas.draw(row, layout, x: area.x, y: y, count: area.size.width, isBlended: isBlended)
                y += 1
            }
        } catch {
            guard error.kind == .corrupt, !count.isFirst else { throw error }
            return false
        }
        if rows.completeness != .complete { framesLeft = 0 }
        return true
    }
}

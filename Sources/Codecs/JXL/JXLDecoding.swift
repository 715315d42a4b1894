internal import SpyglassCJXL
internal import SpyglassFiles
internal import SpyglassPixels

/// Decodes the first frame of a JPEG XL file through libjxl, whole; turning is ours.
struct JXLDecoding: ~Copyable, RowDecoding {
    let info: ImageInfo
    let input: ByteReader
    let limits: ImageLimits
    let header: JXLHeader

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        header = try JXLHeader(input, limits)
        info = ImageInfo(
            format: .jxl, storedSize: header.size, orientation: header.orientation, hasAlpha: header.hasAlpha,
            colorDescription: header.colorDescription)
        (self.input, self.limits) = (input, limits)
    }

    var colors: ImageColors { header.isGray ? .gray : .rgb }
    func profile() -> EmbeddedProfile { header.profile }
    func deepColors(_ spec: DecodeSpec) -> CodePoints? {
        spec.keeps.contains(.profile) && profile().kept(for: colors) != nil ? nil : header.deepColors
    }
    func exifSegment() -> [UInt8]? { (try? JXLHeader.exif(in: input)) ?? nil }

    /// The file, and what the library takes: it crashes where it does not get it.
    func workBytes(_ spec: DecodeSpec) -> Int {
        workBytes(
            (spec.hasCrashed ? header.pixelBytes.most : header.pixelBytes.usual)
                + (deepColors(spec) == nil ? 0 : start().channels))
    }

    func workBytes(_ pixelBytes: Int) -> Int {
        min((try? input.byteCount()) ?? 0, max(limits.bodyBytes, 0)) + pixelBytes * info.storedSize.pixelCount
    }

    /// Grey, too: the library takes more memory to write one channel.
    func start() -> RowLayout { header.hasAlpha ? .rgba : .rgb }

    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        let isDeep = deepColors(spec) != nil
        let rowBytes = info.storedSize.width * layout.channels * (isDeep ? 2 : 1)
        guard let pixels = ReservedMemory(byteCount: rowBytes * info.storedSize.height) else {
            throw .outOfMemory(to: "decode")
        }
        let reader = try JXLReader(ByteReader(again: input), limits, SG_JXL_FULL_IMAGE, isWhole: true)
        let cut = "the file ends early"
        guard let frame = try reader.nextFrame(into: pixels, channels: layout.channels, isDeep: isDeep) else {
            throw .corrupt(.jxl, cut)
        }
        for y in area.y..<area.endY {
            if y % 64 == 0 { try input.checkCancelled() }
            pixels.withRow(y, rowBytes, take)
        }
        return frame.isComplete ? RowsRead() : RowsRead(completeness: .degraded, firstWarning: cut)
    }
}

extension ReservedMemory {
    /// Calls `body` with row `y` of rows without gaps.
    fileprivate borrowing func withRow(_ y: Int, _ byteCount: Int, _ body: (Span<UInt8>) -> Void) {
        body(UnsafeRawBufferPointer(self[y * byteCount..<(y + 1) * byteCount]).assumingMemoryBound(to: UInt8.self).span)
    }
}

/// The frames of an animated JPEG XL, composited by the library, which needs the whole file.
final class JXLFrames: FrameDecoding {
    let info: ImageInfo
    let workBytes: Int
    let plays: Int?
    let colors: ImageColors
    private let limits: ImageLimits
    private let header: JXLHeader
    private let reader: JXLReader
    private let canvas: ReservedMemory
    private var count: FrameCount

    /// `nil` for a still image.
    init?(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        let still = try JXLDecoding(input, limits)
        guard let loops = still.header.loops, try Self.count(in: input, limits, upTo: 2) > 1 else { return nil }
        (info, colors, header) = (still.info, still.colors, still.header)
        workBytes = still.workBytes(header.pixelBytes.most)
        plays = loops > 0 ? loops : nil
        reader = try JXLReader(ByteReader(again: input), limits, SG_JXL_FRAME | SG_JXL_FULL_IMAGE, isWhole: true)
        guard let canvas = ReservedMemory(byteCount: info.storedSize.pixelCount * PixelBuffer.bytesPerPixel) else {
            throw .outOfMemory(to: "animate")
        }
        self.canvas = canvas
        (self.limits, count) = (limits, FrameCount(limits))
    }

    /// Counts the frames, without decoding them; 1 for a still image.
    static func count(in input: ByteReader, _ limits: ImageLimits, upTo max: Int) throws(CodecError) -> Int {
        let reader = try JXLReader(ByteReader(again: input), limits, SG_JXL_BASIC_INFO | SG_JXL_FRAME)
        var frames = 0
        do throws(CodecError) {
            while frames < max {
                switch try reader.next() {
                case SG_JXL_FRAME: frames += 1
                case SG_JXL_BASIC_INFO where reader.info?.has_animation != 0: break
                default: return Swift.max(frames, 1)
                }
            }
        } catch {
            if frames == 0 { throw error }
        }
        return frames
    }

    func profile() -> EmbeddedProfile { header.profile }

    func nextFrame() throws(CodecError) -> Duration? {
        do throws(CodecError) {
            guard let frame = try reader.nextFrame(into: canvas, channels: RowLayout.rgba.channels) else { return nil }
            try count.add(info.storedSize.pixelCount)
            return FrameTime.shown(milliseconds: Int(min(Double(frame.ticks) * header.tick, Self.maxMilliseconds)))
        } catch {
            // The last frame stays on the canvas.
            guard error.kind == .corrupt, !count.isEmpty else { throw error }
            return nil
        }
    }

    private static let maxMilliseconds = 86_400_000.0

    func restart() {
        reader.restart()
        count = FrameCount(limits)
    }

    func withRow(_ y: Int, _ body: (Span<UInt8>) -> Void) {
        canvas.withRow(y, info.storedSize.width * RowLayout.rgba.channels, body)
    }
}

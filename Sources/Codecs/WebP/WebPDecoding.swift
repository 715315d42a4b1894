internal import SpyglassCWebP
internal import SpyglassFiles
internal import SpyglassPixels

/// Decodes a WebP by rows through libwebp (`WebPIUpdate`): in memory are its bytes, what the library needs, and some rows.
struct WebPDecoding: RowDecoding {
    let info: ImageInfo
    let input: ByteReader
    let limits: ImageLimits
    let header: WebPHeader
    private let exif: [UInt8]?

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        let header = try WebPHeader(input, limits)
        let exif = try header.exif.map { (range) throws(CodecError) in
            try input.bytes(min(range.count, Self.maxExifBytes), at: range.lowerBound)
        }
        info = ImageInfo(
            format: .webp, storedSize: header.size,
            orientation: exif.flatMap { Exif.orientation(in: Exif.block(of: $0)) } ?? .up, hasAlpha: header.hasAlpha,
            colorDescription: header.colorDescription)
        (self.input, self.limits, self.header, self.exif) = (input, limits, header, exif)
    }

    /// Writers put EXIF of other formats here, which has at most 64 KiB.
    private static let maxExifBytes = 1 << 16

    var colors: ImageColors { .rgb }
    func exifSegment() -> [UInt8]? { exif }
    func profile() -> EmbeddedProfile { EmbeddedProfile(at: header.profile, in: input) }
    func workBytes(_ spec: DecodeSpec) -> Int { workBytes }

    /// The file, and what the library allocates: ARGB of a lossless image, of a lossy one alpha, before and after unpacking; of
    /// an animation two canvases and a frame.
    var workBytes: Int {
        let pixels = info.storedSize.pixelCount
        let file = min(header.byteCount, max(limits.bodyBytes, 0))
        if header.isAnimated { return file + 13 * pixels }
        let pixelBytes = header.isLossless ? 4 : header.hasAlpha ? 5 : 0
        // A flat image may come in one step: its pixels take no bits.
        let isFlat = header.byteCount < pixels / 32
        let rowBytes = isFlat ? (header.hasAlpha ? 4 : 3) * pixels : 2 * Self.maxStepRowBytes
        return file + pixelBytes * pixels + rowBytes
    }

    func start() throws(CodecError) -> RowLayout {
        _ = try WebPLibrary.system.get()
        return header.hasAlpha || header.isAnimated ? .rgba : .rgb
    }

    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        if header.isAnimated {
            let frames = try WebPFrames(self)
            guard try frames.nextFrame() != nil else { throw .corrupt(.webp, "an animation without frames") }
            for y in area.y..<area.endY { frames.withRow(y, take) }
            return RowsRead()
        }
        let webp = try WebPLibrary.system.get().functions
        let size = info.storedSize
        let rowBytes = size.width * layout.channels
        guard var memory = ReservedMemory(byteCount: rowBytes * size.height) else { throw .outOfMemory(to: "decode") }
        let (pixels, byteCount) = (memory.base.assumingMemoryBound(to: UInt8.self), memory.byteCount)
        let mode = CInt(layout == .rgba ? SG_WEBP_RGBA : SG_WEBP_RGB)
        guard let decoder = webp.pointee.INewRGB(mode, pixels, byteCount, CInt(rowBytes)) else {
            throw .outOfMemory(to: "decode")
        }
        defer { webp.pointee.IDelete(decoder) }
        var prefix = try InputPrefix(capacity: header.byteCount, limits)
        let stepBytes = header.byteCount / (byteCount / Self.maxStepRowBytes + 1)
        let step = min(max(stepBytes, Self.stepBytes.lowerBound), Self.stepBytes.upperBound)
        var rows = 0
        var status = CInt(SG_WEBP_SUSPENDED)
        while rows < area.endY, status == SG_WEBP_SUSPENDED, try prefix.grow(by: step, from: input) {
            status = webp.pointee.IUpdate(decoder, prefix.bytes, prefix.count)
            var lastRow: CInt = 0
            guard webp.pointee.IDecGetRGB(decoder, &lastRow, nil, nil, nil) != nil else { continue }
            let end = min(Int(lastRow), area.endY)
            for row in min(max(area.y, rows), end)..<end {
                take(UnsafeBufferPointer(start: pixels + row * rowBytes, count: rowBytes).span)
            }
            rows = max(end, rows)
            memory.discard(before: rows * rowBytes)
        }
        if status == SG_WEBP_OUT_OF_MEMORY { throw .outOfMemory(to: "decode") }
        guard rows < area.endY else { return RowsRead() }
        let reason = status == SG_WEBP_SUSPENDED ? "the file ends early" : "damaged image data"
        guard rows > 0 else { throw .corrupt(.webp, reason) }
        return RowsRead(
            completeness: .truncated(rows: rows, of: size.height),
            warnings: status == SG_WEBP_SUSPENDED ? 0 : 1, firstWarning: reason)
    }

    /// Bytes passed to the library at a time: some rows of a photograph, or very many of a flat image.
    private static let stepBytes = 256...256 << 10
    /// Rows between two steps, if a file's bytes are spread evenly.
    private static let maxStepRowBytes = 256 << 10
}

/// libwebp, opened at run time.
///
/// `@unchecked Sendable`: the function table is only written before `sg_webp_open` returns.
struct WebPLibrary: @unchecked Sendable {
    let functions: UnsafePointer<sg_webp>

    static let system: Result<WebPLibrary, CodecError> = Self.open("libwebp.so.7", demux: "libwebpdemux.so.2")

    static func open(_ name: String, demux: String) -> Result<WebPLibrary, CodecError> {
        guard let functions = sg_webp_open(name, demux) else {
            return .failure(WorkerLibrary.missing("libwebp7", for: "WebP needs"))
        }
        return .success(WebPLibrary(functions: functions))
    }

    /// Its version (`WebPGetDecoderVersion`), as 1.2.4.
    var version: String { Self.text(functions.pointee.GetDecoderVersion()) }

    /// The version of libwebpdemux (`WebPGetDemuxVersion`).
    var demuxVersion: Result<String, CodecError> {
        guard functions.pointee.AnimDecoderNewInternal != nil, let version = functions.pointee.GetDemuxVersion else {
            return .failure(Self.missingDemux)
        }
        return .success(Self.text(version()))
    }

    static let missingDemux = WorkerLibrary.missing("libwebpdemux2", for: "an animated WebP needs")

    private static func text(_ version: CInt) -> String {
        let version = Int(version)
        return "\(version >> 16 & 255).\(version >> 8 & 255).\(version & 255)"
    }
}

/// The frames of an animated WebP, composited by libwebpdemux (`WebPAnimDecoderGetNext`), which needs the whole file.
final class WebPFrames: FrameDecoding {
    private let still: WebPDecoding
    private let webp: UnsafePointer<sg_webp>
    private var file: InputPrefix?
    private var decoder: OpaquePointer?
    private var canvas: UnsafePointer<UInt8>?
    private var count: FrameCount
    /// Milliseconds from the first frame's start to the last one's end.
    private var time: CInt = 0

    var info: ImageInfo { still.info }
    var workBytes: Int { still.workBytes }
    var plays: Int? { still.header.loops > 0 ? still.header.loops : nil }

    init(_ still: WebPDecoding) throws(CodecError) {
        webp = try WebPLibrary.system.get().functions
        guard webp.pointee.AnimDecoderNewInternal != nil else { throw WebPLibrary.missingDemux }
        (self.still, count) = (still, FrameCount(still.limits))
    }

    deinit { if let decoder { webp.pointee.AnimDecoderDelete?(decoder) } }

    func profile() -> EmbeddedProfile { still.profile() }

    func nextFrame() throws(CodecError) -> Duration? {
        let decoder = try opened()
        guard webp.pointee.AnimDecoderHasMoreFrames?(decoder) == 1 else { return nil }
        try still.input.checkCancelled()
        try count.add(info.storedSize.pixelCount)
        var pixels: UnsafeMutablePointer<UInt8>?
        var end: CInt = 0
        guard webp.pointee.AnimDecoderGetNext?(decoder, &pixels, &end) == 1, let pixels else {
            // The last frame stays on the canvas.
            guard canvas == nil else { return nil }
            throw .corrupt(.webp, "damaged image data")
        }
        canvas = UnsafePointer(pixels)
        defer { time = end }
        return FrameTime.shown(milliseconds: Int(end) - Int(time))
    }

    func restart() {
        if let decoder { webp.pointee.AnimDecoderReset?(decoder) }
        count = FrameCount(still.limits)
        (time, canvas) = (0, nil)
    }

    func withRow(_ y: Int, _ body: (Span<UInt8>) -> Void) {
        let size = info.storedSize
        precondition(y >= 0 && y < size.height, "outside the image")
        let rowBytes = size.width * RowLayout.rgba.channels
        guard let canvas else { return body([UInt8](repeating: 0, count: rowBytes).span) }
        body(UnsafeBufferPointer(start: canvas + y * rowBytes, count: rowBytes).span)
    }

    private func opened() throws(CodecError) -> OpaquePointer {
        if let decoder { return decoder }
        var file = try InputPrefix(capacity: still.header.byteCount, still.limits)
        try file.readAll(from: still.input)
        file.cutAfterLastFrame(still.header.byteCount)
        var options = sg_webp_animation_options()
        options.color_mode = CInt(SG_WEBP_RGBA)
        var data = sg_webp_data(bytes: file.bytes, size: file.count)
        var stated = sg_webp_animation_info()
        guard let made = webp.pointee.AnimDecoderNewInternal?(&data, &options, Self.demuxVersion) else {
            throw .corrupt(.webp, "damaged frames")
        }
        decoder = made
        self.file = consume file
        guard webp.pointee.AnimDecoderGetInfo?(made, &stated) == 1,
            stated.canvas_width == UInt32(clamping: info.storedSize.width),
            stated.canvas_height == UInt32(clamping: info.storedSize.height)
        else { throw .corrupt(.webp, "a canvas of another size than stated") }
        return made
    }

    /// `WEBP_DEMUX_ABI_VERSION` of libwebp 0.5 to 1.5.
    private static let demuxVersion: CInt = 0x0107
}

extension InputPrefix {
    /// Ends a truncated file after its last complete chunk: the library refuses a cut one.
    fileprivate mutating func cutAfterLastFrame(_ stated: Int) {
        guard count < stated else { return }
        let firstChunk = 12
        var end = firstChunk
        while end + 8 <= count {
            let head = UnsafeBufferPointer(start: bytes + end, count: 8)
            guard let size = try? BinaryReader(head.span, isBigEndian: false).size(4, at: 4),
                size.upTo(count) + size.upTo(count) % 2 <= count - end - 8
            else { break }
            end += 8 + size.value + size.value % 2
        }
        cut(to: end)
        replace(at: 4, with: [UInt8](end - 8, bytes: 4, isBigEndian: false))
    }
}

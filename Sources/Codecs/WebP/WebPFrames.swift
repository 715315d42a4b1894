internal import SpyglassCWebP
internal import SpyglassFiles
internal import SpyglassPixels

/// The frames of an animated WebP, composited by libwebpdemux (`WebPAnimDecoderGetNext`), which needs the whole file.
final class WebPFrames: FrameDecoding {
    let info: ImageInfo
    let workBytes: Int
    let plays: Int?
    private let input: ByteReader
    private let limits: ImageLimits
    private let header: WebPHeader
    private let embedded: EmbeddedProfile
    private let webp: UnsafePointer<sg_webp>
    private var file: InputPrefix?
    private var decoder: OpaquePointer?
    private var canvas: UnsafePointer<UInt8>?
    private var count: FrameCount
    /// Milliseconds from the first frame's start to the last one's end.
    private var time: CInt = 0

    init(_ still: borrowing WebPDecoding) throws(CodecError) {
        webp = try WebPLibrary.system.get().functions
        guard webp.pointee.AnimDecoderNewInternal != nil else {
            throw WebPLibrary.missingDemux
        }
        (info, input, limits, header) = (still.info, still.input, still.limits, still.header)
        embedded = still.profile()
        plays = header.loops > 0 ? header.loops : nil
        workBytes = still.workBytes
        count = FrameCount(limits)
    }

    deinit { if let decoder { webp.pointee.AnimDecoderDelete?(decoder) } }

    func profile() -> EmbeddedProfile { embedded }

    func nextFrame() throws(CodecError) -> Duration? {
        let decoder = try opened()
        guard webp.pointee.AnimDecoderHasMoreFrames?(decoder) == 1 else { return nil }
        try input.checkCancelled()
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
        count = FrameCount(limits)
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
        var file = try InputPrefix(capacity: header.byteCount, limits)
        try file.readAll(from: input)
        file.cutAfterLastFrame(header.byteCount)
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
    /// Makes a file that ends early end behind its last complete chunk: the library refuses cut ones.
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
        let riffSize = end - 8
        for digit in 0..<4 { set(4 + digit, to: UInt8(truncatingIfNeeded: riffSize >> (8 * digit))) }
    }
}

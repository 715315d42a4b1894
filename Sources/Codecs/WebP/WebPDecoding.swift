internal import SpyglassCWebP
internal import SpyglassFiles
internal import SpyglassPixels

/// Decodes a WebP by rows through libwebp (`WebPIUpdate`): in memory are its bytes, what the library needs, and some rows.
struct WebPDecoding: ~Copyable, RowDecoding {
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
            orientation: exif.flatMap { Exif.orientation(in: Exif.block(of: $0)) } ?? .up,
            hasAlpha: header.hasAlpha,
            colorDescription: header.colorDescription)
        self.input = input
        self.limits = limits
        self.header = header
        self.exif = exif
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
        guard var output = WebPRows(byteCount: rowBytes * size.height),
            let decoder = webp.pointee.INewRGB(
                layout == .rgba ? CInt(SG_WEBP_RGBA) : CInt(SG_WEBP_RGB),
                output.base.assumingMemoryBound(to: UInt8.self), output.byteCount, CInt(rowBytes))
        else { throw .outOfMemory(to: "decode") }
        defer { webp.pointee.IDelete(decoder) }
        var prefix = try InputPrefix(capacity: header.byteCount, limits)
        let stepBytes = header.byteCount / (output.byteCount / Self.maxStepRowBytes + 1)
        let step = min(max(stepBytes, Self.stepBytes.lowerBound), Self.stepBytes.upperBound)
        var rows = 0
        var status = CInt(SG_WEBP_SUSPENDED)
        while rows < area.endY, status == SG_WEBP_SUSPENDED, try prefix.grow(by: step, from: input) {
            status = webp.pointee.IUpdate(decoder, prefix.bytes, prefix.count)
            var lastRow: CInt = 0
            guard webp.pointee.IDecGetRGB(decoder, &lastRow, nil, nil, nil) != nil else { continue }
            let end = min(Int(lastRow), area.endY)
            for row in min(max(area.y, rows), end)..<end {
                take(
                    UnsafeRawBufferPointer(output[row * rowBytes..<(row + 1) * rowBytes]).bindMemory(to: UInt8.self)
                        .span)
            }
            rows = max(end, rows)
            output.recycle(
                readTo: rows * rowBytes, writtenTo: Int(lastRow) * rowBytes, margin: Self.marginRows * rowBytes)
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
    /// Rows below the last one that are left alone: the library hands out blocks of 16 when they are written.
    private static let marginRows = 32
}

/// The output of the library, which reuses the memory of rows that were read for those that come.
///
/// A fresh page costs as much as decoding it.
private struct WebPRows: ~Copyable {
    private var memory: ReservedMemory
    private var takenBytes = 0
    private var givenBytes = 0

    /// Moved at a time, so that no piece is put together from two.
    private static let pieceBytes = 64 << 10

    init?(byteCount: Int) {
        guard let memory = ReservedMemory(byteCount: byteCount) else { return nil }
        self.memory = memory
    }

    var base: UnsafeMutableRawPointer { memory.base }
    var byteCount: Int { memory.byteCount }
    subscript(range: Range<Int>) -> UnsafeMutableRawBufferPointer { memory[range] }

    /// Moves the memory before `readTo` to where nothing is written yet; where that is not possible, frees it.
    mutating func recycle(readTo: Int, writtenTo: Int, margin: Int) {
        givenBytes = max(givenBytes, (writtenTo + margin + Self.pieceBytes - 1) / Self.pieceBytes * Self.pieceBytes)
        while takenBytes + Self.pieceBytes <= readTo {
            let next = takenBytes + Self.pieceBytes
            if givenBytes + Self.pieceBytes <= byteCount,
                sg_webp_move_pages(base + takenBytes, Self.pieceBytes, base + givenBytes)
            {
                givenBytes += Self.pieceBytes
            } else {
                memory.discard(before: next)
            }
            takenBytes = next
        }
    }
}

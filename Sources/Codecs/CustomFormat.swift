public import SpyglassPixels

/// Decodes a format that Spyglass does not know.
///
///     configuration.decoder.formats = [PPM()]
///
/// Runs in this process, even if workers decode the other formats: treat its input as hostile.
public protocol ImageFormatDecoding: Sendable {
    /// The format's name, in messages: `PPM`.
    var name: String { get }

    /// Whether a file has this format, by its first bytes: 1,024, or all of a shorter file.
    ///
    /// It is asked before the formats that Spyglass knows.
    func recognizes(_ head: Span<UInt8>) -> Bool

    /// Decodes a whole file, upright, in sRGB; the caller crops and resamples the result. Blocks, on a decoding thread.
    ///
    /// Check the stated size with `limits.size(width:height:)` before allocating memory for it.
    ///
    /// - Throws: `CodecError`, of kind `corrupt` for a file that breaks its format's rules.
    func decode(_ bytes: [UInt8], _ limits: ImageLimits) throws(CodecError) -> PixelBuffer
}

extension ImageLimits {
    /// Returns a size that a file states, if it is one and within the limits; numbers below 0 count as none.
    ///
    /// - Throws: `CodecError` of kind `limit`, or `corrupt` for a side of 0.
    public func size(width: Int, height: Int) throws(CodecError) -> PixelSize {
        try size(UInt32(clamping: width), UInt32(clamping: height))
    }
}

extension ImageDecoder {
    func custom(_ input: ByteReader) -> (any ImageFormatDecoding)? {
        let head = input.head
        for format in formats where format.recognizes(head.span) { return format }
        return nil
    }
}

/// The pixels of a custom format, as if they came from a file by rows.
struct CustomDecoding: ~Copyable, RowDecoding {
    let info: ImageInfo
    let input: ByteReader
    let limits: ImageLimits
    private let pixels: PixelBuffer

    init(_ format: any ImageFormatDecoding, _ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        var file = try InputPrefix(limits)
        try file.readAll(from: input)
        let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
        let pixels = try format.decode(bytes, limits)
        _ = try limits.size(width: pixels.size.width, height: pixels.size.height)
        info = ImageInfo(
            format: .custom, storedSize: pixels.size, hasAlpha: !pixels.isOpaque, colorDescription: format.name)
        (self.input, self.limits, self.pixels) = (input, limits, pixels)
    }

    var colors: ImageColors { .rgb }
    func start() throws(CodecError) -> RowLayout { .rgba }

    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        for y in area.y..<area.endY { pixels.withRow(y, take) }
        return RowsRead()
    }
}

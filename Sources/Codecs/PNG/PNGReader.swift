internal import SpyglassCPNG
internal import SpyglassPixels

/// Reads rows through libpng (`png_read_row`), expanded to eight or 16 bits a channel; not thread-safe.
struct PNGReader: ~Copyable, MetadataReader {
    private let handle: OpaquePointer
    /// The library pulls bytes from it through a pointer.
    private let puller: Puller

    private final class Puller {
        let input: ByteReader
        let limits: ImageLimits
        var isInHeader = true
        var error: CodecError?

        init(_ input: ByteReader, _ limits: ImageLimits) { (self.input, self.limits) = (input, limits) }

        func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
            do throws(CodecError) {
                if isInHeader, input.bytesRead > limits.bodyBytes { throw limits.longHeader() }
                return try input.read(into: buffer)
            } catch { self.error = error }
            return -1
        }
    }

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        let puller = Puller(input, limits)
        var bounds = sg_png_limits(
            max_side: UInt32(clamping: limits.side), max_chunk_bytes: max(limits.pngChunkBytes, 0),
            max_warnings: limits.warnings)
        let read: sg_png_reader = { context, buffer, capacity in
            Unmanaged<Puller>.fromOpaque(context).takeUnretainedValue()
                .read(UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
        }
        guard let handle = sg_png_create(read, Unmanaged.passUnretained(puller).toOpaque(), &bounds) else {
            throw .outOfMemory(to: "decode")
        }
        (self.handle, self.puller) = (handle, puller)
    }

    deinit { sg_png_destroy(handle) }

    func readHeader() throws(CodecError) -> sg_png_header {
        var header = sg_png_header()
        guard sg_png_read_header(handle, &header) else {
            if sg_png_how_failed(handle) == SG_PNG_CUT { throw .corrupt(.png, "the file ends inside its header") }
            throw failure()
        }
        puller.isInHeader = false
        return header
    }

    func exifSegment() -> [UInt8]? {
        var count = 0
        return sg_png_exif(handle, &count).map { Array(UnsafeBufferPointer(start: $0, count: count)) }
    }

    func profile() -> EmbeddedProfile {
        var count = 0
        guard let bytes = sg_png_profile(handle, &count) else {
            let reason = String(libraryMessage: sg_png_profile_warning(handle))
            return reason.isEmpty ? .none : .unusable(reason)
        }
        if count > EmbeddedProfile.maxBytes { return .tooLarge }
        return .bytes(Array(UnsafeBufferPointer(start: bytes, count: count)))
    }

    func start(isDeep: Bool) throws(CodecError) -> RowLayout {
        var channels: CInt = 0
        guard sg_png_start(handle, isDeep, &channels) else { throw failure() }
        guard let layout = RowLayout(rawValue: Int(channels)) else { throw .unsupported(.png, "\(channels) channels") }
        return layout
    }

    /// Reads rows, `stride` bytes apart, from the row `first` of the buffer on; returns whether the library can continue.
    ///
    /// `done` of them are valid. Each of the seven passes of an interlaced image adds pixels to the rows in the buffer.
    func readRows(into buffer: inout [UInt8], at first: Int = 0, stride: Int, count: Int, done: inout UInt32) -> Bool {
        precondition(first >= 0 && (first + count) * stride <= buffer.count, "room for the rows")
        return buffer.withUnsafeMutableBufferPointer { rows in
            guard let start = rows.baseAddress else { return true }
            return sg_png_read_rows(handle, start + first * stride, stride, UInt32(clamping: count), &done)
        }
    }

    func failure() -> CodecError {
        if let error = puller.error { return error }
        if sg_png_how_failed(handle) == SG_PNG_LIMIT { return CodecError(.pngChunkBytes, message) }
        // libpng reports a bad header without the reason, which is in the warning before it.
        let detail = firstWarning.map { " (\($0))" } ?? ""
        return .corrupt(.png, message + detail)
    }

    /// Whether the last step failed to read bytes: not a fault of the image.
    var isUnread: Bool { puller.error != nil }
    /// Whether the last step failed after the rows: no more bytes, or far too many.
    var failedBeyondRows: Bool {
        let failure = sg_png_how_failed(handle)
        return failure == SG_PNG_CUT || failure == SG_PNG_TAIL
    }
    var message: String { String(libraryMessage: sg_png_message(handle)) }
    var warningCount: Int { sg_png_warning_count(handle) }
    var firstWarning: String? { warningCount > 0 ? String(libraryMessage: sg_png_first_warning(handle)) : nil }
}

/// The header chunks of a PNG (PNG specification, section 11).
enum PNGHeader {
    static let paletteBit: CInt = 1
    static let colorBit: CInt = 2
    static let alphaBit: CInt = 4

    /// Returns the size; `nil` if it is missing or impossible, which the library reports.
    static func size(_ head: [UInt8]) throws(CodecError) -> PixelSize? {
        var chunks = PNGChunks(BinaryReader(head))
        guard head.starts(with: PNGChunks.signature), let header = chunks.next() else { return nil }
        switch header.name {
        case "IHDR": break
        case "CgBI": throw .unsupported(.png, "the CgBI variant of iOS programs")
        default: throw .corrupt(.png, "its first chunk is not IHDR")
        }
        guard let width = try? header.content?.integer(4, at: 0), let height = try? header.content?.integer(4, at: 4)
        else { return nil }
        return max(width, height) <= maxSide ? PixelSize(checking: width, height) : nil
    }

    /// PNG's integers have 31 bits.
    private static let maxSide = 0x7FFF_FFFF

    static func describe(_ header: sg_png_header) -> String {
        let type = header.color_type
        let space = if type & paletteBit != 0 { "palette" } else { type & colorBit != 0 ? "RGB" : "grey" }
        let alpha = type & alphaBit != 0 ? " and alpha" : ""
        return "\(space)\(alpha), \(header.bit_depth) bit\(header.bit_depth == 1 ? "" : "s")"
    }

    /// The curve of a gAMA chunk, if it differs noticeably from sRGB.
    static func transfer(gamma: Double) -> TransferCurve {
        guard gamma > 0 else { return .sRGB }
        let exponent = 1 / gamma
        // A corrupt chunk: no display is outside this range.
        guard (0.1...10).contains(exponent) else { return .sRGB }
        return abs(gamma * displayExponent - 1) > significance ? .gamma(exponent) : .sRGB
    }

    /// The gamma near sRGB's; writers that mean sRGB state 1/2.2.
    private static let displayExponent = 2.2
    /// `PNG_GAMMA_THRESHOLD`: libpng ignores smaller differences, too.
    private static let significance = 0.05
}

/// The chunks of a PNG (PNG specification, section 5.3), in its untrusted first bytes.
struct PNGChunks: Sequence, IteratorProtocol {
    private var reader: BinaryReader

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    init(_ head: BinaryReader) {
        reader = head
        try? reader.skip(CheckedSize(Self.signature.count))
    }

    /// Returns the next chunk; its content is `nil` if it is not whole, which ends them.
    mutating func next() -> (name: FourCC, content: BinaryReader?)? {
        guard let count = try? reader.size(4), let name = try? reader.name() else { return nil }
        let content = try? reader.part(count)
        if content == nil || (try? reader.skip(4)) == nil { reader = BinaryReader([]) }
        return (name, content)
    }
}

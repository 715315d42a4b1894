internal import SpyglassCJXL
internal import SpyglassFiles
internal import SpyglassPixels

/// libjxl, opened at run time.
///
/// `@unchecked Sendable`: the function table is only written before `sg_jxl_open` returns.
struct JXLLibrary: @unchecked Sendable {
    let functions: UnsafePointer<sg_jxl>

    static let system = Self.open("libjxl.so.0.11").flatMapError { _ in Self.open("libjxl.so.0.7") }

    static func open(_ name: String) -> Result<JXLLibrary, CodecError> {
        guard let functions = sg_jxl_open(name) else {
            return .failure(WorkerLibrary.missing("libjxl0.7", for: "JPEG XL needs"))
        }
        return .success(JXLLibrary(functions: functions))
    }

    /// Its version (`JxlDecoderVersion`), as 0.7.0.
    var version: String {
        let version = Int(functions.pointee.Version())
        return "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
    }
}

/// Reads the header and the frames of a JPEG XL file through libjxl, on this thread; not thread-safe.
///
/// The file's bytes are in memory up to where the library has asked for them. Frames are as stored, not turned, of 8 or 16
/// bits a channel, with straight alpha.
final class JXLReader {
    private let jxl: UnsafePointer<sg_jxl>
    private let decoder: OpaquePointer
    private let input: ByteReader
    private let events: CInt
    private let isWhole: Bool
    private var file: InputPrefix

    /// Stops at `events`; reads the file as the library asks for it, or whole.
    init(_ input: ByteReader, _ limits: ImageLimits, _ events: Int, isWhole: Bool = false) throws(CodecError) {
        jxl = try JXLLibrary.system.get().functions
        // The spare byte shows that nothing was added.
        file = try InputPrefix(capacity: input.byteCount() + 1, limits)
        if isWhole { try file.readAll(from: input) }
        guard let decoder = jxl.pointee.Create(nil) else { throw .outOfMemory(to: "decode") }
        (self.decoder, self.input, self.events, self.isWhole) = (decoder, input, CInt(events), isWhole)
        start()
    }

    private func start() {
        _ = jxl.pointee.SubscribeEvents(decoder, events)
        _ = jxl.pointee.SetKeepOrientation(decoder, 1)
        _ = jxl.pointee.SetUnpremultiplyAlpha(decoder, 1)
        _ = jxl.pointee.SetInput(decoder, file.bytes, file.count)
    }

    deinit { jxl.pointee.Destroy(decoder) }

    /// Goes on to the next event; `SG_JXL_NEED_MORE_INPUT` where the file ends early.
    func next() throws(CodecError) -> Int {
        while true {
            try input.checkCancelled()
            let status = Int(jxl.pointee.ProcessInput(decoder))
            if status == SG_JXL_ERROR { throw .corrupt(.jxl, "damaged image data") }
            guard status == SG_JXL_NEED_MORE_INPUT, !isWhole, try grow() else { return status }
        }
    }

    private func grow() throws(CodecError) -> Bool {
        let taken = file.count - jxl.pointee.ReleaseInput(decoder)
        let isGrown = try file.grow(by: Self.stepBytes, from: input)
        return jxl.pointee.SetInput(decoder, file.bytes + taken, file.count - taken) == SG_JXL_SUCCESS && isGrown
    }

    private static let stepBytes = 16 << 10

    // MARK: Header

    var info: sg_jxl_info? {
        var info = sg_jxl_info()
        return jxl.pointee.GetBasicInfo(decoder, &info) == SG_JXL_SUCCESS ? info : nil
    }

    /// Returns the `JxlExtraChannelType`.
    func kind(ofChannel index: Int) -> CInt? {
        var channel = sg_jxl_channel()
        return jxl.pointee.GetExtraChannelInfo(decoder, index, &channel) == SG_JXL_SUCCESS ? channel.type : nil
    }

    /// Returns the colours, if they are PQ or HLG or, unless `isHDR`, others around D65 that have numbers.
    func codePoints(isHDR: Bool) -> CodePoints? {
        var color = sg_jxl_color()
        // Grey has no primaries.
        let isGray = info?.color_channels == 1
        guard sg_jxl_colors(jxl, decoder, &color),
            [16, 18].contains(color.transfer_function) || !isHDR && (isGray || color.white_point == 1)
        else { return nil }
        return CodePoints(
            primaries: isGray ? 1 : color.primaries == 11 ? 12 : Int(color.primaries),
            curve: Int(color.transfer_function), isGray: isGray)
    }

    func profile() -> EmbeddedProfile {
        // The library's profiles of PQ and HLG have curves of their own.
        if let points = codePoints(isHDR: true) { return points.profile }
        var count = 0
        guard sg_jxl_profile(jxl, decoder, nil, &count), count > 0 else { return .none }
        guard count <= EmbeddedProfile.maxBytes else { return .tooLarge }
        var bytes = [UInt8](repeating: 0, count: count)
        return sg_jxl_profile(jxl, decoder, &bytes, &count) ? .bytes(bytes) : .none
    }

    /// Whether the first frame is coded as a whole (modular) rather than in blocks of a DCT (ISO 18181-1, section F.2).
    ///
    /// Returns `other` if that frame is not shown itself. Call it last, after the colours are known.
    func firstFrameIsModular(orElse other: Bool) throws(CodecError) -> Bool {
        let start = file.count - jxl.pointee.ReleaseInput(decoder)
        // The frame may start in a later box, after its number.
        let box = try input.boxes(in: start..<max(input.byteCount(), start)).first { $0.name == "jxlp" }
        let fields = try BinaryReader(input.bytes(1, at: box.map { $0.content.lowerBound + 4 } ?? start))
            .integer(1, at: 0)
        let (isDefault, type) = (fields & 1 == 1, fields >> 1 & 3)
        return [0, 3].contains(type) || isDefault ? fields & 9 == 8 : other
    }

    // MARK: Frames

    /// Decodes the next frame to `channels` samples a pixel of 8 or 16 bits; `nil` after the last one, or if nothing of it is there.
    ///
    /// A frame whose end is missing is coarse where its bytes are not there.
    func nextFrame(
        into pixels: borrowing ReservedMemory, channels: Int, isDeep: Bool = false
    ) throws(CodecError) -> (ticks: Int, isComplete: Bool)? {
        var frame = sg_jxl_frame()
        while true {
            switch try next() {
            case SG_JXL_FRAME: _ = jxl.pointee.GetFrameHeader(decoder, &frame)
            case SG_JXL_NEED_IMAGE_OUT_BUFFER:
                var format = sg_jxl_format(
                    channels: UInt32(channels), type: CInt(isDeep ? SG_JXL_UINT16 : SG_JXL_UINT8), endianness: 0,
                    align: 0)
                let status = jxl.pointee.SetImageOutBuffer(decoder, &format, pixels.base, pixels.byteCount)
                guard status == SG_JXL_SUCCESS else { throw .corrupt(.jxl, "a frame of another size than stated") }
            case SG_JXL_FULL_IMAGE: return (Int(frame.duration), true)
            case SG_JXL_NEED_MORE_INPUT:
                return jxl.pointee.FlushImage(decoder) == SG_JXL_SUCCESS ? (Int(frame.duration), false) : nil
            default: return nil
            }
        }
    }

    /// Goes back to the first frame.
    ///
    /// `JxlDecoderRewind` of 0.7 finds no frames after the last one.
    func restart() {
        jxl.pointee.Reset(decoder)
        start()
    }

    // MARK: Boxes

    /// Unpacks the content of a compressed box (`brob`); `nil` if it is damaged, or has `maxBytes` or more.
    static func unpacked(box content: [UInt8], _ maxBytes: Int) -> [UInt8]? {
        guard let jxl = try? JXLLibrary.system.get().functions, let decoder = jxl.pointee.Create(nil) else {
            return nil
        }
        defer { jxl.pointee.Destroy(decoder) }
        _ = jxl.pointee.SubscribeEvents(decoder, CInt(SG_JXL_BOX))
        _ = jxl.pointee.SetDecompressBoxes(decoder, 1)
        // A file of the boxes that come first, and this one.
        let size = [UInt8](content.count + 8, bytes: 4)
        let fileType = [0, 0, 0, 20] + Array("ftypjxl \0\0\0\0jxl ".utf8)
        let file = signature + fileType + size + Array("brob".utf8) + content
        let unpacked = file.withUnsafeBufferPointer { file in
            [UInt8](unsafeUninitializedCapacity: maxBytes) { output, count in
                guard let bytes = file.baseAddress, let start = output.baseAddress else { return }
                _ = jxl.pointee.SetInput(decoder, bytes, file.count)
                jxl.pointee.CloseInput(decoder)
                while jxl.pointee.ProcessInput(decoder) == SG_JXL_BOX {
                    _ = jxl.pointee.ReleaseBoxBuffer(decoder)
                    _ = jxl.pointee.SetBoxBuffer(decoder, start, maxBytes)
                }
                count = maxBytes - jxl.pointee.ReleaseBoxBuffer(decoder)
            }
        }
        return unpacked.count < maxBytes ? unpacked : nil
    }

    /// Starts a file with boxes (ISO 18181-2, section 9.1); without, the codestream starts with FF 0A.
    static let signature: [UInt8] = [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
}

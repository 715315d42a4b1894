internal import SpyglassCJXL
internal import SpyglassPixels

/// The header of a JPEG XL file, read by the library (ISO 18181-1, annexes A and D).
struct JXLHeader {
    let size: PixelSize
    let orientation: Orientation
    let hasAlpha: Bool
    let isGray: Bool
    let bits: Int
    let profile: EmbeddedProfile
    /// The colours to convert from more than 8 bits; `nil` for sRGB and for 8 bits.
    let deepColors: CodePoints?
    /// How often an animation is played, 0 for ever; `nil` for a still image.
    let loops: Int?
    /// How long a tick of an animation takes, in milliseconds.
    let tick: Double
    /// Bytes a pixel that the library takes, with its output, and the most that it may take.
    let pixelBytes: (usual: Int, most: Int)

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        let reader = try JXLReader(ByteReader(again: input), limits, SG_JXL_BASIC_INFO | SG_JXL_COLOR_ENCODING)
        guard try reader.next() == SG_JXL_BASIC_INFO, let info = reader.info else { throw Self.endsInHeader }
        size = try limits.size(info.width, info.height)
        let channels = (0..<min(Int(info.extra_channels), Self.maxChannels)).map { reader.kind(ofChannel: $0) }
        if channels.contains(CInt(SG_JXL_BLACK)) { throw .unsupported(.jxl, "CMYK") }
        if channels.contains(CInt(SG_JXL_SPOT_COLOR)) { throw .unsupported(.jxl, "spot colours") }
        orientation = Orientation(rawValue: Int(info.orientation)) ?? .up
        (hasAlpha, isGray, bits) = (info.alpha_bits > 0, info.color_channels == 1, Int(info.bits))
        loops = info.has_animation != 0 ? Int(info.loops) : nil
        tick = Double(info.ticks_denominator) / Double(max(info.ticks_numerator, 1)) * 1000
        guard try reader.next() == SG_JXL_COLOR_ENCODING else { throw Self.endsInHeader }
        profile = reader.profile()
        deepColors = bits > 8 ? reader.codePoints(isHDR: false).flatMap { $0.isSRGB ? nil : $0 } : nil
        let isLossless = info.uses_original_profile != 0
        let isModular = try reader.firstFrameIsModular(orElse: isLossless)
        // Measured with libjxl 0.7: images with channels besides colours, and those that are transformed as a whole, are in
        // memory several times, as floating-point numbers. Lossless ones do not tell whether they are.
        let all = 3 + channels.count
        let usual =
            switch (isModular, isLossless) {
            case (false, _): channels.isEmpty ? 9 : 9 + 9 * all
            case (true, false): 8 + 9 * all
            case (true, true): 12 + 2 * all
            }
        // Frames are blended with two canvases.
        let canvases = loops == nil ? 0 : 10 * all
        pixelBytes = (usual + canvases, max(usual, 8 + 9 * all) + canvases)
    }

    private static let endsInHeader = CodecError.corrupt(.jxl, "the file ends inside its header")
    /// Level 10 of the format allows no more (ISO 18181-1, annex M).
    private static let maxChannels = 256

    var colorDescription: String { "\(isGray ? "grey" : "RGB")\(hasAlpha ? " and alpha" : ""), \(bits) bits" }

    /// Reads the EXIF block of a container (ISO 18181-2, section 9), which may be compressed; `nil` without one.
    static func exif(in input: ByteReader) throws(CodecError) -> [UInt8]? {
        for box in try input.boxes(in: 0..<input.byteCount()) where box.content.count <= maxExifBytes {
            var content: [UInt8]?
            switch box.name {
            case "Exif": content = try input.bytes(box.content.count, at: box.content.lowerBound)
            case "brob":
                let bytes = try input.bytes(box.content.count, at: box.content.lowerBound)
                if bytes.starts(with: Array("Exif".utf8)) { content = JXLReader.unpacked(box: bytes, maxExifBytes) }
            default: break
            }
            guard let content else { continue }
            // The offset of the block comes first.
            var block = BinaryReader(content)
            try block.skip(block.size(4))
            return Array(block.bytes.dropFirst(block.offset))
        }
        return nil
    }

    private static let maxExifBytes = 1 << 20
}

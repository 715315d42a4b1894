internal import SpyglassCZlib
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
        (self.input, self.limits) = (input, limits)
    }

    var info: ImageInfo { header.info }
    var colors: ImageColors { header.colors }
    var transfer: TransferCurve { header.transfer }
    func profile() -> EmbeddedProfile { header.profile() }

    /// Data of up to eight bytes a pixel, twice while a chunk is copied.
    var workBytes: Int {
        canvas.workBytes + 17 * info.storedSize.pixelCount + header.workBytes(DecodeSpec(.original, isExact: false))
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
            let decoder = try PNGDecoding(input, limits, isFrame: true)
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

/// A frame control chunk (PNG specification, third edition, section 11.3.7.2).
struct APNGControl {
    let area: PixelArea
    let duration: Duration
    let disposal: FrameCanvas.Disposal
    /// Whether the frame is blended with the canvas, rather than replacing it.
    let isBlended: Bool

    /// Reads the fields after the sequence number; `nil` if one is wrong, or not inside the canvas.
    init?(_ fields: inout BinaryReader, in canvas: PixelSize) throws(CodecError) {
        let (width, height) = (try fields.integer(4), try fields.integer(4))
        let (x, y) = (try fields.integer(4), try fields.integer(4))
        let (delay, unit) = (try fields.integer(2), try fields.integer(2))
        let (disposal, blending) = (try fields.integer(1), try fields.integer(1))
        guard let size = PixelSize(checking: width, height), let disposal = FrameCanvas.Disposal(rawValue: disposal),
            blending <= 1
        else { return nil }
        area = PixelArea(x: x, y: y, size: size)
        guard area.endX <= canvas.width, area.endY <= canvas.height else { return nil }
        duration = FrameTime.shown(milliseconds: delay * 1000 / (unit == 0 ? 100 : unit))
        self.disposal = disposal
        isBlended = blending == 1
    }
}

/// Reads the chunks of an animated PNG in order, and returns each frame as a PNG of its own.
///
/// Sequence numbers and checksums are checked: at the first wrong one the animation ends.
struct APNGReader {
    private let window: ByteWindow
    /// The chunk whose header is read.
    private var next: (type: FourCC, count: Int)?
    private var sequence = 0
    private let header: [UInt8]
    /// PLTE and tRNS, which every frame needs.
    private var shared: [UInt8] = []
    private let canvas: PixelSize
    /// The number of frames as stated; 0 without a valid acTL chunk before the image data.
    private(set) var frames = 0
    /// `nil` for ever.
    private(set) var plays: Int?
    private var control: APNGControl?
    /// Whether frames differ from the still image.
    var isAnimated: Bool { frames > (control == nil ? 0 : 1) }
    private var isAtImage = true

    /// 256 colours of three bytes.
    private static let maxShared = 768

    /// Reads up to the image data; `nil` if that is damaged.
    init?(_ input: ByteReader, canvas: PixelSize) throws(CodecError) {
        window = ByteWindow(input)
        self.canvas = canvas
        guard let start = try window.bytes(33), start.starts(with: PNGChunks.signature) else { return nil }
        header = Array(start[16..<29])
        guard try advance() else { return nil }
        while let (type, count) = next, type != "IDAT" {
            switch type {
            case "acTL":
                guard var fields = try content(of: 8), frames == 0 else { return nil }
                frames = try fields.integer(4)
                let plays = try fields.integer(4)
                self.plays = plays == 0 ? nil : plays
            case "fcTL":
                guard control == nil, try readControl(), control?.area == PixelArea(of: canvas) else { return nil }
            case "PLTE" where count <= Self.maxShared, "tRNS" where count <= Self.maxShared:
                guard let content = try content(of: count) else { return nil }
                Self.append(type, content.bytes, to: &shared)
            default: guard try window.skip(count + 4) else { return nil }
            }
            guard try advance() else { return nil }
        }
    }

    /// The number of frames as stated; 1 for a still image.
    static func countFrames(_ input: ByteReader) throws(CodecError) -> Int {
        let head = input.head
        guard let canvas = try PNGHeader.size(head), let reader = try APNGReader(input, canvas: canvas) else {
            return 1
        }
        return reader.isAnimated ? reader.frames : 1
    }

    /// Reads up to the data of the next frame, its control and its data, as much as is there; `nil` after the last one.
    mutating func nextFrame() throws(CodecError) -> (control: APNGControl, png: [UInt8])? {
        while let (type, count) = next, type != "IEND" {
            let isImage = type == "IDAT" && isAtImage
            if isImage || type == "fdAT", let control {
                self.control = nil
                isAtImage = false
                return try data(of: type, control.area.size).map { (control, $0) }
            }
            if type == "fcTL" {
                isAtImage = false
                guard control == nil, try readControl() else { return nil }
            } else {
                guard try window.skip(count + 4) else { return nil }
            }
            guard try advance() else { return nil }
        }
        return nil
    }

    private mutating func advance() throws(CodecError) -> Bool {
        next = nil
        guard let bytes = try window.bytes(8), bytes[0] < 0x80 else { return false }
        var header = BinaryReader(bytes)
        let count = try header.integer(4)
        next = (try header.name(), count)
        return true
    }

    /// The content of the current chunk, which must have `count` bytes.
    private func content(of count: Int) throws(CodecError) -> BinaryReader? {
        guard let (type, stated) = next, stated == count, let bytes = try window.bytes(count + 4) else { return nil }
        let content = BinaryReader(bytes[..<count])
        return Self.checksum(type, content.bytes) == (try BinaryReader(bytes).integer(4, at: count)) ? content : nil
    }

    private mutating func readControl() throws(CodecError) -> Bool {
        guard var fields = try content(of: 26), try fields.integer(4) == sequence else { return false }
        sequence += 1
        control = try APNGControl(&fields, in: canvas)
        return control != nil
    }

    /// A PNG of the data of successive chunks; `nil` if one is damaged.
    private mutating func data(of type: FourCC, _ size: PixelSize) throws(CodecError) -> [UInt8]? {
        var png = PNGChunks.signature
        var fields = header
        fields.replaceSubrange(0..<8, with: [size.width, size.height].flatMap { [UInt8]($0, bytes: 4) })
        Self.append("IHDR", fields[...], to: &png)
        png += shared
        let most = Self.maxData(size, fields)
        while let (current, count) = next, current == type || current != "fcTL", current != "IEND" {
            guard current == type else {
                guard try window.skip(count + 4), try advance() else { break }
                continue
            }
            let prefix = type == "fdAT" ? 4 : 0
            guard count >= prefix, let number = try window.bytes(prefix) else { return nil }
            if prefix > 0 {
                guard try BinaryReader(number).integer(4, at: 0) == sequence else { return nil }
                sequence += 1
            }
            let start = png.count
            try window.append(min(count - prefix, most - min(png.count, most)), to: &png)
            let isWhole = png.count - start == count - prefix
            if isWhole, let stated = try window.bytes(4) {
                let sum = Self.checksum(type, number[...], png[start...])
                guard sum == (try BinaryReader(stated).integer(4, at: 0)) else { return nil }
            }
            let content = Array(png[start...])
            png.removeLast(content.count)
            // Empty chunks would take memory without end.
            if !content.isEmpty { Self.append("IDAT", content[...], to: &png) }
            guard isWhole, try advance() else {
                next = nil
                break
            }
        }
        Self.append("IEND", [], to: &png)
        return png
    }

    /// The maximum bytes of a frame's data: more than uncompressed pixels in small blocks take.
    static func maxData(_ size: PixelSize, _ fields: [UInt8]) -> Int {
        let channels = [1, 1, 3, 1, 2, 1, 4][Int(min(fields[9], 6))]
        return (size.width * channels * Int(fields[8]) / 8 + 8) * size.height * 17 / 16 + 64 << 10
    }

    private static func append(_ type: FourCC, _ content: ArraySlice<UInt8>, to png: inout [UInt8]) {
        png += [UInt8](content.count, bytes: 4) + [UInt8](Int(type.code), bytes: 4)
        png += content
        png += [UInt8](checksum(type, content), bytes: 4)
    }

    /// The checksum of a chunk (PNG specification, annex D) whose content is in parts.
    private static func checksum(_ type: FourCC, _ parts: ArraySlice<UInt8>...) -> Int {
        let name = [UInt8](Int(type.code), bytes: 4)
        var sum = crc32_z(0, name, name.count)
        // To zlib, no bytes mean a new sum.
        for part in parts where !part.isEmpty {
            sum = part.withUnsafeBufferPointer { crc32_z(sum, $0.baseAddress, $0.count) }
        }
        return Int(sum)
    }
}

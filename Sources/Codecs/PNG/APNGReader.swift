internal import SpyglassPixels

/// A frame control chunk (PNG specification, third edition, section 11.3.7.2).
struct APNGControl {
    let area: PixelArea
    let duration: Duration
    let disposal: FrameCanvas.Disposal
    /// Whether it is drawn over what is there, rather than in its place.
    let isBlended: Bool

    /// `bytes`: without the sequence number; `nil` if it is wrong, or not inside the canvas.
    init?(_ bytes: ArraySlice<UInt8>, in canvas: PixelSize) {
        let fields = Array(bytes)
        guard fields.count == 22,
            let size = PixelSize(checking: fields.bigEndian(0, 4), fields.bigEndian(4, 4)),
            let disposal = FrameCanvas.Disposal(rawValue: fields[20]), fields[21] <= 1
        else { return nil }
        area = PixelArea(x: fields.bigEndian(8, 4), y: fields.bigEndian(12, 4), size: size)
        guard area.endX <= canvas.width, area.endY <= canvas.height else { return nil }
        let (delay, unit) = (fields.bigEndian(16, 2), fields.bigEndian(18, 2))
        duration = FrameTime.shown(milliseconds: delay * 1000 / (unit == 0 ? 100 : unit))
        self.disposal = disposal
        isBlended = fields[21] == 1
    }
}

/// Reads the chunks of an animated PNG in order, and gives each frame as a PNG of its own.
///
/// Sequence numbers and checksums are checked: at the first wrong one the animation ends.
struct APNGReader {
    private let window: ByteWindow
    /// The chunk whose header is read.
    private var next: (type: UInt32, count: Int)?
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

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let fourTypes = (acTL: code("acTL"), fcTL: code("fcTL"), fdAT: code("fdAT"), idat: code("IDAT"))
    private static let end = code("IEND")
    private static let sharedTypes = [code("PLTE"), code("tRNS")]
    /// 256 colours of three bytes.
    private static let maxShared = 768

    private static func code(_ name: String) -> UInt32 { name.utf8.reduce(0) { $0 << 8 | UInt32($1) } }

    /// Reads up to the image data; `nil` if that is damaged.
    init?(_ input: ByteReader, canvas: PixelSize) throws(CodecError) {
        window = ByteWindow(input)
        self.canvas = canvas
        guard let start = try window.bytes(33), start.starts(with: Self.signature) else { return nil }
        header = Array(start[16..<29])
        guard try advance() else { return nil }
        while let (type, count) = next, type != Self.fourTypes.idat {
            switch type {
            case Self.fourTypes.acTL:
                guard let bytes = try content(of: 8), frames == 0 else { return nil }
                frames = bytes.bigEndian(0, 4)
                plays = bytes.bigEndian(4, 4) == 0 ? nil : bytes.bigEndian(4, 4)
            case Self.fourTypes.fcTL:
                guard control == nil, try readControl(), control?.area == PixelArea(of: canvas) else { return nil }
            case Self.sharedTypes[0] where count <= Self.maxShared, Self.sharedTypes[1] where count <= Self.maxShared:
                guard let bytes = try content(of: count) else { return nil }
                Self.append(type, bytes[...], to: &shared)
            default: guard try window.skip(count + 4) else { return nil }
            }
            guard try advance() else { return nil }
        }
    }

    /// The number of frames as stated; 1 for a still image.
    static func countFrames(_ input: ByteReader) throws(CodecError) -> Int {
        let head = input.head
        guard let canvas = try PNGHeader.size(head.span), let reader = try APNGReader(input, canvas: canvas) else {
            return 1
        }
        return reader.isAnimated ? reader.frames : 1
    }

    /// Reads up to the data of the next frame, its control and its data, as much as is there; `nil` after the last one.
    mutating func nextFrame() throws(CodecError) -> (control: APNGControl, png: [UInt8])? {
        while let (type, count) = next, type != Self.end {
            let isImage = type == Self.fourTypes.idat && isAtImage
            if isImage || type == Self.fourTypes.fdAT, let control {
                self.control = nil
                isAtImage = false
                return try data(of: type, control.area.size).map { (control, $0) }
            }
            if type == Self.fourTypes.fcTL {
                isAtImage = false
                guard control == nil, try readControl() else { return nil }
            } else {
                guard try window.skip(count + 4) else { return nil }
            }
            guard try advance() else { return nil }
        }
        return nil
    }

    // MARK: Chunks

    /// Reads the header of the next chunk.
    private mutating func advance() throws(CodecError) -> Bool {
        next = nil
        guard let bytes = try window.bytes(8), bytes[0] < 0x80 else { return false }
        next = (UInt32(truncatingIfNeeded: bytes.bigEndian(4, 4)), bytes.bigEndian(0, 4))
        return true
    }

    /// The content of the current chunk, which must have `count` bytes.
    private func content(of count: Int) throws(CodecError) -> [UInt8]? {
        guard let (type, stated) = next, stated == count, let bytes = try window.bytes(count + 4) else { return nil }
        let sum = CRC32.sum(type, bytes[..<count])
        return Int(sum) == bytes.bigEndian(count, 4) ? Array(bytes[..<count]) : nil
    }

    private mutating func readControl() throws(CodecError) -> Bool {
        guard let bytes = try content(of: 26), bytes.bigEndian(0, 4) == sequence else { return false }
        sequence += 1
        control = APNGControl(bytes[4...], in: canvas)
        return control != nil
    }

    /// A PNG of the data of successive chunks; `nil` if one is damaged.
    private mutating func data(of type: UInt32, _ size: PixelSize) throws(CodecError) -> [UInt8]? {
        var png = Self.signature
        var fields = header
        fields.replaceSubrange(0..<8, with: [size.width, size.height].flatMap { UInt32($0).bigEndianBytes })
        Self.append(Self.code("IHDR"), fields[...], to: &png)
        png += shared
        let most = Self.maxData(size, fields)
        while let (current, count) = next, current == type || current != Self.fourTypes.fcTL, current != Self.end {
            guard current == type else {
                guard try window.skip(count + 4), try advance() else { break }
                continue
            }
            let prefix = type == Self.fourTypes.fdAT ? 4 : 0
            guard count >= prefix, let number = try window.bytes(prefix) else { return nil }
            if prefix > 0 {
                guard number.bigEndian(0, 4) == sequence else { return nil }
                sequence += 1
            }
            let start = png.count
            try window.append(min(count - prefix, most - min(png.count, most)), to: &png)
            let isWhole = png.count - start == count - prefix
            if isWhole, let stated = try window.bytes(4) {
                var sum = CRC32(type)
                sum.add(number[...])
                sum.add(png[start...])
                guard Int(sum.value) == stated.bigEndian(0, 4) else { return nil }
            }
            let content = Array(png[start...])
            png.removeLast(content.count)
            // Empty chunks would take memory without end.
            if !content.isEmpty { Self.append(Self.fourTypes.idat, content[...], to: &png) }
            guard isWhole, try advance() else {
                next = nil
                break
            }
        }
        Self.append(Self.end, [], to: &png)
        return png
    }

    /// What a frame's data may take: more than uncompressed pixels in small blocks do.
    static func maxData(_ size: PixelSize, _ fields: [UInt8]) -> Int {
        let channels = [1, 1, 3, 1, 2, 1, 4][Int(min(fields[9], 6))]
        return (size.width * channels * Int(fields[8]) / 8 + 8) * size.height * 17 / 16 + 64 << 10
    }

    private static func append(_ type: UInt32, _ content: ArraySlice<UInt8>, to png: inout [UInt8]) {
        png += UInt32(content.count).bigEndianBytes + type.bigEndianBytes
        png += content
        png += CRC32.sum(type, content).bigEndianBytes
    }
}

/// The checksum of chunks (PNG specification, annex D).
struct CRC32 {
    private var register = UInt32.max

    init(_ type: UInt32) { add(type.bigEndianBytes[...]) }

    var value: UInt32 { ~register }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        var register = register
        let table = Self.table
        for byte in bytes { register = table[Int((register ^ UInt32(byte)) & 255)] ^ register >> 8 }
        self.register = register
    }

    static func sum(_ type: UInt32, _ content: ArraySlice<UInt8>) -> UInt32 {
        var sum = CRC32(type)
        sum.add(content)
        return sum.value
    }

    private static let table = (0..<256).map { (index: UInt32) in
        (0..<8).reduce(index) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
}

extension UInt32 {
    fileprivate var bigEndianBytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }
}

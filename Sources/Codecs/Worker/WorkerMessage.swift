internal import SpyglassPixels

/// A message that breaks the protocol.
struct MalformedMessage: Error {}

/// Writes the fields of a message: eight bytes a number, the lowest first.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []
    static let maxText = 400

    init(_ kind: UInt8) { bytes = [kind] }

    mutating func add(_ value: UInt8) { bytes.append(value) }
    mutating func add(_ value: Bool) { bytes.append(value ? 1 : 0) }
    mutating func add(_ value: Double) { add(Int(truncatingIfNeeded: value.bitPattern)) }

    mutating func add(_ value: Int) {
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    mutating func add(_ text: String?) {
        guard let text else { return add(-1) }
        let utf8 = Array(text.utf8.prefix(Self.maxText))
        add(utf8.count)
        bytes += utf8
    }

    mutating func add(_ size: PixelSize) {
        add(size.width)
        add(size.height)
    }
}

/// Reads the fields of an untrusted message, each within its bounds.
struct MessageReader {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func byte(below end: UInt8) throws(MalformedMessage) -> UInt8 {
        guard at < bytes.count, bytes[at] < end else { throw MalformedMessage() }
        at += 1
        return bytes[at - 1]
    }

    mutating func flag() throws(MalformedMessage) -> Bool { try byte(below: 2) == 1 }

    private mutating func bits() throws(MalformedMessage) -> UInt64 {
        guard bytes.count - at >= 8 else { throw MalformedMessage() }
        at += 8
        return bytes[at - 8..<at].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func int(in range: ClosedRange<Int> = 0...Int.max) throws(MalformedMessage) -> Int {
        let value = Int(truncatingIfNeeded: try bits())
        guard range.contains(value) else { throw MalformedMessage() }
        return value
    }

    mutating func double() throws(MalformedMessage) -> Double { Double(bitPattern: try bits()) }

    /// Printable ASCII, whatever was sent.
    mutating func text() throws(MalformedMessage) -> String? {
        let count = try int(in: -1...MessageWriter.maxText)
        guard count >= 0 else { return nil }
        guard bytes.count - at >= count else { throw MalformedMessage() }
        at += count
        return String(printable: String(decoding: bytes[at - count..<at], as: UTF8.self).unicodeScalars)
    }

    mutating func size() throws(MalformedMessage) -> PixelSize {
        let (width, height) = (try int(in: 1...Self.maxSide), try int(in: 1...Self.maxSide))
        return PixelSize(width: width, height: height)
    }

    private static let maxSide = 1 << 31 - 1

    func finish() throws(MalformedMessage) { guard at == bytes.count else { throw MalformedMessage() } }
}

// MARK: Requests

/// What a worker is asked; its input is a descriptor that comes with the message.
enum WorkerRequest {
    case decode(DecodeRequest)
    /// Opens the frames of an animation, under a number.
    case open(Int, DecodeRequest)
    case next(Int)
    case skip(Int)
    case restart(Int)
    /// Has no reply.
    case close(Int)

    var hasFile: Bool {
        switch self {
        case .decode, .open: true
        default: false
        }
    }

    /// Sizes of one request.
    static let maxTargets = 512

    var bytes: [UInt8] {
        let (kind, number, request): (UInt8, Int?, DecodeRequest?) =
            switch self {
            case .decode(let request): (0, nil, request)
            case .open(let number, let request): (1, number, request)
            case .next(let number): (2, number, nil)
            case .skip(let number): (3, number, nil)
            case .restart(let number): (4, number, nil)
            case .close(let number): (5, number, nil)
            }
        var writer = MessageWriter(kind)
        if let number { writer.add(number) }
        request?.write(to: &writer)
        return writer.bytes
    }

    init(_ bytes: [UInt8]) throws(MalformedMessage) {
        var reader = MessageReader(bytes)
        switch try reader.byte(below: 6) {
        case 0: self = .decode(try DecodeRequest(&reader))
        case 1:
            let number = try reader.int()
            let request = try DecodeRequest(&reader)
            guard request.sizes.count == 1 else { throw MalformedMessage() }
            self = .open(number, request)
        case 2: self = .next(try reader.int())
        case 3: self = .skip(try reader.int())
        case 4: self = .restart(try reader.int())
        default: self = .close(try reader.int())
        }
        try reader.finish()
    }
}

struct DecodeRequest {
    var limits = ImageLimits()
    var windowBytes = 1
    var spec: DecodeSpec
    /// The upright sizes that the targets of `spec` have for this image.
    var sizes: [PixelSize] = []

    private static var limits: [WritableKeyPath<ImageLimits, Int>] {
        [
            \.pixels, \.side, \.coefficientBytes, \.scans, \.frames, \.framePixels, \.warnings, \.pngChunkBytes,
            \.bodyBytes, \.workBytes,
        ]
    }

    func write(to writer: inout MessageWriter) {
        for limit in Self.limits { writer.add(max(limits[keyPath: limit], 0)) }
        writer.add(min(windowBytes, Self.maxWindow))
        writer.add(spec.filter == .lanczos)
        writer.add(spec.isExact)
        writer.add(spec.readsMetadata)
        for edge in [spec.region.x, spec.region.y, spec.region.width, spec.region.height] { writer.add(edge) }
        writer.add(sizes.count)
        for size in sizes { writer.add(size) }
    }

    init(_ limits: ImageLimits, windowBytes: Int, _ spec: DecodeSpec) {
        (self.limits, self.windowBytes, self.spec) = (limits, windowBytes, spec)
    }

    init(_ reader: inout MessageReader) throws(MalformedMessage) {
        for limit in Self.limits { limits[keyPath: limit] = try reader.int() }
        windowBytes = try reader.int(in: 1...Self.maxWindow)
        let (filter, isExact, readsMetadata) = (try reader.flag(), try reader.flag(), try reader.flag())
        let (x, y) = (try reader.double(), try reader.double())
        let region = ImageRegion(x: x, y: y, width: try reader.double(), height: try reader.double())
        let count = try reader.int(in: 0...WorkerRequest.maxTargets)
        for _ in 0..<count { sizes.append(try reader.size()) }
        let targets = sizes.map { TargetSize(box: $0, fit: .fill, allowsUpscaling: true) }
        spec = DecodeSpec(targets, filter ? .lanczos : .area, isExact: isExact, readsMetadata: readsMetadata)
        spec.region = region
    }

    private static let maxWindow = 16 << 20
}

// MARK: Replies

/// What a worker answers; pixels and EXIF are in the shared memory, one after another.
enum WorkerReply {
    /// Sent once, when it is locked: what took hold.
    case ready(String)
    case failure(CodecError)
    case decoded(DecodedReply)
    /// Not an animation.
    case still
    /// How often an animation is played, -1 for ever, and the duration of a frame in nanoseconds, -1 after the last.
    case frame(plays: Int, duration: Int)

    /// A day.
    private static let maxDuration = 86_400_000_000_000

    private static let kinds: [CodecError.Kind] = [
        .empty, .notAnImage, .unsupported, .corrupt, .limit, .unreadable, .outOfMemory, .cancelled, .library,
    ]

    var bytes: [UInt8] {
        switch self {
        case .ready(let report):
            var writer = MessageWriter(0)
            writer.add(report)
            return writer.bytes
        case .failure(let error):
            var writer = MessageWriter(1)
            writer.add(UInt8(Self.kinds.firstIndex(of: error.kind) ?? 0))
            writer.add(error.description)
            writer.add(error.unsupportedFormat)
            Self.write(error.exceeded, to: &writer)
            return writer.bytes
        case .decoded(let reply):
            var writer = MessageWriter(2)
            reply.write(to: &writer)
            return writer.bytes
        case .still: return MessageWriter(3).bytes
        case .frame(let plays, let duration):
            var writer = MessageWriter(4)
            writer.add(plays)
            writer.add(duration)
            return writer.bytes
        }
    }

    init(_ bytes: [UInt8]) throws(MalformedMessage) {
        var reader = MessageReader(bytes)
        switch try reader.byte(below: 5) {
        case 0: self = .ready(try reader.text() ?? "")
        case 1:
            let kind = Self.kinds[Int(try reader.byte(below: UInt8(Self.kinds.count)))]
            guard let text = try reader.text() else { throw MalformedMessage() }
            let format = try reader.text()
            let exceeded = try Self.exceeded(&reader)
            self = .failure(CodecError(exceeded == nil ? kind : .limit, text, exceeded, unsupportedFormat: format))
        case 2: self = .decoded(try DecodedReply(&reader))
        case 3: self = .still
        default:
            let plays = try reader.int(in: -1...Int.max)
            self = .frame(plays: plays, duration: try reader.int(in: -1...Self.maxDuration))
        }
        try reader.finish()
    }

    /// The limits; the place is their number.
    private static let limits: [@Sendable (Int) -> ImageLimits.Exceeded] = [
        { .pixels(needing: $0) }, { .side(needing: $0) }, { .coefficientBytes(needing: $0) }, { .scans(needing: $0) },
        { .frames(needing: $0) }, { .framePixels(needing: $0) }, { .workMemory(needing: $0) },
        { _ in .pngChunkBytes }, { _ in .bodyBytes },
    ]

    private static func write(_ exceeded: ImageLimits.Exceeded?, to writer: inout MessageWriter) {
        let needed = exceeded?.needed ?? 0
        writer.add(exceeded.flatMap { limit in limits.firstIndex { $0(needed) == limit } } ?? -1)
        writer.add(needed)
    }

    private static func exceeded(_ reader: inout MessageReader) throws(MalformedMessage) -> ImageLimits.Exceeded? {
        let (number, needed) = (try reader.int(in: -1...limits.count - 1), try reader.int())
        return number < 0 ? nil : limits[number](needed)
    }
}

struct DecodedReply {
    var sizes: [PixelSize]
    var completeness: DecodedImage.Completeness
    var warnings: Int
    var firstWarning: String?
    var colorWarning: String?
    /// Bytes of EXIF after the pixels; -1 for none.
    var exifBytes: Int

    /// Of a JPEG's segment; what is larger is left out.
    static let maxExif = 64 << 10

    init(_ image: DecodedImage) {
        sizes = image.buffers.map(\.size)
        completeness = image.completeness
        warnings = image.warnings
        firstWarning = image.firstWarning
        colorWarning = image.colorWarning
        exifBytes = image.exif.map { $0.count <= Self.maxExif ? $0.count : -1 } ?? -1
    }

    func write(to writer: inout MessageWriter) {
        writer.add(sizes.count)
        for size in sizes { writer.add(size) }
        switch completeness {
        case .complete: writer.add(UInt8(0))
        case .truncated(let rows, let all):
            writer.add(UInt8(1))
            writer.add(rows)
            writer.add(all)
        case .degraded: writer.add(UInt8(2))
        }
        writer.add(warnings)
        writer.add(firstWarning)
        writer.add(colorWarning)
        writer.add(exifBytes)
    }

    init(_ reader: inout MessageReader) throws(MalformedMessage) {
        sizes = []
        for _ in 0..<(try reader.int(in: 0...WorkerRequest.maxTargets)) { sizes.append(try reader.size()) }
        switch try reader.byte(below: 3) {
        case 0: completeness = .complete
        case 1:
            let rows = try reader.int()
            completeness = .truncated(rows: rows, of: try reader.int(in: rows...Int.max))
        default: completeness = .degraded
        }
        warnings = try reader.int()
        firstWarning = try reader.text()
        colorWarning = try reader.text()
        exifBytes = try reader.int(in: -1...Self.maxExif)
    }
}

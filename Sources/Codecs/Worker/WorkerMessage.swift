internal import SpyglassPixels

protocol CodedMessage {
    static var empty: Self { get }
    mutating func code(_ coder: inout MessageCoder) throws(MalformedMessage)
}

extension CodedMessage {
    /// The message, after a byte that numbers it.
    func bytes(numbered number: UInt8) throws(MalformedMessage) -> [UInt8] {
        var (coder, copy) = (MessageCoder(number: number), self)
        try copy.code(&coder)
        return coder.bytes
    }

    init(numbered bytes: [UInt8]) throws(MalformedMessage) {
        self = .empty
        var coder = MessageCoder(reading: bytes)
        try code(&coder)
        try coder.finish()
    }
}

// MARK: Requests

/// A request to a worker; its image is a descriptor that comes with the message, or in the shared memory.
enum WorkerRequest: CodedMessage {
    /// Comes first: opens libraries, then locks the process.
    case start(WorkerLibraries)
    case inspect(InspectRequest)
    case decode(DecodeRequest)
    /// Grants what the worker has asked for (`WorkerReply.needs`).
    case proceed
    /// Refuses it; the request fails.
    case refuse
    /// Opens the frames of an animation, under a number.
    case open(Int, DecodeRequest)
    case next(Int)
    case skip(Int)
    case restart(Int)
    /// Has no reply.
    case close(Int)

    /// How many bytes of the shared memory are the image, 0 if it is a descriptor; `nil` for a request without an image.
    var inputBytes: Int? {
        switch self {
        case .decode(let request): request.inputBytes
        case .inspect, .open: 0
        default: nil
        }
    }

    private static let lastKind: UInt8 = 9

    static var empty: WorkerRequest { .proceed }

    mutating func code(_ coder: inout MessageCoder) throws(MalformedMessage) {
        var (kind, number, libraries) = (UInt8(0), 0, WorkerLibraries(.builtIn))
        var (inspection, request) = (InspectRequest(), DecodeRequest())
        switch self {
        case .start(let given): (kind, libraries) = (0, given)
        case .inspect(let given): (kind, inspection) = (1, given)
        case .decode(let given): (kind, request) = (2, given)
        case .proceed: kind = 3
        case .open(let given, let opened): (kind, number, request) = (4, given, opened)
        case .next(let given): (kind, number) = (5, given)
        case .skip(let given): (kind, number) = (6, given)
        case .restart(let given): (kind, number) = (7, given)
        case .close(let given): (kind, number) = (8, given)
        case .refuse: kind = 9
        }
        try coder.code(byte: &kind, upTo: Self.lastKind)
        if (4...8).contains(kind) { try coder.code(&number) }
        switch kind {
        case 0:
            try coder.code(&libraries.decoder)
            try coder.code(&libraries.encoder)
            self = .start(libraries)
        case 1:
            try inspection.code(&coder)
            self = .inspect(inspection)
        case 2:
            try request.code(&coder)
            self = .decode(request)
        case 3: self = .proceed
        case 4:
            try request.code(&coder)
            guard request.spec.plans.count == 1 else { throw MalformedMessage() }
            self = .open(number, request)
        case 5: self = .next(number)
        case 6: self = .skip(number)
        case 7: self = .restart(number)
        case 8: self = .close(number)
        default: self = .refuse
        }
    }
}

/// Asks for all that a header says.
struct InspectRequest {
    var format = ImageFormat.jpeg
    var limits = ImageLimits()
    /// The number of frames that are counted; 0 counts none.
    var maxFrames = 0
    var page = 0

    mutating func code(_ coder: inout MessageCoder) throws(MalformedMessage) {
        try coder.code(&format)
        try coder.code(&limits)
        try coder.code(&maxFrames)
        try coder.code(&page, in: 0...Int.max)
    }
}

/// Asks for the pixels of an image at several sizes, or for files made of them.
struct DecodeRequest {
    /// The format by the first bytes: a file may change before the worker reads it.
    var format = ImageFormat.jpeg
    var limits = ImageLimits()
    var options = ReadingOptions()
    /// Sent without its grant, and without what the worker knows itself.
    var spec = DecodeSpec([], .area, isExact: false, keeping: [])
    /// Whether files are made of the plans, rather than pixels.
    var makesFiles = false
    /// Whether the small image that a JPEG carries of itself is decoded instead.
    var isEmbeddedPreview = false
    /// How many bytes of the shared memory are the image; 0 if it is a descriptor.
    var inputBytes = 0

    /// As many fit into a message.
    static let maxPlans = 100
    private static let maxWindow = 16 << 20

    init() {}

    init(_ format: ImageFormat, _ decoder: ImageDecoder, _ spec: DecodeSpec) {
        (self.format, self.spec) = (format, spec)
        (limits, options) = (decoder.limits, decoder.options)
    }

    /// The library that encodes the files.
    var encoder: WorkerLibrary {
        spec.plans.lazy.compactMap { $0.encoding?.format.library }.first { $0 != .builtIn } ?? .builtIn
    }

    mutating func code(_ coder: inout MessageCoder) throws(MalformedMessage) {
        try coder.code(&format)
        try coder.code(&limits)
        try coder.code(&options.windowBytes, in: 1...Self.maxWindow)
        try coder.code(&options.page, in: 0...Int.max)
        try coder.code(&options.stretch)
        try coder.code(&spec.filter)
        try coder.code(&spec.isExact)
        var kept = spec.keeps.rawValue
        try coder.code(byte: &kept, upTo: 7)
        spec.keeps = KeptMetadata(rawValue: kept)
        try coder.code(&spec.region)
        try coder.code(&spec.plans, upTo: Self.maxPlans, of: FilePlan(.original, encoding: nil)) {
            (plan, coder) throws(MalformedMessage) in try plan.code(&coder)
        }
        try coder.code(&makesFiles)
        try coder.code(&isEmbeddedPreview)
        try coder.code(&spec.copiedBytes, in: 0...1 << 40)
        try coder.code(&inputBytes, in: 0...Int.max)
        try coder.code(&spec.hasCrashed)
    }
}

// MARK: Replies

/// A worker's reply; pixels, files and EXIF are in the shared memory, one after another.
enum WorkerReply: CodedMessage {
    /// Sent once the process is locked, with what took hold.
    case ready(String)
    case failure(CodecError)
    /// This file needs another library.
    case elsewhere(WorkerLibrary)
    /// Asks to hold `workBytes`, or for shared memory of `sharedBytes`, and waits for `proceed`.
    case needs(workBytes: Int, sharedBytes: Int)
    case inspected(Inspection)
    case decoded(DecodedReply)
    /// Not an animation, or no embedded preview that suits.
    case nothing
    case opened(OpenedReply)
    /// How often an animation is played, -1 for ever, and the duration of a frame in nanoseconds, -1 after the last.
    case frame(plays: Int, duration: Int)

    private static let lastKind: UInt8 = 8
    private static let maxDuration = 86_400_000_000_000

    static let empty = WorkerReply.nothing

    mutating func code(_ coder: inout MessageCoder) throws(MalformedMessage) {
        var (kind, text, error) = (UInt8(0), "", CodecError.cancelled)
        var (library, one, other) = (WorkerLibrary.builtIn, 0, 0)
        var (inspection, decoded, opened) = (Inspection(), DecodedReply(), OpenedReply())
        switch self {
        case .ready(let given): (kind, text) = (0, given)
        case .failure(let given): (kind, error) = (1, given)
        case .elsewhere(let given): (kind, library) = (2, given)
        case .needs(let workBytes, let sharedBytes): (kind, one, other) = (3, workBytes, sharedBytes)
        case .inspected(let given): (kind, inspection) = (4, given)
        case .decoded(let given): (kind, decoded) = (5, given)
        case .nothing: kind = 6
        case .opened(let given): (kind, opened) = (7, given)
        case .frame(let plays, let duration): (kind, one, other) = (8, plays, duration)
        }
        try coder.code(byte: &kind, upTo: Self.lastKind)
        switch kind {
        case 0:
            try coder.code(&text)
            self = .ready(text)
        case 1:
            try coder.code(&error)
            self = .failure(error)
        case 2:
            try coder.code(&library)
            self = .elsewhere(library)
        case 3:
            try coder.code(&one)
            try coder.code(&other)
            self = .needs(workBytes: one, sharedBytes: other)
        case 4:
            try inspection.code(&coder)
            self = .inspected(inspection)
        case 5:
            try decoded.code(&coder)
            self = .decoded(decoded)
        case 6: self = .nothing
        case 7:
            try opened.code(&coder)
            self = .opened(opened)
        default:
            try coder.code(&one, in: -1...Int.max)
            try coder.code(&other, in: -1...Self.maxDuration)
            self = .frame(plays: one, duration: other)
        }
    }
}

/// The header of a file, and the number of its frames.
struct Inspection {
    var metadata = ImageMetadata(info: .unknown)
    var frames = 1

    mutating func code(_ coder: inout MessageCoder) throws(MalformedMessage) {
        try coder.code(&metadata)
        try coder.code(&frames)
    }
}

/// An animation that a worker holds.
struct OpenedReply {
    var info = ImageInfo.unknown
    /// The upright size of its frames.
    var size = PixelSize(width: 1, height: 1)
    /// As in `WorkerReply.frame`.
    var plays = -1

    mutating func code(_ coder: inout MessageCoder) throws(MalformedMessage) {
        try coder.code(&info)
        try coder.code(&size)
        try coder.code(&plays, in: -1...Int.max)
    }
}

struct DecodedReply {
    /// Pixels, or one file, in the shared memory.
    struct Part {
        var size = PixelSize(width: 1, height: 1)
        /// -1 for a plan without an encoding.
        var byteCount = -1
    }

    var info = ImageInfo.unknown
    var parts: [Part] = []
    var completeness = DecodedImage.Completeness.complete
    var warnings = 0
    var firstWarning: String?
    var colorWarning: String?
    /// Bytes of EXIF after the parts; -1 for none.
    var exifBytes = -1

    init() {}

    /// Describes an image whose parts are its pixels, or files.
    init(_ image: DecodedImage, _ parts: [Part]) {
        info = image.info
        self.parts = parts
        completeness = image.completeness
        warnings = image.warnings
        firstWarning = image.firstWarning
        colorWarning = image.colorWarning
        exifBytes = image.exif.map { $0.count <= Exif.maxStored ? $0.count : -1 } ?? -1
    }

    private static let maxPart = 1 << 32

    mutating func code(_ coder: inout MessageCoder) throws(MalformedMessage) {
        try coder.code(&info)
        try coder.code(&parts, upTo: DecodeRequest.maxPlans, of: Part()) { (part, coder) throws(MalformedMessage) in
            try coder.code(&part.size)
            try coder.code(&part.byteCount, in: -1...Self.maxPart)
        }
        try coder.code(&completeness)
        try coder.code(&warnings)
        try coder.code(&firstWarning)
        try coder.code(&colorWarning)
        try coder.code(&exifBytes, in: -1...Exif.maxStored)
    }
}

extension ImageInfo {
    /// A header that is not known yet.
    static let unknown = ImageInfo(
        format: .jpeg, storedSize: PixelSize(width: 1, height: 1), colorDescription: "")
}

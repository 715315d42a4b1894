public import SpyglassCodecs
public import SpyglassFetching
public import SpyglassPixels
internal import SpyglassFiles
internal import SpyglassThreads

/// A requested image: a preview, or the final image, which comes last.
public struct ImageResponse: Sendable {
    /// Where a frame comes from, the nearest first.
    @nonexhaustive
    public enum Origin: Hashable, Sendable {
        /// The pipeline's memory.
        case memory
        /// A decoded thumbnail in the disk cache.
        case thumbnail
        /// Bytes that were decoded for this request; `nil` for files and bytes in memory.
        case decoded(FetchResponse.Origin?)
    }

    /// The upright pixels at the target size, the file's header, completeness and warnings.
    public let image: DecodedImage
    /// True for the last frame, false for previews.
    public let isFinal: Bool
    /// Whether the server has a newer image; `fresh` for files and bytes.
    public let freshness: FetchResponse.Freshness
    /// Where the frame comes from.
    public let origin: Origin
    /// Why the transfer ended early, if the image is only the part that arrived.
    public let transferError: FetchError?
    /// The result of a request that finds animations; `nil` if the bytes must be fetched.
    var animation: FoundAnimation?

    /// The pixels: sRGB, upright, at the target size.
    public var pixels: PixelBuffer { image.pixels }
    /// How much of the image is present; previews are `degraded`.
    public var completeness: DecodedImage.Completeness { image.completeness }

    init(
        _ image: DecodedImage, isFinal: Bool = true, freshness: FetchResponse.Freshness = .fresh, origin: Origin,
        transferError: FetchError? = nil
    ) {
        self.image = image
        self.isFinal = isFinal
        self.freshness = freshness
        self.origin = origin
        self.transferError = transferError
    }
}

/// Tells whether the bytes of a frame hold more frames.
enum FoundAnimation: Sendable {
    case still
    /// The bytes of several frames.
    case bytes([UInt8])
}

/// Why a request failed, in one line that names the source; not for bytes in memory, nor where it was cancelled.
@nonexhaustive
public enum ImageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The transfer failed, or the address is not allowed.
    case fetch(FetchError)
    /// The server answered with a status that carries no image.
    case status(Int, WebAddress)
    /// The bytes cannot be decoded, or the image not encoded.
    case decode(CodecError, ImageSource)
    /// A processor failed: its identifier, and its error.
    case processing(String, reason: String, ImageSource)
    /// The task or the request was cancelled.
    case cancelled

    /// One line for people, without control characters.
    public var description: String { line.onOneLine }

    private var line: String {
        switch self {
        case .fetch(let error): error.description
        case .status(let status, let address): "\(address) returned HTTP \(status)"
        case .decode(let error, let source): Self.line(error.description, source)
        case .processing(let identifier, let reason, let source): Self.line("\(identifier): \(reason)", source)
        case .cancelled: "cancelled"
        }
    }

    private static func line(_ reason: String, _ source: ImageSource) -> String {
        source.name.map { "\($0): \(reason)" } ?? reason
    }

    /// The error of a request as callers see it, which holds no work memory.
    init(_ error: any Error, of source: ImageSource) {
        switch error {
        case let error as ImageError: self = error
        case let error as FetchError: self = .fetch(error.withoutMemory)
        case let error as CodecError where error.kind != .cancelled: self = .decode(error, source)
        case is CodecError, is CancellationError: self = .cancelled
        default: self = .decode(CodecError(.library, WebAddress.redacting("\(error)")), source)
        }
    }
}

/// A stage of a request, for statistics and logs.
@nonexhaustive
public enum PipelineEvent: Sendable {
    /// The image was in memory.
    case memoryHit(ImageSource)
    /// The decoded image was on disk.
    case thumbnailHit(ImageSource, FetchResponse.Freshness)
    /// The request joined work in progress: the same decode, or the same transfer.
    case coalesced(ImageSource, Level)
    /// The bytes of the body received so far, and its length if the server stated one.
    ///
    /// Sent once per 64 KiB or hundredth of a known length, whichever is more.
    case received(ImageSource, Int, of: Int?)
    /// A decoding thread started on the image.
    case decoding(ImageSource)
    /// The image was decoded, in this time on a decoding thread.
    case decoded(ImageSource, Duration)
    /// A coarse frame was made while the transfer goes on.
    case previewed(ImageSource, ImageResponse)
    /// The request has its image: the last event of `ImageTask.events`, and in no other place.
    case finished(ImageSource, ImageResponse)
    /// The request failed.
    case failed(ImageSource, ImageError)
    /// The last caller cancelled.
    case cancelled(ImageSource)

    /// The work that two requests can share.
    public enum Level: Hashable, Sendable {
        /// One decode: the same source at the same size.
        case image
        /// One transfer: the same source at different sizes.
        case transfer
    }

    /// Receives a pipeline's events, on any thread; it must return quickly.
    public typealias Observer = @Sendable (PipelineEvent) -> Void
}

/// Counts the bytes of a body; thread-safe.
final class BodyMeter: Sendable {
    private struct State {
        var progress = ImageTask.Progress(received: 0)
        var reported = 0
    }

    private static let maxReports = 100
    private static let minStep = 64 << 10

    private let state = Mutex(State())

    /// `nil` if little has arrived since the last report.
    func progress(after event: FetchControl.BodyEvent) -> ImageTask.Progress? {
        state.withLock { state in
            switch event {
            case .started(_, let headers):
                state = State(progress: ImageTask.Progress(received: 0, total: headers.decodedLength))
            case .bytes(let bytes):
                state.progress.received += bytes.count
                let step = max((state.progress.total ?? 0) / Self.maxReports, Self.minStep)
                let isAll = state.progress.received == state.progress.total
                guard isAll || state.progress.received - state.reported >= step else { return nil }
                state.reported = state.progress.received
            }
            return state.progress
        }
    }
}

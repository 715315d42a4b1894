public import SpyglassCodecs
public import SpyglassFetching
public import SpyglassPixels
internal import SpyglassThreads

/// One frame of a requested image: a preview, or the final image, which comes last.
public struct ImageFrame: Sendable {
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

/// Why a request failed; a cancelled one throws `CancellationError` instead.
@nonexhaustive
public enum ImageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The transfer failed.
    case fetch(FetchError)
    /// The server answered with a status that carries no image.
    case status(Int, WebAddress)
    /// The bytes cannot be decoded.
    case decode(CodecError)

    /// One line for people; that of `decode` does not name the source.
    public var description: String {
        switch self {
        case .fetch(let error): error.description
        case .status(let status, let address): "\(address) returned HTTP \(status)"
        case .decode(let error): error.description
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
    /// More bytes of the body arrived, of so many if the server named a length.
    ///
    /// For requests that include previews and for parts of images: once per 64 KiB, and per hundredth of a known length.
    case received(ImageSource, Int, of: Int?)
    /// A decoding thread started on the image.
    case decoding(ImageSource)
    /// The image was decoded, in this time on a decoding thread.
    case decoded(ImageSource, Duration)
    /// A coarse frame was made while the transfer goes on.
    case previewed(ImageSource, ImageFrame)
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

/// Bytes of a body that have arrived, and its length if the server named one.
package struct BodyProgress: Hashable, Sendable {
    package var received: Int
    package var total: Int?

    package init(received: Int, total: Int? = nil) {
        self.received = received
        self.total = total
    }
}

/// Counts the bytes of a body; thread-safe.
final class BodyMeter: Sendable {
    private struct State {
        var progress = BodyProgress(received: 0)
        var reported = 0
    }

    private static let maxReports = 100
    private static let minStep = 64 << 10

    private let state = Mutex(State())

    /// `nil` if little has arrived since the last report.
    func progress(after event: FetchControl.BodyEvent) -> BodyProgress? {
        state.withLock { state in
            switch event {
            case .started(_, let headers):
                state = State(progress: BodyProgress(received: 0, total: headers.decodedLength))
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

public import SpyglassCodecs
public import SpyglassFetching
public import SpyglassPixels

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
    /// How long to show the frame; `nil` for a still image.
    public let duration: Duration?
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
        _ image: DecodedImage, isFinal: Bool = true, duration: Duration? = nil,
        freshness: FetchResponse.Freshness = .fresh, origin: Origin, transferError: FetchError? = nil
    ) {
        self.image = image
        self.isFinal = isFinal
        self.duration = duration
        self.freshness = freshness
        self.origin = origin
        self.transferError = transferError
    }
}

/// Tells whether the bytes of a frame hold more frames.
enum FoundAnimation: Sendable {
    /// A still image.
    case still
    /// The bytes of several frames.
    case bytes([UInt8])
}

/// Why a request failed; a cancelled one throws `CancellationError` instead.
@nonexhaustive
public enum ImageError: Error, Hashable, Sendable {
    /// The transfer failed.
    case fetch(FetchError)
    /// The server answered with a status that carries no image.
    case status(Int, WebAddress)
    /// The bytes cannot be decoded.
    case decode(CodecError)
}

extension ImageError: CustomStringConvertible {
    /// One line for people; that of `decode` does not name the source.
    public var description: String {
        switch self {
        case .fetch(let error): error.description
        case .status(let status, let address): "\(address) returned HTTP \(status)"
        case .decode(let error): error.description
        }
    }
}

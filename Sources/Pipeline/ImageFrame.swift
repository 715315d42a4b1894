public import SpyglassCodecs
public import SpyglassFetching

/// A picture as it was asked for, and what is to be known of it.
public struct ImageFrame: Sendable {
    /// Where a picture comes from, the nearest place first.
    public enum Origin: Hashable, Sendable {
        /// Memory, decoded.
        case memory
        /// The disk cache, decoded.
        case thumbnail
        /// Bytes that were decoded for this request.
        case decoded(FetchResponse.Origin?)
    }

    /// Pixels at the size that was asked for, upright; what the header says; how much of the picture was there; warnings.
    public let image: DecodedImage
    /// How the picture stands to what its server has now; `fresh` for files and bytes.
    public let freshness: FetchResponse.Freshness
    /// Where it comes from.
    public let origin: Origin
    /// Why the transfer broke off, when the picture is only the part that came.
    public let transferError: FetchError?

    /// A result.
    public init(
        image: DecodedImage, freshness: FetchResponse.Freshness = .fresh, origin: Origin,
        transferError: FetchError? = nil
    ) {
        self.image = image
        self.freshness = freshness
        self.origin = origin
        self.transferError = transferError
    }
}

/// Why there is no picture.
///
/// What was cancelled throws `CancellationError` instead. There may be more in a later version: keep a `default`.
public enum ImageError: Error, Hashable, Sendable {
    /// Its bytes could not be had.
    case fetch(FetchError)
    /// The server answered with a status that brings no picture.
    case status(Int, WebAddress)
    /// Its bytes are no picture that can be shown.
    case decode(CodecError)
}

extension ImageError: CustomStringConvertible {
    /// One line for people; that of `decode` does not name the source.
    public var description: String {
        switch self {
        case .fetch(let error): error.description
        case .status(let status, let address): "\(address) answered \(status)"
        case .decode(let error): error.description
        }
    }
}

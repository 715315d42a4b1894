public import SpyglassCodecs
public import SpyglassFetching

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
        case .status(let status, let address): "\(address) answered \(status)"
        case .decode(let error): error.description
        }
    }
}

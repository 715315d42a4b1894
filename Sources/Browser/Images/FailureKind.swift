internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPipeline

/// Why an image or a search failed.
enum FailureKind: Hashable, Sendable {
    case notFound
    case status(Int)
    case unreachable, timedOut, tooLarge
    /// A disallowed address: another scheme, a private network, too many redirects.
    case refused
    case notRecorded, notCached, unavailable, notAPicture, unsupported, damaged, outOfMemory, unknown
    /// An unsupported format, by its name.
    case format(String)

    /// Whether another try may succeed: limits and formats stay while the program runs.
    var canRetry: Bool {
        switch self {
        case .tooLarge, .unsupported, .format: false
        default: true
        }
    }
}

extension FailureKind {
    init(_ error: any Error) {
        switch error {
        // RFC 9110 sections 15.5.5 and 15.5.11.
        case ImageError.status(404, _), ImageError.status(410, _): self = .notFound
        case ImageError.status(let status, _): self = .status(status)
        case ImageError.fetch(let error): self.init(error.kind)
        case ImageError.decode(let error): self = error.unsupportedFormat.map { .format($0) } ?? Self(error.kind)
        default: self = .unknown
        }
    }

    init(_ kind: FetchError.Kind) {
        switch kind {
        case .unreachable: self = .unreachable
        case .timedOut: self = .timedOut
        case .tooLarge: self = .tooLarge
        case .disallowed: self = .refused
        case .notRecorded: self = .notRecorded
        case .notCached: self = .notCached
        case .unavailable: self = .unavailable
        }
    }

    private init(_ kind: CodecError.Kind) {
        switch kind {
        case .empty, .notAnImage: self = .notAPicture
        case .unsupported: self = .unsupported
        case .corrupt, .crashed: self = .damaged
        case .limit: self = .tooLarge
        case .unreadable: self = .unavailable
        case .outOfMemory: self = .outOfMemory
        case .cancelled, .library: self = .unknown
        }
    }
}

internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPipeline

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

internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPipeline

/// Says in the place of a picture why there is none.
enum PictureFailure {
    /// A few words: a thumbnail's place is some twenty columns wide.
    static func words(for error: any Error) -> String {
        switch error {
        case ImageError.status(let status, _): "\(status)"
        case ImageError.fetch(let error): words(for: error.kind)
        case ImageError.decode(let error): words(for: error.kind)
        default: "failed"
        }
    }

    private static func words(for kind: FetchError.Kind) -> String {
        switch kind {
        case .unreachable: "no network"
        case .timedOut: "timed out"
        case .tooLarge: "too large"
        case .refused: "refused"
        case .notRecorded: "not in archive"
        case .notCached: "not in cache"
        case .unavailable: "unavailable"
        }
    }

    private static func words(for kind: DecodeError.Kind) -> String {
        switch kind {
        case .empty: "empty"
        case .notAnImage: "not a picture"
        case .unsupported: "unknown format"
        case .corrupt: "damaged"
        case .limit: "too large"
        case .unreadable: "unreadable"
        case .outOfMemory: "out of memory"
        case .cancelled: "cancelled"
        }
    }
}

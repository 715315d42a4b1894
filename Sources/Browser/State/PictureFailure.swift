/// Why there is no picture where one was to be; the view says it in the user's language.
enum PictureFailure: Hashable, Sendable {
    /// The server has none at that address.
    case notFound
    /// The server answered with this status instead.
    case status(Int)
    case unreachable
    case timedOut
    case tooLarge
    /// The address is one that is not asked: another protocol, a private network.
    case refused
    case notRecorded
    case notCached
    case unavailable
    case notAPicture
    /// A format that is not decoded here.
    case unsupported
    case damaged
    case outOfMemory
    case unknown
}

/// Why no usable answer came.
///
/// Every message is one line: what failed, where, and what to do.
public struct FetchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, by who must act.
    public enum Kind: Hashable, Sendable {
        /// The network, the server or a name on the way: trying again later may help.
        case unreachable
        /// No progress for too long.
        case timedOut
        /// The answer broke a limit of the request.
        case tooLarge
        /// Something that is never done: another scheme, a step down from https, too many redirects.
        case refused
        /// The archive does not hold it.
        case notRecorded
        /// Something on this machine: a library or a folder is missing.
        case unavailable
    }

    /// What went wrong.
    public let kind: Kind
    /// One sentence, with the address and the remedy.
    public let description: String

    /// An error with its message.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

/// Why no usable answer came.
///
/// Every message is one line without a full stop: what failed, where, and why. What to do about it is for the program to
/// say, which knows what its settings are called; `kind` and `exceeded` tell it.
public struct FetchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, by who must act.
    ///
    /// There may be more in a later version: keep a `default`.
    public enum Kind: Hashable, Sendable {
        /// The network, the server or a name on the way: trying again later may help.
        case unreachable
        /// No progress for too long.
        case timedOut
        /// The answer broke a limit of the request.
        case tooLarge
        /// Something that is never done: another scheme, a step down from https, too many redirects.
        case disallowed
        /// The archive does not hold it.
        case notRecorded
        /// The disk cache does not hold it, and nothing else may be asked.
        case notCached
        /// Something on this machine: a library or a folder is missing.
        case unavailable
    }

    /// A limit that can be raised.
    ///
    /// There may be more in a later version: keep a `default`.
    public enum Limit: Hashable, Sendable {
        /// `FetchRequest.bodyLimit`.
        case body
        /// The redirects that a transport follows.
        case redirects
        /// How long a transfer may stand still.
        case stall
    }

    /// What went wrong.
    public let kind: Kind
    /// The limit that would have to be raised, if there is one.
    public let exceededLimit: Limit?
    /// One sentence, with the address; it names the limit, if there is one.
    public let description: String
    /// What had come of a successful answer when the transfer broke off; its body is not empty and not whole.
    public var partialResponse: FetchResponse?
    /// Whether a connection that stood broke off, by a reset or an early end: asking again at once may help.
    ///
    /// A name that is not found or a connection that is refused is no break.
    public var isConnectionLost = false

    /// An error with its message.
    public init(_ kind: Kind, _ description: String, exceededLimit: Limit? = nil) {
        self.kind = kind
        self.exceededLimit = exceededLimit
        self.description = description
    }
}

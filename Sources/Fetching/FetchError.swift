internal import SpyglassThreads

/// Why a fetch failed.
///
/// The description is one line without a full stop: what failed, where and why. `kind` and `exceededLimit` decide the remedy.
public struct FetchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, by who must act.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// The network, the server or a name; a later retry may help.
        case unreachable
        /// No progress within the timeout, or too slow a body.
        case timedOut
        /// The response exceeds a limit of the request.
        case tooLarge
        /// Never done: another scheme, a downgrade from https, too many redirects.
        case disallowed
        /// Missing in the archive.
        case notRecorded
        /// Missing in the disk cache, and no request is allowed.
        case notCached
        /// This machine: a missing library or folder.
        case unavailable
    }

    /// A limit that can be raised.
    @nonexhaustive
    public enum Limit: Hashable, Sendable {
        /// `FetchRequest.bodyLimit`.
        case body
        /// The maximum number of redirects.
        case redirects
        /// The time without progress.
        case stall
        /// The limit of `WorkMemory`.
        case workMemory
        /// The time of a body.
        case deadline
        /// The minimum rate of a body that is saved.
        case rate
    }

    /// The kind of failure.
    public let kind: Kind
    /// The limit to raise, if any.
    public let exceededLimit: Limit?
    /// One sentence with the address, and the limit if any.
    public let description: String
    /// The successful response as far as it arrived, with a non-empty, incomplete body.
    package var partialResponse: FetchResponse?
    /// Whether the archive that is being recorded cannot take the response.
    package var isRecordingFailure = false
    /// Whether an established connection was lost, so that a retry may help; not for unknown names and refused connections.
    var isConnectionLost = false
    /// The time of the incomplete body, without pauses, which its next try has less.
    var bodyTime = Duration.zero

    /// An error with its message.
    public init(_ kind: Kind, _ description: String, exceededLimit: Limit? = nil) {
        self.kind = kind
        self.exceededLimit = exceededLimit
        self.description = description
    }
}

extension FetchError {
    package static func bodyTooLarge(_ address: WebAddress, limit: Int) -> FetchError {
        FetchError(
            .tooLarge, "\(address.shown): the response exceeds the limit of \(limit) bytes", exceededLimit: .body)
    }

    init(_ refusal: WorkMemory.Refusal, _ address: WebAddress) {
        switch refusal {
        case .exceedsLimit(let needed, let limit):
            self.init(
                .tooLarge,
                "\(address.shown): the body needs \(needed) bytes of work memory, above the limit of \(limit) bytes",
                exceededLimit: .workMemory)
        case .unavailable(let needed):
            self.init(.unavailable, "\(address.shown): not enough memory for \(needed) bytes of its body")
        case .cancelled: self.init(.unavailable, "\(address.shown): cancelled")
        }
    }
}

/// Events of fetches, for statistics and diagnostics.
///
/// Transports call one observer from any thread; it must not block.
@nonexhaustive
public enum FetchEvent: Sendable {
    /// A request was sent; redirects and retries count again.
    case requestSent(WebAddress)
    /// A response arrived over the network, complete or partial, with this many bytes of body.
    case received(WebAddress, status: Int, bytes: Int)
    /// A fetch was cancelled after it had been sent.
    case cancelled(WebAddress)
    /// A failed fetch is retried after `delay`, of which the server requested a part, with `offset` bytes of its body already here.
    case retrying(WebAddress, attempt: Int, delay: Duration, requested: Duration?, offset: Int, reason: String)
    /// A host refused a request (429, 503) and gets no other for some time.
    case hostPaused(String, Duration)
    /// The disk cache served a response without the network.
    case cacheHit(WebAddress, FetchResponse.Freshness)
    /// The server confirmed a stored response (304).
    case revalidated(WebAddress)
    /// A response was stored in the disk cache.
    case stored(WebAddress, bytes: Int)

    /// Observes a transport.
    public typealias Observer = @Sendable (FetchEvent) -> Void
}

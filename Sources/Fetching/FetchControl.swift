internal import SpyglassThreads

/// What ties a fetch under way to whoever wants it: its priority, which may change, and the body as it arrives.
///
///     let control = FetchControl(priority: .prefetch)
///     let task = Task { try await transport.fetch(FetchRequest(address, control: control)) }
///     control.priority = .visible
///
/// Good for one fetch; thread-safe. Transports that wrap others pass it on with the request.
public final class FetchControl: Sendable, Hashable {
    /// A part of a body on its way, or word that it begins anew.
    public enum BodyPart: Sendable {
        /// The head of an answer that carries a body has come: bytes from the first on will follow.
        ///
        /// Not told of redirects, 204 and 304. It may come again, when an answer that broke off is asked for anew.
        case begins(status: Int, headers: HTTPHeaders)
        /// More bytes, in order, content-decoded.
        case bytes([UInt8])
    }

    private struct State {
        var priority: FetchPriority
        var followers: [@Sendable (FetchPriority) -> Void] = []
    }

    private let state: Mutex<State>
    /// Told of every part of the body, on the transport's own thread, which it must not keep; returns whether more is wanted.
    public let onBody: (@Sendable (BodyPart) -> Bool)?

    /// A control for one fetch.
    ///
    /// - Parameters:
    ///   - priority: How urgent the fetch is at first.
    ///   - onBody: Told of the body as it arrives over a network, until it returns `false`; called on the transport's thread.
    public init(priority: FetchPriority, onBody: (@Sendable (BodyPart) -> Bool)? = nil) {
        state = Mutex(State(priority: priority))
        self.onBody = onBody
    }

    /// How urgent the fetch is.
    ///
    /// Setting it moves a fetch that waits for a connection; one under way goes on.
    public var priority: FetchPriority {
        get { state.withLock { $0.priority } }
        set {
            let followers = state.withLock { state in
                guard state.priority != newValue else { return [@Sendable (FetchPriority) -> Void]() }
                state.priority = newValue
                return state.followers
            }
            for follow in followers { follow(newValue) }
        }
    }

    /// Has `follow` told of every later change, on the thread of whoever makes it: for transports that keep a line.
    public func follow(_ follow: @escaping @Sendable (FetchPriority) -> Void) {
        state.withLock { $0.followers.append(follow) }
    }

    /// Equal is only what is the same.
    public static func == (left: FetchControl, right: FetchControl) -> Bool { left === right }
    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

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
    public enum BodyEvent: Sendable {
        /// The head of an answer that carries a body has come: bytes from the first on will follow.
        ///
        /// Not told of redirects, 204 and 304. It may come again, when an answer that broke off is asked for anew.
        case started(status: Int, headers: HTTPHeaders)
        /// More bytes, in order, content-decoded.
        case bytes([UInt8])
    }

    /// The priority and who follows it; one for all controls of a fetch.
    private final class Urgency: Sendable {
        struct State {
            var priority: FetchPriority
            var followers: [@Sendable (FetchPriority) -> Void] = []
            /// Whether a thread is telling the followers: it tells them of what changes meanwhile, too.
            var isTold = false
        }

        let state: Mutex<State>

        init(_ priority: FetchPriority) { state = Mutex(State(priority: priority)) }
    }

    /// Whether more of the body is taken from the network, and who wants to know; one for all controls of a fetch.
    private final class Flow: Sendable {
        struct State {
            var isPaused = false
            var followers: [@Sendable () -> Void] = []
        }

        let state = Mutex(State())
    }

    private let urgency: Urgency
    private let flow: Flow
    /// Told of every part of the body, on the transport's own thread, which it must not keep; returns whether more is wanted.
    public let onBody: (@Sendable (BodyEvent) -> Bool)?

    /// A control for one fetch.
    ///
    /// - Parameters:
    ///   - priority: How urgent the fetch is at first.
    ///   - onBody: Told of the body as it arrives over a network, until it returns `false`; called on the transport's thread.
    public init(priority: FetchPriority, onBody: (@Sendable (BodyEvent) -> Bool)? = nil) {
        urgency = Urgency(priority)
        flow = Flow()
        self.onBody = onBody
    }

    /// A control that hears of the body in another one's place; their priority is one and the same.
    init(inPlaceOf other: FetchControl, onBody: @escaping @Sendable (BodyEvent) -> Bool) {
        urgency = other.urgency
        flow = other.flow
        self.onBody = onBody
    }

    /// How urgent the fetch is.
    ///
    /// Setting it moves a fetch that waits for a connection; one under way goes on.
    public var priority: FetchPriority {
        get { urgency.state.withLock { $0.priority } }
        set {
            var change = urgency.state.withLock { state -> Change? in
                guard state.priority != newValue else { return nil }
                state.priority = newValue
                guard !state.isTold else { return nil }
                state.isTold = true
                return (newValue, state.followers)
            }
            while let (told, followers) = change {
                for observer in followers { observer(told) }
                change = urgency.state.withLock { state in
                    state.isTold = state.priority != told
                    return state.isTold ? (state.priority, state.followers) : nil
                }
            }
        }
    }

    private typealias Change = (FetchPriority, [@Sendable (FetchPriority) -> Void])

    /// Has `follow` told of later changes, on the thread of whoever makes one: for transports that keep a line.
    ///
    /// It is called by one thread at a time. Of changes that come together some may be left out, but never the last.
    public func onPriorityChange(_ follow: @escaping @Sendable (FetchPriority) -> Void) {
        urgency.state.withLock { $0.followers.append(follow) }
    }

    /// Whether the transport is to leave the rest of the body where it is, for now: for listeners that are slower than the network.
    ///
    /// What has left the network already still comes. Transports without a network need not obey. A transfer that is held does
    /// not count as one that stands still.
    var isPaused: Bool {
        get { flow.state.withLock { $0.isPaused } }
        set {
            let followers = flow.state.withLock { state -> [@Sendable () -> Void] in
                defer { state.isPaused = newValue }
                return state.isPaused && !newValue ? state.followers : []
            }
            for observer in followers { observer() }
        }
    }

    /// Has `unpause` called whenever the body is held no more, on the thread of whoever lets it go.
    func onResume(_ unpause: @escaping @Sendable () -> Void) { flow.state.withLock { $0.followers.append(unpause) } }

    /// Equal is only what is the same.
    public static func == (left: FetchControl, right: FetchControl) -> Bool { left === right }
    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

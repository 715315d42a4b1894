package import SpyglassThreads

/// Controls a running fetch: its priority, and the body as it arrives.
///
///     let control = FetchControl(priority: .prefetch)
///     request.control = control
///     let task = Task { try await transport.fetch(request) }
///     control.priority = .visible
///
/// For one fetch; thread-safe. Transports that wrap others pass it on with the request.
package final class FetchControl: Sendable, Hashable {
    /// An event of a body.
    package enum BodyEvent: Sendable {
        /// The head of a response with a body arrived; bytes from the first one follow.
        ///
        /// Not for redirects, 204 and 304. It comes again if an interrupted transfer starts over.
        case started(status: Int, headers: HeaderFields)
        /// More bytes, in order, content-decoded.
        case bytes([UInt8])
    }

    /// Shared by all controls of a fetch.
    private final class Shared: Sendable {
        struct State {
            var priority: FetchPriority
            var onPriorityChange: [@Sendable (FetchPriority) -> Void] = []
            /// Whether a thread is calling the observers; it also delivers concurrent changes.
            var isNotifying = false
            var isPaused = false
            var onResume: [@Sendable () -> Void] = []
        }

        let state: Mutex<State>

        init(_ priority: FetchPriority) { state = Mutex(State(priority: priority)) }
    }

    private let shared: Shared
    /// Receives the body on the transport's thread and must not block; returns `false` to end the fetch.
    package let onBody: (@Sendable (BodyEvent) -> Bool)?

    /// A control for one fetch.
    ///
    /// - Parameters:
    ///   - priority: the initial priority.
    ///   - onBody: called on the transport's thread with the body as it arrives over a network, until it returns `false`.
    package init(priority: FetchPriority, onBody: (@Sendable (BodyEvent) -> Bool)? = nil) {
        shared = Shared(priority)
        self.onBody = onBody
    }

    /// Replaces the listener of another control; everything else stays shared.
    init(inPlaceOf other: FetchControl, onBody: @escaping @Sendable (BodyEvent) -> Bool) {
        shared = other.shared
        self.onBody = onBody
    }

    /// The current priority.
    ///
    /// Setting it moves a queued fetch; a running one continues.
    package var priority: FetchPriority {
        get { shared.state.withLock { $0.priority } }
        set {
            var change = shared.state.withLock { state -> Change? in
                guard state.priority != newValue else { return nil }
                state.priority = newValue
                guard !state.isNotifying else { return nil }
                state.isNotifying = true
                return (newValue, state.onPriorityChange)
            }
            while let (told, observers) = change {
                for observer in observers { observer(told) }
                change = shared.state.withLock { state in
                    state.isNotifying = state.priority != told
                    return state.isNotifying ? (state.priority, state.onPriorityChange) : nil
                }
            }
        }
    }

    private typealias Change = (FetchPriority, [@Sendable (FetchPriority) -> Void])

    /// Calls `observer` with later changes, on the thread that makes the change.
    ///
    /// Calls do not overlap. Of concurrent changes some may be skipped, but never the last.
    package func onPriorityChange(_ observer: @escaping @Sendable (FetchPriority) -> Void) {
        shared.state.withLock { $0.onPriorityChange.append(observer) }
    }

    /// Calls `apply` with the current priority and after every change; changes must come from one thread at a time.
    package func forward(to apply: @escaping @Sendable (FetchPriority) -> Void) {
        onPriorityChange(apply)
        // A change between reading and applying would be undone here.
        var applied: FetchPriority
        repeat {
            applied = priority
            apply(applied)
        } while priority != applied
    }

    /// Makes a ticket for work on a `ThreadPool` that follows the priority.
    package var workTicket: WorkTicket {
        let ticket = WorkTicket(priority: priority.rawValue)
        forward { ticket.priority = $0.rawValue }
        return ticket
    }

    /// Pauses the body, for listeners slower than the network; bytes in flight still arrive, and the transfer does not time out.
    var isPaused: Bool {
        get { shared.state.withLock { $0.isPaused } }
        set {
            let observers = shared.state.withLock { state -> [@Sendable () -> Void] in
                defer { state.isPaused = newValue }
                return state.isPaused && !newValue ? state.onResume : []
            }
            for observer in observers { observer() }
        }
    }

    /// Calls `observer` after each pause, on the thread that ends it.
    func onResume(_ observer: @escaping @Sendable () -> Void) { shared.state.withLock { $0.onResume.append(observer) } }

    /// By identity.
    package static func == (left: FetchControl, right: FetchControl) -> Bool { left === right }
    /// By identity.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

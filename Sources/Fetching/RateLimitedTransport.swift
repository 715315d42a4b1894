internal import SpyglassThreads

/// Begins no more than so many fetches a second with each host.
///
///     let transport = RateLimitedTransport(CurlTransport(), requestsPerSecond: 5)
///
/// Fetches of one host begin in the order they came, evenly spaced; the first begins at once. One that is cancelled leaves the line, and those
/// behind it move up. What a fetch then does (redirects, its length) is not paced: put it below what asks again, and below caches, whose
/// answers cost a host nothing. Thread-safe.
public struct RateLimitedTransport: Transport {
    private let base: any Transport
    private let lines: HostLines

    /// A transport that hands on to `base` when a fetch's turn has come.
    ///
    /// - Parameters:
    ///   - base: what fetches.
    ///   - requestsPerSecond: of one host, that is its name and port; what is not above zero paces nothing.
    ///   - clock: what turns are measured by.
    public init(
        _ base: any Transport, requestsPerSecond: Double, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.base = base
        // A day for the slowest, so that no rate, however small, overflows.
        let seconds = requestsPerSecond > 0 ? min(1 / requestsPerSecond, 86_400) : 0
        lines = HostLines(interval: .seconds(seconds), ElapsedClock(clock))
    }

    /// Waits for its turn with the host, and fetches.
    ///
    /// - Throws: What `base` throws; `CancellationError` when the task is cancelled while it waits.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        try await lines.turn(request.address.authority)
        return try await base.fetch(request)
    }

    /// How many stand in line, of all hosts.
    var waitingCount: Int { lines.waitingCount }
}

/// A line for each host.
///
/// The first of a line sleeps until its moment, the others until they are first. Whoever leaves, with its turn or cancelled, wakes the next.
private final class HostLines: Sendable {
    private struct Waiter {
        let number: Int
        /// `nil` before it has lain down, and when it is first and awake.
        var continuation: CheckedContinuation<Void, any Error>?
    }

    private struct Line {
        /// Before it no fetch begins.
        var next = Duration.zero
        var waiters: [Waiter] = []
    }

    private struct State {
        var lines: [String: Line] = [:]
        var lastNumber = 0
        /// Lines at which those are dropped that say nothing any more.
        var dropAt = 256

        func index(of number: Int, _ host: String) -> Int? {
            lines[host]?.waiters.firstIndex { $0.number == number }
        }

        /// Takes somebody out of a line; returns whom to wake because it is first now.
        mutating func remove(_ number: Int, _ host: String) -> CheckedContinuation<Void, any Error>? {
            guard let index = index(of: number, host) else { return nil }
            lines[host]?.waiters.remove(at: index)
            guard index == 0, lines[host]?.waiters.isEmpty == false else { return nil }
            return lines[host]?.waiters[0].continuation.take()
        }
    }

    private let interval: Duration
    private let time: ElapsedClock
    private let state = Mutex(State())

    init(interval: Duration, _ time: ElapsedClock) {
        self.interval = interval
        self.time = time
    }

    var waitingCount: Int { state.withLock { $0.lines.values.reduce(0) { $0 + $1.waiters.count } } }

    /// Returns when a fetch of this host may begin.
    func turn(_ host: String) async throws {
        try Task.checkCancellation()
        guard interval > .zero, let number = join(host) else { return }
        do {
            try await waitToBeFirst(number, host)
            while let moment = claim(number, host) { try await time.sleep(moment) }
        } catch {
            leave(number, host)
            throw error
        }
    }

    /// Stands in line; `nil` where nobody waits and the turn has come.
    private func join(_ host: String) -> Int? {
        let now = time.now()
        return state.withLock { state in
            dropIdle(&state, now)
            var line = state.lines[host] ?? Line()
            defer { state.lines[host] = line }
            if line.waiters.isEmpty, now >= line.next {
                line.next = now + interval
                return nil
            }
            state.lastNumber += 1
            line.waiters.append(Waiter(number: state.lastNumber))
            return state.lastNumber
        }
    }

    private func waitToBeFirst(_ number: Int, _ host: String) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isFirst = state.withLock { state -> Bool in
                    guard let index = state.index(of: number, host), index > 0 else { return true }
                    state.lines[host]?.waiters[index].continuation = continuation
                    return false
                }
                // One that was cancelled before it lay down finds out when it sleeps, or is first.
                if isFirst { continuation.resume() } else if Task.isCancelled { cancel(number, host) }
            }
        } onCancel: {
            cancel(number, host)
        }
    }

    private func cancel(_ number: Int, _ host: String) {
        let continuation = state.withLock { state in
            state.index(of: number, host).flatMap { state.lines[host]?.waiters[$0].continuation.take() }
        }
        continuation?.resume(throwing: CancellationError())
    }

    /// Takes the turn of the first in line, or says until when it must still wait.
    private func claim(_ number: Int, _ host: String) -> Duration? {
        let now = time.now()
        let (moment, next) = state.withLock { state -> (Duration?, CheckedContinuation<Void, any Error>?) in
            guard let moment = state.lines[host]?.next, now < moment else {
                state.lines[host]?.next = now + interval
                return (nil, state.remove(number, host))
            }
            return (moment, nil)
        }
        next?.resume()
        return moment
    }

    private func leave(_ number: Int, _ host: String) {
        state.withLock { $0.remove(number, host) }?.resume()
    }

    /// Forgets hosts of which nobody waits, now and then, so that memory does not grow with their number.
    private func dropIdle(_ state: inout State, _ now: Duration) {
        guard state.lines.count >= state.dropAt else { return }
        state.lines = state.lines.filter { !$0.value.waiters.isEmpty || $0.value.next > now }
        state.dropAt = max(256, 2 * state.lines.count)
    }
}

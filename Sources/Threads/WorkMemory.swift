internal import SpyglassFiles

/// The memory that decoders and bodies in flight may hold together: one budget, shared by all that decode or fetch in a process.
///
///     let memory = WorkMemory(limit: 200 << 20)
///     let thumbnailer = Thumbnailer(workMemory: memory)
///     let pipeline = ImagePipeline(ImagePipeline.Configuration(workMemory: memory))
///
/// Memory is reserved before it is allocated, and released with the last reference to its share. What needs more than the limit
/// by itself fails. Everything else waits its turn and gets it, because holders never wait for each other in a circle:
///
/// - A decode reserves everything at once. It waits for other decodes only, so one of them runs, even if bodies hold the whole budget.
/// - Bodies grow. The oldest in transfer has room for the rest of its length, which the others leave free. If all others wait or are
///   parked, it gets what it needs beyond the limit.
///
/// So the budget is exceeded by at most one decode and one body, and only where nothing else could go on. Thread-safe.
public final class WorkMemory: Sendable {
    /// Why memory is not granted.
    package enum Refusal: Error, Hashable, Sendable {
        /// It is more than the whole budget, in bytes.
        case exceedsLimit(needed: Int, limit: Int)
        /// The system has too little: a limit of the address space, or memory that may not be overcommitted.
        case unavailable(needed: Int)
        /// The caller does not wait any longer.
        case cancelled
    }

    /// Less is not worth counting.
    package static let minBytes = SystemMemory.minBytes

    /// The budget in bytes.
    public var limit: Int {
        knownLimit.withLock { known in
            let limit = known ?? max(0, findLimit())
            known = limit
            return limit
        }
    }

    private let knownLimit = Mutex<Int?>(nil)
    private let findLimit: @Sendable () -> Int

    private struct Transfer {
        var held = 0
        var expected: Int
        var wanted: Int?
        let onRoom: @Sendable () -> Void
    }

    private struct State {
        var used = 0
        var peak = 0
        var decodes = 0
        /// Complete bodies; each ends with a decode or without one.
        var bodies = 0
        var transfers: [Int: Transfer] = [:]
        var waitingDecodes: [Int] = []
        var nextNumber = 0

        mutating func number() -> Int {
            nextNumber += 1
            return nextNumber
        }

        mutating func add(_ bytes: Int) {
            used += bytes
            peak = max(peak, used)
        }
    }

    private let state = Monitor(State())

    /// Makes a budget; its limit in bytes is looked up when it is first needed.
    public init(limit: @autoclosure @escaping @Sendable () -> Int) { findLimit = limit }

    /// For tests.
    var used: Int { state.withLock { $0.used } }
    var peak: Int { state.withLock { $0.peak } }
    var waitingDecodes: Int { state.withLock { $0.waitingDecodes.count } }
    var waitingBodies: Int { state.withLock { $0.transfers.values.count { $0.wanted != nil } } }

    // MARK: Decodes

    /// Reserved memory, until its last reference is gone.
    package final class Share: Sendable {
        private let memory: WorkMemory
        private let bytes: Int
        private let isDecode: Bool

        fileprivate init(_ memory: WorkMemory, _ bytes: Int, isDecode: Bool) {
            (self.memory, self.bytes, self.isDecode) = (memory, bytes, isDecode)
        }

        deinit { memory.release(bytes) { [isDecode] state in if isDecode { state.decodes -= 1 } } }
    }

    /// Reserves all that a decode needs; blocks until it is granted.
    ///
    /// A thread that holds such a share must not reserve another one.
    ///
    /// - Parameters:
    ///   - bytes: the memory of the whole decode.
    ///   - cancellation: ends the wait.
    /// - Returns: the share.
    /// - Throws: `Refusal`.
    package func reserve(_ bytes: Int, cancellation: Cancellation? = .current) throws(Refusal) -> Share {
        guard bytes <= limit else { throw .exceedsLimit(needed: bytes, limit: limit) }
        let turn = state.withLock { state in
            let turn = state.number()
            state.waitingDecodes.append(turn)
            return turn
        }
        let isGranted: Bool? = state.wait(unless: cancellation) { state in
            guard state.waitingDecodes.first == turn, state.used + bytes <= limit || state.decodes == 0 else {
                return nil
            }
            // Another decode may hold what the system lacks; its end wakes this one.
            guard SystemMemory.hasRoom(for: state.used + bytes) else { return state.decodes == 0 ? false : nil }
            state.decodes += 1
            state.add(bytes)
            return true
        }
        state.withLock { state in state.waitingDecodes.removeAll { $0 == turn } }
        state.wakeAll()
        guard let isGranted else { throw .cancelled }
        guard isGranted else { throw .unavailable(needed: bytes) }
        return Share(self, bytes, isDecode: true)
    }

    /// Reserves memory if there is some left, for work that can be left out; does not wait.
    package func reserveIfFree(_ bytes: Int) -> Share? {
        let isFree = state.withLock { state in
            guard state.used + bytes <= limit, state.waitingDecodes.isEmpty else { return false }
            state.add(bytes)
            return true
        }
        guard isFree else { return nil }
        let share = Share(self, bytes, isDecode: false)
        return hasRoom() ? share : nil
    }

    // MARK: Bodies

    /// The memory of one body, which grows while it is in transfer.
    package final class Body: Sendable {
        private let memory: WorkMemory
        fileprivate let number: Int
        /// Whether the body is complete, and its bytes once a transfer has ended.
        private let state = Mutex((isComplete: false, held: 0))

        fileprivate init(_ memory: WorkMemory, _ number: Int) {
            (self.memory, self.number) = (memory, number)
        }

        deinit {
            let (isComplete, held) = state.withLock { $0 }
            memory.release(held) { [number] state in
                if isComplete { state.bodies -= 1 }
                if let transfer = state.transfers.removeValue(forKey: number) { state.used -= transfer.held }
            }
        }

        /// Grows to `bytes` of at most `expected`; returns false if it has to wait, until `onRoom`.
        package func grow(to bytes: Int, expected: Int) throws(Refusal) -> Bool {
            try memory.grow(number, to: bytes, expected)
        }

        /// The transfer has ended; a body that is not `complete` waits for another transfer.
        ///
        /// - Returns: whether the body may be kept; an incomplete one only while the budget is not exceeded.
        @discardableResult
        package func end(isComplete: Bool) -> Bool {
            state.withLock { state in
                guard !state.isComplete else { return isComplete }
                state.held += memory.endTransfer(number, isComplete: isComplete)
                state.isComplete = isComplete
                return isComplete || memory.used <= memory.limit
            }
        }
    }

    /// Starts the share of a body, with nothing.
    ///
    /// - Parameter onRoom: called on any thread when growth that had to wait is granted.
    /// - Returns: the share.
    package func body(onRoom: @escaping @Sendable () -> Void) -> Body {
        let number = state.withLock { state in
            let number = state.number()
            state.transfers[number] = Transfer(expected: 0, onRoom: onRoom)
            return number
        }
        return Body(self, number)
    }

    private func grow(_ number: Int, to bytes: Int, _ expected: Int) throws(Refusal) -> Bool {
        guard bytes <= limit else { throw .exceedsLimit(needed: bytes, limit: limit) }
        var isGranted = false
        change { state in
            guard var transfer = state.transfers[number] else { return }
            transfer.expected = expected
            transfer.wanted = transfer.held < bytes ? bytes : nil
            state.transfers[number] = transfer
        } then: { state in
            isGranted = state.transfers[number]?.wanted == nil
        }
        // Growing copies: the old block and the new one exist together.
        guard !isGranted || hasRoom(besides: bytes) else { throw .unavailable(needed: bytes) }
        return isGranted
    }

    private func endTransfer(_ number: Int, isComplete: Bool) -> Int {
        var held = 0
        change { state in
            held = state.transfers.removeValue(forKey: number)?.held ?? 0
            if isComplete { state.bodies += 1 }
        }
        return held
    }

    private func release(_ bytes: Int, _ body: (inout State) -> Void) {
        change { state in
            state.used -= bytes
            body(&state)
        }
    }

    // MARK: Turns

    /// Changes the state, grants what then fits, and notifies the transfers that had to wait, except the caller's.
    private func change(_ body: (inout State) -> Void, then finish: (inout State) -> Void = { _ in }) {
        let granted = state.withLock { state in
            let waited = Set(state.transfers.filter { $0.value.wanted != nil }.keys)
            body(&state)
            let granted = grant(&state).filter { waited.contains($0) }.compactMap { state.transfers[$0]?.onRoom }
            finish(&state)
            return granted
        }
        state.wakeAll()
        for onRoom in granted { onRoom() }
    }

    /// Grants growth, the oldest first.
    private func grant(_ state: inout State) -> [Int] {
        guard !state.transfers.isEmpty else { return [] }
        var granted: [Int] = []
        let numbers = state.transfers.keys.sorted()
        var isLast =
            state.decodes == 0 && state.bodies == 0
            && state.transfers.values.allSatisfy { $0.wanted != nil || $0.held == 0 }
        for number in numbers {
            guard let transfer = state.transfers[number], let wanted = transfer.wanted else { continue }
            let more = wanted - transfer.held
            guard isLast || state.used + more + room(before: number, in: state) <= limit else { break }
            isLast = false
            state.add(more)
            state.transfers[number]?.held = wanted
            state.transfers[number]?.wanted = nil
            granted.append(number)
        }
        return granted
    }

    /// Bytes kept for the oldest transfer; half of the budget at most, so that others go on where a length is unknown.
    private func room(before number: Int, in state: State) -> Int {
        guard let oldest = state.transfers.keys.min(), oldest != number, let transfer = state.transfers[oldest] else {
            return 0
        }
        return min(max(transfer.expected - transfer.held, 0), limit / 2)
    }

    /// Whether the system has room for everything reserved once more.
    private func hasRoom(besides bytes: Int = 0) -> Bool { SystemMemory.hasRoom(for: used + bytes) }
}

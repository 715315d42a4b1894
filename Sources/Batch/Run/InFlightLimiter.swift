internal import SpyglassThreads

/// Limits the items in flight, and keeps those with one output name in order; one task enters, in the order of the items.
final class InFlightLimiter: Sendable {
    struct Limits: Sendable {
        var files: Int
        /// Items whose body is being fetched or waits for a decoder; work memory counts bodies above 1 MiB.
        var transfers: Int
        /// The maximum distance of the newest item from the oldest that has not ended.
        var span: Int
    }

    private enum Slot { case file, transfer }

    private struct State {
        var slots: [Int: Slot] = [:]
        var nextTurn = 0
        var oldestTurn = 0
        /// Items that ended before an older one.
        var ended: Set<Int> = []
        /// The names of items that have not ended, by turn.
        var names: [Int: Set<OutputName>] = [:]
        /// Items that wait for the end of an earlier one, by its turn.
        var namesakes: [Int: [CheckedContinuation<Void, Never>]] = [:]
        var isClosed = false
        var waiter: (slot: Slot, continuation: CheckedContinuation<Int, any Error>)?

        /// Returns the turn of one more item; `nil` at a limit.
        mutating func take(_ slot: Slot, _ limits: Limits) -> Int? {
            let limit = slot == .file ? limits.files : limits.transfers
            guard nextTurn - oldestTurn < limits.span, slots.values.count(where: { $0 == slot }) < limit else {
                return nil
            }
            slots[nextTurn] = slot
            nextTurn += 1
            return nextTurn - 1
        }
    }

    private let limits: Limits
    private let state = Mutex(State())

    init(_ limits: Limits) { self.limits = limits }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Waits until one more item may begin, and returns its turn, from 0; throws `CancellationError` after `close`.
    func enter(isTransfer: Bool) async throws -> Int {
        let slot = isTransfer ? Slot.transfer : .file
        return try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Int, any Error>? in
                if state.isClosed { return .failure(CancellationError()) }
                if let turn = state.take(slot, limits) { return .success(turn) }
                state.waiter = (slot, continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    func close() {
        let waiter = state.withLock { state in
            state.isClosed = true
            defer { state.waiter = nil }
            return state.waiter?.continuation
        }
        waiter?.resume(throwing: CancellationError())
    }

    /// The body of a transfer is being decoded: its slot is free.
    func startedDecoding(of turn: Int) { change { $0.slots[turn] = nil } }

    /// Waits until all earlier items with one of these names have ended, so that the first one has it, however fast each is.
    ///
    /// Must be called in the order of the turns.
    func waitForNamesakes(of turn: Int, _ names: Set<OutputName>) async {
        guard !names.isEmpty else { return }
        let earlier = state.withLock { state in
            state.names[turn] = names
            return state.names.filter { $0.key < turn && !$0.value.isDisjoint(with: names) }.keys
        }
        for other in earlier {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    guard state.names[other] != nil else { return false }
                    state.namesakes[other, default: []].append(continuation)
                    return true
                }
                if !isThere { continuation.resume() }
            }
        }
    }

    func leave(_ turn: Int) {
        var namesakes: [CheckedContinuation<Void, Never>] = []
        change { state in
            state.names[turn] = nil
            namesakes = state.namesakes.removeValue(forKey: turn) ?? []
            state.slots[turn] = nil
            state.ended.insert(turn)
            while state.ended.remove(state.oldestTurn) != nil { state.oldestTurn += 1 }
        }
        for continuation in namesakes { continuation.resume() }
    }

    private func change(_ body: (inout State) -> Void) {
        let next = state.withLock { state -> (Int, CheckedContinuation<Int, any Error>)? in
            body(&state)
            guard let waiter = state.waiter, let turn = state.take(waiter.slot, limits) else { return nil }
            state.waiter = nil
            return (turn, waiter.continuation)
        }
        if let (turn, continuation) = next { continuation.resume(returning: turn) }
    }
}

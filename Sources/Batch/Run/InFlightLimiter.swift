internal import SpyglassThreads
internal import struct Synchronization.Atomic

/// How many items are under way at once, and how much memory their bodies may take.
///
///     let turn = try await limiter.enter(isTransfer: true)
///     limiter.arrived(body.count, of: turn)
///     limiter.startedDecoding(of: turn)
///     limiter.leave(turn)
///
/// One task enters, in the order of the items; any may tell of its progress. What an item reserves it gives back by `leave`,
/// however far it came.
final class InFlightLimiter: Sendable {
    /// What may be under way.
    struct Limits: Sendable {
        /// Items without a transfer, from their beginning to their end.
        var files: Int
        /// Items whose body is on its way or waits for a decoder.
        var transfers: Int
        /// Bytes of bodies before no further transfer begins.
        ///
        /// A body that waits or is in work counts with what it has, one that is on its way with the mean of those that came. So the bound is passed
        /// by as much as bodies under way turn out larger than that, and by a single one of any size.
        var bodyBytes: Int
        /// How far the newest item may be ahead of the oldest that has not ended.
        var span: Int
    }

    /// What was at most under way at once.
    struct Peaks: Hashable, Sendable {
        var files = 0
        var transfers = 0
        var bodyBytes = 0
        var span = 0
    }

    private enum Stage { case file, transfer, waiting, decoding }

    private struct Flight {
        var stage: Stage
        var bytes: Int
    }

    private struct State {
        var flights: [Int: Flight] = [:]
        var files = 0
        var transfers = 0
        var bodyBytes = 0
        /// The mean body so far is what a transfer is expected to bring.
        var arrivedBytes = 0
        var arrivedCount = 0
        var nextTurn = 0
        var oldestTurn = 0
        /// Those that ended before an older one did.
        var ended: Set<Int> = []
        var waiter: (isTransfer: Bool, continuation: CheckedContinuation<Int, any Error>)?
        var peaks = Peaks()

        /// Before the first body came: about what a web page's picture has.
        static let defaultBody = 256 << 10

        var expectedBody: Int { arrivedCount == 0 ? Self.defaultBody : arrivedBytes / arrivedCount }

        func hasRoom(isTransfer: Bool, _ limits: Limits) -> Bool {
            guard nextTurn - oldestTurn < limits.span else { return false }
            guard isTransfer else { return files < limits.files }
            guard transfers < limits.transfers else { return false }
            return bodyBytes == 0 || bodyBytes + expectedBody <= limits.bodyBytes
        }

        mutating func take(isTransfer: Bool) -> Int {
            let turn = nextTurn
            let bytes = isTransfer ? expectedBody : 0
            nextTurn += 1
            flights[turn] = Flight(stage: isTransfer ? .transfer : .file, bytes: bytes)
            if isTransfer { transfers += 1 } else { files += 1 }
            bodyBytes += bytes
            notePeaks()
            return turn
        }

        mutating func notePeaks() {
            peaks.files = max(peaks.files, files)
            peaks.transfers = max(peaks.transfers, transfers)
            peaks.bodyBytes = max(peaks.bodyBytes, bodyBytes)
            peaks.span = max(peaks.span, nextTurn - oldestTurn)
        }
    }

    private let limits: Limits
    private let state = Mutex(State())
    private let closed = Atomic(false)

    init(_ limits: Limits) { self.limits = limits }

    /// What was at most under way at once, so far.
    var peaks: Peaks { state.withLock { $0.peaks } }

    /// Waits until one more item may begin, and gives it its turn: 0, 1, 2, ...
    ///
    /// - Throws: `CancellationError` once the limiter was closed, even if there is room.
    func enter(isTransfer: Bool) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Int, any Error>? in
                if isClosed { return .failure(CancellationError()) }
                if state.hasRoom(isTransfer: isTransfer, limits) {
                    return .success(state.take(isTransfer: isTransfer))
                }
                state.waiter = (isTransfer, continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    /// Whether work is to be dropped; cheap enough to be asked at every row.
    var isClosed: Bool { closed.load(ordering: .relaxed) }

    /// Lets nobody in any more.
    func close() {
        let waiter = state.withLock { state in
            closed.store(true, ordering: .relaxed)
            defer { state.waiter = nil }
            return state.waiter?.continuation
        }
        waiter?.resume(throwing: CancellationError())
    }

    /// The body of a transfer is there and waits for a decoder.
    func arrived(_ bytes: Int, of turn: Int) {
        change { state in
            guard var flight = state.flights[turn], flight.stage == .transfer else { return }
            state.bodyBytes += bytes - flight.bytes
            flight = Flight(stage: .waiting, bytes: bytes)
            state.flights[turn] = flight
            state.arrivedBytes += bytes
            state.arrivedCount += 1
            state.notePeaks()
        }
    }

    /// A decoder took the body: the next transfer may begin.
    func startedDecoding(of turn: Int) {
        change { state in
            guard let flight = state.flights[turn], flight.stage == .waiting else { return }
            state.flights[turn] = Flight(stage: .decoding, bytes: flight.bytes)
            state.transfers -= 1
        }
    }

    /// An item ended, however far it came.
    func leave(_ turn: Int) {
        change { state in
            guard let flight = state.flights.removeValue(forKey: turn) else { return }
            switch flight.stage {
            case .file: state.files -= 1
            case .transfer, .waiting: state.transfers -= 1
            case .decoding: break
            }
            state.bodyBytes -= flight.bytes
            state.ended.insert(turn)
            while state.ended.remove(state.oldestTurn) != nil { state.oldestTurn += 1 }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let next = state.withLock { state -> (Int, CheckedContinuation<Int, any Error>)? in
            body(&state)
            guard let waiter = state.waiter, state.hasRoom(isTransfer: waiter.isTransfer, limits) else { return nil }
            state.waiter = nil
            return (state.take(isTransfer: waiter.isTransfer), waiter.continuation)
        }
        if let (turn, continuation) = next { continuation.resume(returning: turn) }
    }
}

internal import SpyglassThreads
internal import struct Synchronization.Atomic

/// Limits the items in flight and the memory of their bodies; one task enters, in the order of the items.
final class InFlightLimiter: Sendable {
    struct Limits: Sendable {
        var files: Int
        /// Items whose body is being fetched or waits for a decoder.
        var transfers: Int
        /// Bytes of bodies that delay further transfers; bodies in transfer count with the mean size so far.
        var bodyBytes: Int
        /// The maximum distance of the newest item from the oldest that has not ended.
        var span: Int
    }

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
        var arrivedBytes = 0
        var arrivedCount = 0
        var nextTurn = 0
        var oldestTurn = 0
        /// Items that ended before an older one.
        var ended: Set<Int> = []
        var waiter: (isTransfer: Bool, continuation: CheckedContinuation<Int, any Error>)?
        var peaks = Peaks()
        /// Assumed before the first body: a typical image on the web.
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

    var peaks: Peaks { state.withLock { $0.peaks } }

    /// Waits until one more item may begin, and returns its turn, from 0; throws `CancellationError` after `close`.
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

    /// Cheap enough to check at every row.
    var isClosed: Bool { closed.load(ordering: .relaxed) }

    func close() {
        let waiter = state.withLock { state in
            closed.store(true, ordering: .relaxed)
            defer { state.waiter = nil }
            return state.waiter?.continuation
        }
        waiter?.resume(throwing: CancellationError())
    }

    /// The body has arrived and waits for a decoder.
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

    /// Its transfer slot is free.
    func startedDecoding(of turn: Int) {
        change { state in
            guard let flight = state.flights[turn], flight.stage == .waiting else { return }
            state.flights[turn] = Flight(stage: .decoding, bytes: flight.bytes)
            state.transfers -= 1
        }
    }

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

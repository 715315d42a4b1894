internal import SpyglassFetching
internal import SpyglassThreads

/// Bytes of a body that have arrived, and its length if the server named one.
package struct BodyProgress: Hashable, Sendable {
    package var received: Int
    package var total: Int?

    package init(received: Int, total: Int? = nil) {
        self.received = received
        self.total = total
    }
}

/// Counts the bytes of a body; thread-safe.
final class BodyMeter: Sendable {
    private struct State {
        var progress = BodyProgress(received: 0)
        var reported = 0
    }

    /// The number of reports of a body of known length.
    private static let maxReports = 100
    /// Bytes between two reports, at least.
    private static let minStep = 64 << 10

    private let state = Mutex(State())

    /// `nil` if little has arrived since the last report.
    func progress(after event: FetchControl.BodyEvent) -> BodyProgress? {
        state.withLock { state in
            switch event {
            case .started(_, let headers):
                state = State(progress: BodyProgress(received: 0, total: headers.decodedLength))
            case .bytes(let bytes):
                state.progress.received += bytes.count
                let step = max((state.progress.total ?? 0) / Self.maxReports, Self.minStep)
                let isAll = state.progress.received == state.progress.total
                guard isAll || state.progress.received - state.reported >= step else { return nil }
                state.reported = state.progress.received
            }
            return state.progress
        }
    }
}

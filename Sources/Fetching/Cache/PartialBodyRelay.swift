internal import SpyglassThreads

/// Joins the events of several transfers of one body: `started` comes again only if earlier bytes are invalid.
final class PartialBodyRelay: Sendable {
    private struct State {
        var expected: PartialBody?
        var told = 0
        /// Whether the current response is reported.
        var passes = false
        var isRefused = false

        mutating func begin(_ status: Int, _ headers: HTTPHeaders) -> [FetchControl.BodyEvent] {
            passes = (200...299).contains(status)
            guard passes else { return [] }
            if let expected, status == 206 {
                passes = expected.isContinued(status: status, headers: headers)
                guard passes, told != expected.part.bodyLength else { return [] }
                // Streamed bytes are not stored, so they cannot be repeated.
                passes = expected.part.streamedByteCount == 0
                guard passes else { return [] }
                told = expected.part.body.count
                return [
                    .started(status: expected.part.status, headers: expected.part.headers), .bytes(expected.part.body),
                ]
            }
            told = 0
            return [.started(status: status, headers: headers)]
        }
    }

    private let state = Mutex(State())
    private let listener: @Sendable (FetchControl.BodyEvent) -> Bool

    /// Replaces the control of the request; `nil` if it has no listener.
    static func wrap(_ request: inout FetchRequest) -> PartialBodyRelay? {
        guard let outer = request.control, let listener = outer.onBody else { return nil }
        let relay = PartialBodyRelay(listener)
        request.control = FetchControl(inPlaceOf: outer) { relay.take($0) }
        return relay
    }

    private init(_ listener: @escaping @Sendable (FetchControl.BodyEvent) -> Bool) { self.listener = listener }

    func expect(_ part: PartialBody?) {
        state.withLock { state in
            state.expected = part
            state.passes = false
        }
    }

    private func take(_ event: FetchControl.BodyEvent) -> Bool {
        let events = state.withLock { state -> [FetchControl.BodyEvent] in
            guard !state.isRefused else { return [] }
            switch event {
            case .started(let status, let headers): return state.begin(status, headers)
            case .bytes(let bytes):
                guard state.passes else { return [] }
                state.told += bytes.count
                return [event]
            }
        }
        for event in events where !listener(event) {
            state.withLock { $0.isRefused = true }
            return false
        }
        return state.withLock { !$0.isRefused }
    }
}

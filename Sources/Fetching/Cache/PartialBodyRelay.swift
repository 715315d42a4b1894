internal import SpyglassThreads

/// Tells one listener one story of a body that may come in several tries: it begins, bytes follow, and it begins anew
/// only when the bytes told so far are not the beginning of what comes.
///
/// Answers that are no success are not told.
final class PartialBodyRelay: Sendable {
    private struct State {
        /// What the try under way is to continue.
        var expected: PartialBody?
        /// How many bytes were told since it last began.
        var told = 0
        /// Whether the answer under way is told.
        var passes = false
        /// The listener wants no more.
        var isRefused = false

        mutating func begin(_ status: Int, _ headers: HTTPHeaders) -> [FetchControl.BodyEvent] {
            passes = (200...299).contains(status)
            guard passes else { return [] }
            if let expected, status == 206 {
                passes = expected.isContinued(status: status, headers: headers)
                guard passes, told != expected.part.bodyLength else { return [] }
                // What was handed on is kept nowhere: it can be gone on with, but not told again.
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

    /// Gives the request a control that reports here in place of its own; `nil` where nobody listens.
    static func wrap(_ request: inout FetchRequest) -> PartialBodyRelay? {
        guard let outer = request.control, let listener = outer.onBody else { return nil }
        let relay = PartialBodyRelay(listener)
        request.control = FetchControl(inPlaceOf: outer) { relay.take($0) }
        return relay
    }

    private init(_ listener: @escaping @Sendable (FetchControl.BodyEvent) -> Bool) { self.listener = listener }

    /// Another try begins, which may continue a part.
    func expect(_ part: PartialBody?) {
        state.withLock { state in
            state.expected = part
            state.passes = false
        }
    }

    private func take(_ piece: FetchControl.BodyEvent) -> Bool {
        let pieces = state.withLock { state -> [FetchControl.BodyEvent] in
            guard !state.isRefused else { return [] }
            switch piece {
            case .started(let status, let headers): return state.begin(status, headers)
            case .bytes(let bytes):
                guard state.passes else { return [] }
                state.told += bytes.count
                return [piece]
            }
        }
        for piece in pieces where !listener(piece) {
            state.withLock { $0.isRefused = true }
            return false
        }
        return state.withLock { !$0.isRefused }
    }
}

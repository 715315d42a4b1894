internal import SpyglassThreads

/// Which addresses have just been answered with 404 or 410, so that a page that shows one missing picture in ten places
/// asks once.
///
/// Forgets after a minute, and the oldest when there are many.
final class NegativeCache: Sendable {
    /// How long an answer is remembered (the design's limit).
    static let lifetime = Duration.seconds(60)
    /// Answers at most; with the largest each, 4 MiB.
    static let countLimit = 256
    /// A larger answer, with its header fields, is not remembered; an error's words are a few hundred bytes.
    static let byteLimit = 16 << 10

    private struct Key: Hashable {
        let address: WebAddress
        let accept: String
        let headers: HTTPHeaders
        let trust: AddressTrust
        let delivery: BodyDelivery

        init(_ request: FetchRequest) {
            address = request.address
            accept = request.accept
            headers = request.headers
            trust = request.trust
            delivery = request.delivery
        }
    }

    private struct State {
        var answers: [Key: (response: FetchResponse, end: Duration)] = [:]
        /// All keys in the order they came, those asked anew more than once.
        var order: [(key: Key, end: Duration)] = []
    }

    private let state = Mutex(State())

    /// What is remembered for a request.
    func answer(to request: FetchRequest, at now: Duration) -> FetchResponse? {
        state.withLock { state in
            guard let (response, end) = state.answers[Key(request)], now < end, response.body.count <= request.bodyLimit
            else { return nil }
            return response
        }
    }

    /// Remembers an answer if it is one of those, and forgets what was remembered if it is not.
    func note(_ response: FetchResponse, to request: FetchRequest, at now: Duration) {
        let key = Key(request)
        state.withLock { state in
            guard [404, 410].contains(response.status), response.byteCount <= Self.byteLimit else {
                if !state.answers.isEmpty { state.answers[key] = nil }
                return
            }
            let end = now + Self.lifetime
            state.answers[key] = (response, end)
            state.order.append((key, end))
            let expired = state.order.prefix { $0.end <= now }.count
            let leaving = max(expired, state.order.count - Self.countLimit)
            guard leaving > 0 else { return }
            for (key, end) in state.order.prefix(leaving) where state.answers[key]?.end == end {
                state.answers[key] = nil
            }
            state.order.removeFirst(leaving)
        }
    }
}

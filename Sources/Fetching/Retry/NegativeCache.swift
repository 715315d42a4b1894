internal import SpyglassThreads

/// Recent 404 and 410 responses, so that a missing image shown ten times is requested once.
final class NegativeCache: Sendable {
    static let lifetime = Duration.seconds(60)
    /// At most 4 MiB at the size limit.
    static let countLimit = 256
    /// Bytes of a response with its header fields; error pages usually have a few hundred.
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
        var responses: [Key: (response: FetchResponse, end: Duration)] = [:]
        /// Insertion order; keys may repeat.
        var order: [(key: Key, end: Duration)] = []
    }

    private let state = Mutex(State())

    func response(to request: FetchRequest, at now: Duration) -> FetchResponse? {
        state.withLock { state in
            guard let (response, end) = state.responses[Key(request)], now < end,
                response.body.count <= request.bodyLimit
            else { return nil }
            return response
        }
    }

    /// Stores a 404 or 410; any other response removes the entry.
    func note(_ response: FetchResponse, to request: FetchRequest, at now: Duration) {
        let key = Key(request)
        state.withLock { state in
            guard [404, 410].contains(response.status), response.byteCount <= Self.byteLimit else {
                if !state.responses.isEmpty { state.responses[key] = nil }
                return
            }
            let end = now + Self.lifetime
            state.responses[key] = (response, end)
            state.order.append((key, end))
            let expired = state.order.prefix { $0.end <= now }.count
            let leaving = max(expired, state.order.count - Self.countLimit)
            guard leaving > 0 else { return }
            for (key, end) in state.order.prefix(leaving) where state.responses[key]?.end == end {
                state.responses[key] = nil
            }
            state.order.removeFirst(leaving)
        }
    }
}

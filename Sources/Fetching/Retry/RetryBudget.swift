internal import SpyglassThreads

/// gRPC's retry throttling per host (gRFC A6): a failure costs a token, a success returns a tenth, retries need more than half.
final class RetryBudget: Sendable {
    /// The minimum capacity, in tenths of a token.
    private static let minCapacity = 100
    private static let failureCost = 10
    private static let successGain = 1
    /// Above this, all counts are reset.
    private static let hostLimit = 256

    /// Lasts for two fetches with any number of retries.
    private let capacity: Int
    /// Hosts without an entry have all tokens.
    private let tokens = Mutex<[String: Int]>([:])

    init(retries: Int) { capacity = max(Self.minCapacity, 4 * (retries + 1) * Self.failureCost) }

    func mayRepeat(afterFailureOf host: String) -> Bool {
        tokens.withLock { tokens in
            if tokens.count >= Self.hostLimit, tokens[host] == nil { tokens = [:] }
            let left = max(0, (tokens[host] ?? capacity) - Self.failureCost)
            tokens[host] = left
            return left > capacity / 2
        }
    }

    func answered(by host: String) {
        tokens.withLock { tokens in
            guard let left = tokens[host] else { return }
            tokens[host] = left + Self.successGain < capacity ? left + Self.successGain : nil
        }
    }
}

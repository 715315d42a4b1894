internal import SpyglassThreads

/// Limits retries per host with gRPC's throttling (gRFC A6).
///
/// A host starts with 10 tokens. A failure costs one, a success returns a tenth, and retries need more than half. So five failures
/// in a row stop retries until some dozen successes. With many retries configured, tokens last for two fetches.
final class RetryBudget: Sendable {
    /// The minimum capacity, in tenths of a token.
    private static let minCapacity = 100
    private static let failureCost = 10
    private static let successGain = 1
    /// Above this, all counts are reset.
    private static let hostLimit = 256

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

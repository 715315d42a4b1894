internal import SpyglassThreads

/// Limits retries per host with gRPC's throttling (gRFC A6).
///
/// A host starts with 10 tokens. A failure costs one, a success returns a tenth, and retries need more than half. So five failures
/// in a row stop retries until some dozen successes. With many retries configured, tokens last for two fetches.
final class RetryBudget: Sendable {
    /// In tenths of a token, the gain of a success.
    private static let least = 100
    private static let costOfFailure = 10
    private static let worthOfAnswer = 1
    /// Above this, all counts are reset.
    private static let hostLimit = 256

    private let most: Int
    /// Hosts without an entry have the maximum.
    private let tokens = Mutex<[String: Int]>([:])

    init(retries: Int) { most = max(Self.least, 4 * (retries + 1) * Self.costOfFailure) }

    func mayRepeat(afterFailureOf host: String) -> Bool {
        tokens.withLock { tokens in
            if tokens.count >= Self.hostLimit, tokens[host] == nil { tokens = [:] }
            let left = max(0, (tokens[host] ?? most) - Self.costOfFailure)
            tokens[host] = left
            return left > most / 2
        }
    }

    func answered(by host: String) {
        tokens.withLock { tokens in
            guard let left = tokens[host] else { return }
            tokens[host] = left + Self.worthOfAnswer < most ? left + Self.worthOfAnswer : nil
        }
    }
}

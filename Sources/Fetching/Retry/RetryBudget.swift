internal import SpyglassThreads

/// Which hosts are worth another try: one that fails everybody is not asked twice for each picture.
///
/// The throttling of gRPC's retries (gRFC A6): a host begins with 10 tokens, a failure takes one, a good answer gives a tenth
/// back, and above half of the tokens fetches are made again. So after five failures in a row each fetch is tried once,
/// until a few dozen were answered well. Where many repetitions are wanted, tokens are enough for two fetches.
final class RetryBudget: Sendable {
    /// All counts are in tenths of a token, the share that a good answer gives back.
    private static let least = 100
    private static let costOfFailure = 10
    private static let worthOfAnswer = 1
    /// Hosts that are remembered; beyond that all are forgiven.
    private static let hostLimit = 256

    /// What a host begins with.
    private let most: Int
    /// What hosts have that do not have all.
    private let tokens = Mutex<[String: Int]>([:])

    init(retries: Int) { most = max(Self.least, 4 * (retries + 1) * Self.costOfFailure) }

    /// Takes note of a failure; whether the host is worth another try.
    func mayRepeat(afterFailureOf host: String) -> Bool {
        tokens.withLock { tokens in
            if tokens.count >= Self.hostLimit, tokens[host] == nil { tokens = [:] }
            let left = max(0, (tokens[host] ?? most) - Self.costOfFailure)
            tokens[host] = left
            return left > most / 2
        }
    }

    /// Takes note of a good answer.
    func answered(by host: String) {
        tokens.withLock { tokens in
            guard let left = tokens[host] else { return }
            tokens[host] = left + Self.worthOfAnswer < most ? left + Self.worthOfAnswer : nil
        }
    }
}

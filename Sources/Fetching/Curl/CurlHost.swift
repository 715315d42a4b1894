/// One host, by authority: how many transfers it has, and how many it is given.
final class CurlHost: Hashable {
    let name: String
    var transfers = 0
    var allowance: HostConcurrencyLimit
    /// Whether its last answer came over HTTP/2.
    var speaksHTTP2 = false
    /// When it last answered.
    private var lastAnswer: Duration?
    /// Until when it is taken to be silent still.
    private var silentUntil: Duration?
    /// Fetches that wait for it or are under way.
    fileprivate(set) var users = 0

    /// How long a silent host is taken to be silent still: a list of pictures tries it twice a minute.
    private static let silenceMemory = Duration.seconds(30)
    /// A failure that takes no longer holds nobody up.
    private static let slowFailure = Duration.seconds(1)
    /// A pause of its own wish that is waited for even where there is something older to show.
    private static let shortPause = HostConcurrencyLimit.shortestPause

    fileprivate init(_ name: String, allowance: HostConcurrencyLimit) {
        self.name = name
        self.allowance = allowance
    }

    /// The head of an answer came.
    func answered(at now: Duration) {
        lastAnswer = now
        silentUntil = nil
    }

    /// A transfer that began at `start` failed without an answer; whether that took long and no other one has heard of the
    /// host since.
    func failed(since start: Duration, at now: Duration) -> Bool {
        guard now - start >= Self.slowFailure, lastAnswer.map({ $0 < start }) ?? true else { return false }
        silentUntil = now + Self.silenceMemory
        return true
    }

    /// Why nobody should wait for it who has something older to show; `nil` when there is no reason.
    func silence(at now: Duration) -> String? {
        if let silentUntil, silentUntil > now { return "the server has just not answered" }
        guard let end = allowance.pausedUntil, end > now + Self.shortPause else { return nil }
        return "the server asks for a pause"
    }

    static func == (left: CurlHost, right: CurlHost) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The hosts that fetches go to, and what was learned of those they went to.
struct CurlHosts {
    /// How many are remembered that nobody uses: a program may ask thousands of hosts, one picture each.
    static let memoryLimit = 256

    private var hosts: [String: CurlHost] = [:]
    private let maximum: Int
    /// How many hosts there may be before some are forgotten.
    private var sweepCount = 2 * CurlHosts.memoryLimit

    /// No host yet; each is given `maximum` transfers at first.
    init(maximum: Int) { self.maximum = maximum }

    /// The host of that name, which one fetch more uses from now on.
    mutating func enter(_ name: String) -> CurlHost {
        let host = hosts[name] ?? CurlHost(name, allowance: HostConcurrencyLimit(maximum: maximum))
        hosts[name] = host
        host.users += 1
        if hosts.count > sweepCount { forgetSome() }
        return host
    }

    /// One fetch less uses a host.
    func leave(_ host: CurlHost) { host.users -= 1 }

    /// Those that rest until some moment.
    var paused: [CurlHost] { hosts.values.filter { $0.allowance.pausedUntil != nil } }

    private mutating func forgetSome() {
        var surplus = hosts.count - Self.memoryLimit
        // Whoever refused is forgotten last.
        for isFull in [true, false] {
            for (name, host) in hosts where surplus > 0 && host.users == 0 {
                guard !isFull || host.allowance.isWhole else { continue }
                hosts[name] = nil
                surplus -= 1
            }
        }
        sweepCount = 2 * max(Self.memoryLimit, hosts.count)
    }
}

/// One host, by authority: how many transfers it has, and how many it is given.
final class CurlHost: Hashable {
    let name: String
    var transfers = 0
    var allowance: HostAllowance
    /// Whether its last answer came over HTTP/2.
    var speaksHTTP2 = false
    /// Fetches that wait for it or are under way.
    fileprivate(set) var users = 0

    fileprivate init(_ name: String, allowance: HostAllowance) {
        self.name = name
        self.allowance = allowance
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
        let host = hosts[name] ?? CurlHost(name, allowance: HostAllowance(maximum: maximum))
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

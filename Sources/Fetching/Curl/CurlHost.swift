final class CurlHost: Hashable {
    let name: String
    /// By its spelling.
    let isInPrivateNetwork: Bool
    @exclusivity(unchecked) var transfers = 0
    @exclusivity(unchecked) var concurrencyLimit: HostConcurrencyLimit
    var usesHTTP2 = false
    private var lastAnswer: Duration?
    private var silentUntil: Duration?
    /// Queued and running fetches.
    fileprivate(set) var users = 0

    /// A list of images tries a silent host twice a minute.
    private static let silenceMemory = Duration.seconds(30)
    /// Faster failures delay no other fetch.
    private static let slowFailure = Duration.seconds(1)
    /// A shorter delay is waited for even if a stale response exists.
    private static let shortPause = HostConcurrencyLimit.shortestPause

    fileprivate init(_ name: String, of address: WebAddress, concurrencyLimit: HostConcurrencyLimit) {
        self.name = name
        isInPrivateNetwork = address.isInPrivateNetwork
        self.concurrencyLimit = concurrencyLimit
    }

    func answered(at now: Duration) {
        lastAnswer = now
        silentUntil = nil
    }

    /// Records a failure without a response; returns whether it was slow and no other transfer got a response since.
    func failed(since start: Duration, at now: Duration) -> Bool {
        guard now - start >= Self.slowFailure, lastAnswer.map({ $0 < start }) ?? true else { return false }
        silentUntil = now + Self.silenceMemory
        return true
    }

    /// Why a fetch with a fallback should not wait for the host.
    func silence(at now: Duration) -> String? {
        if let silentUntil, silentUntil > now { return "server did not respond recently" }
        guard let end = concurrencyLimit.pausedUntil, end > now + Self.shortPause else { return nil }
        return "server requested a delay"
    }

    static func == (left: CurlHost, right: CurlHost) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

struct CurlHosts {
    /// Unused hosts that are remembered; a program may use thousands.
    static let memoryLimit = 256

    private var hosts: [String: CurlHost] = [:]
    /// Usually that of the next address, too.
    private var last: CurlHost?
    private let maximum: Int
    private var sweepCount = 2 * CurlHosts.memoryLimit

    init(maximum: Int) { self.maximum = maximum }

    mutating func enter(_ address: WebAddress) -> CurlHost {
        let host = last.flatMap { address.hasAuthority($0.name) ? $0 : nil } ?? host(of: address)
        host.users += 1
        last = host
        return host
    }

    private mutating func host(of address: WebAddress) -> CurlHost {
        let name = address.authority
        if let host = hosts[name] { return host }
        if hosts.count >= sweepCount { forgetSome() }
        let host = CurlHost(name, of: address, concurrencyLimit: HostConcurrencyLimit(maximum: maximum))
        hosts[name] = host
        return host
    }

    func leave(_ host: CurlHost) { host.users -= 1 }

    var paused: [CurlHost] { hosts.values.filter { $0.concurrencyLimit.pausedUntil != nil } }

    private mutating func forgetSome() {
        var surplus = hosts.count - Self.memoryLimit
        // Hosts with a reduced limit are dropped last.
        for isUnreduced in [true, false] {
            for (name, host) in hosts where surplus > 0 && host.users == 0 {
                guard !isUnreduced || host.concurrencyLimit.isUnreduced else { continue }
                hosts[name] = nil
                surplus -= 1
            }
        }
        sweepCount = 2 * max(Self.memoryLimit, hosts.count)
    }
}

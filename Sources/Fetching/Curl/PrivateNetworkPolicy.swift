internal import Glibc

/// Whether one fetch may connect to a private network; `CurlTransport` has the rule.
struct PrivateNetworkPolicy {
    let trust: AddressTrust
    let proxies: ProxyEnvironment
    private(set) var startedInPrivateNetwork = false
    private var isFirstHop = true

    init(trust: AddressTrust, proxies: ProxyEnvironment) {
        self.trust = trust
        self.proxies = proxies
    }

    var mayEnterPrivateNetworks: Bool { trust == .user && (isFirstHop || startedInPrivateNetwork) }
    var allowsEverything: Bool { trust == .user && startedInPrivateNetwork }

    mutating func redirected() { isFirstHop = false }

    /// Whether the spelling of an address is allowed, before name resolution.
    mutating func allows(_ address: WebAddress) -> Bool { allows(isInPrivateNetwork: address.isInPrivateNetwork) }

    mutating func allows(isInPrivateNetwork: Bool) -> Bool {
        guard isInPrivateNetwork else { return true }
        guard mayEnterPrivateNetworks else { return false }
        startedInPrivateNetwork = true
        return true
    }

    /// Whether a request may use a connection to `remote` (`nil`: of unknown kind); proxies are usually in private networks.
    func allowsConnection(to remote: IPAddress?, port: Int, for address: WebAddress) -> Bool {
        if mayEnterPrivateNetworks || remote?.isPublic == true { return true }
        return proxies.proxy(for: address)?.mayBe(at: remote, port: port) ?? false
    }

    mutating func connected(to remote: IPAddress?, for address: WebAddress) {
        guard isFirstHop, proxies.proxy(for: address) == nil, remote?.isPublic != true else { return }
        startedInPrivateNetwork = true
    }
}

/// The proxies of the environment, as libcurl reads them (libcurl-env(3)).
struct ProxyEnvironment: Sendable {
    struct Proxy: Sendable {
        let port: Int
        /// `nil` for a name, which only libcurl resolves.
        let address: IPAddress?

        func mayBe(at remote: IPAddress?, port: Int) -> Bool {
            port == self.port && (address == nil || address == remote)
        }
    }

    private let proxies: [String: Proxy]
    /// Lower case, without a leading dot; `*` is all hosts.
    private let excluded: [String]

    init(_ variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
        func first(_ names: String...) -> String? { names.lazy.compactMap(variable).first { !$0.isEmpty } }
        let every = first("all_proxy", "ALL_PROXY")
        // CGI sets HTTP_PROXY from a header field, so it is ignored.
        proxies = ["http": first("http_proxy") ?? every, "https": first("https_proxy", "HTTPS_PROXY") ?? every]
            .compactMapValues { $0.map(Proxy.init) }
        excluded = (first("no_proxy", "NO_PROXY") ?? "").lowercased().split { ", \t".contains($0) }.map { name in
            String(name.hasPrefix(".") ? name.dropFirst() : name)
        }
    }

    var isEmpty: Bool { proxies.isEmpty }

    func proxy(for address: WebAddress) -> Proxy? {
        var host = address.host[...]
        if host.hasPrefix("[") { host = host.dropFirst().dropLast() }
        if host.hasSuffix(".") { host = host.dropLast() }
        let isExcluded = excluded.contains { $0 == "*" || host == $0 || host.hasSuffix(".\($0)") }
        return isExcluded ? nil : proxies[address.scheme]
    }
}

extension ProxyEnvironment.Proxy {
    /// Reads `[scheme://][user:password@]host[:port]`, with libcurl's default ports.
    fileprivate init(_ text: String) {
        let authority = (text.byteRange(of: "://").map { text[$0.upperBound...] } ?? text[...]).prefix { $0 != "/" }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let host = place.hasPrefix("[") ? place.prefix { $0 != "]" } + "]" : place.prefix { $0 != ":" }
        port = Int(place.dropFirst(host.count + 1)) ?? (text.hasPrefix("https://") ? 443 : 1080)
        address = IPAddress(literal: String(host))
    }
}

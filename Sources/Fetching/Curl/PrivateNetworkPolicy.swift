internal import Glibc

/// Whether one fetch may connect into a private network: see `CurlTransport` for the rule in words.
struct PrivateNetworkPolicy {
    let trust: AddressTrust
    let proxies: ProxyEnvironment
    /// Whether the first address of the fetch stands in a private network itself.
    private(set) var startedInPrivateNetwork = false
    private var isFirstHop = true

    init(trust: AddressTrust, proxies: ProxyEnvironment) {
        self.trust = trust
        self.proxies = proxies
    }

    var mayEnterPrivateNetworks: Bool { trust == .user && (isFirstHop || startedInPrivateNetwork) }

    /// Whether it changes nothing where a connection leads.
    var allowsEverything: Bool { trust == .user && startedInPrivateNetwork }

    /// The fetch goes on to another address.
    mutating func redirected() { isFirstHop = false }

    /// Whether the spelling of an address is allowed, before anything is looked up.
    mutating func allows(_ address: WebAddress) -> Bool {
        guard address.isInPrivateNetwork else { return true }
        guard mayEnterPrivateNetworks else { return false }
        startedInPrivateNetwork = true
        return true
    }

    /// Whether a connection to `remote` is allowed for a request to `address`; a `remote` of `nil` is of an unknown kind.
    ///
    /// A proxy usually stands in a private network and looks names up itself, so a connection that can be the one to it is
    /// let through.
    func allowsConnection(to remote: IPAddress?, port: Int, for address: WebAddress) -> Bool {
        if mayEnterPrivateNetworks || remote?.isPublic == true { return true }
        return proxies.proxy(for: address)?.mayBe(at: remote, port: port) ?? false
    }

    /// A request to `address` is about to go out to `remote`.
    mutating func connected(to remote: IPAddress?, for address: WebAddress) {
        guard isFirstHop, proxies.proxy(for: address) == nil, remote?.isPublic != true else { return }
        startedInPrivateNetwork = true
    }
}

/// The proxies that the environment names, and for whom, as libcurl reads them (`libcurl-env`).
struct ProxyEnvironment: Sendable {
    /// Where a proxy is.
    struct Proxy: Sendable {
        let port: Int
        /// The address, when it is not a name that only libcurl looks up.
        let address: IPAddress?

        /// Whether a connection can be the one to this proxy.
        func mayBe(at remote: IPAddress?, port: Int) -> Bool {
            port == self.port && (address == nil || address == remote)
        }
    }

    private let proxies: [String: Proxy]
    /// Hosts without a proxy: lower case, without the dot in front; a star is all.
    private let excluded: [String]

    /// Reads `variable`, by default the process's environment.
    init(_ variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
        func first(_ names: String...) -> String? { names.lazy.compactMap(variable).first { !$0.isEmpty } }
        let every = first("all_proxy", "ALL_PROXY")
        // HTTP_PROXY in capitals is a header of CGI and never read.
        proxies = ["http": first("http_proxy") ?? every, "https": first("https_proxy", "HTTPS_PROXY") ?? every]
            .compactMapValues { $0.map(Proxy.init) }
        excluded = (first("no_proxy", "NO_PROXY") ?? "").lowercased().split { ", \t".contains($0) }.map { name in
            String(name.hasPrefix(".") ? name.dropFirst() : name)
        }
    }

    /// The proxy that is asked for an address, or `nil` without one.
    func proxy(for address: WebAddress) -> Proxy? {
        var host = address.host[...]
        if host.hasPrefix("[") { host = host.dropFirst().dropLast() }
        if host.hasSuffix(".") { host = host.dropLast() }
        let isExcluded = excluded.contains { $0 == "*" || host == $0 || host.hasSuffix(".\($0)") }
        return isExcluded ? nil : proxies[address.scheme]
    }
}

extension ProxyEnvironment.Proxy {
    /// Reads `[scheme://][user:password@]host[:port]`; without a port it is the one that libcurl assumes.
    fileprivate init(_ text: String) {
        let authority = (text.place(of: "://").map { text[$0.upperBound...] } ?? text[...]).prefix { $0 != "/" }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let host = place.hasPrefix("[") ? place.prefix { $0 != "]" } + "]" : place.prefix { $0 != ":" }
        port = Int(place.dropFirst(host.count + 1)) ?? (text.hasPrefix("https://") ? 443 : 1080)
        address = IPAddress(literal: String(host))
    }
}

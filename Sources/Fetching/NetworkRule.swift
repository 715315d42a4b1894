internal import Glibc

/// Whether one fetch may connect into a private network: see `CurlTransport` for the rule in words.
struct NetworkRule {
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

    /// The fetch goes on to another address.
    mutating func redirected() { isFirstHop = false }

    /// Whether the spelling of an address is allowed, before anything is looked up.
    mutating func allows(_ address: WebAddress) -> Bool {
        guard address.isInPrivateNetwork else { return true }
        guard mayEnterPrivateNetworks else { return false }
        startedInPrivateNetwork = true
        return true
    }

    /// Whether a connection to `remote` is allowed for a request to `scheme`; `nil` is an address of an unknown kind.
    ///
    /// A proxy usually stands in a private network and looks names up itself, so its port is let through.
    func allowsConnection(to remote: IPAddress?, port: Int, scheme: String) -> Bool {
        mayEnterPrivateNetworks || remote?.isPublic == true || proxies.port(for: scheme) == port
    }

    /// A request is about to go out to `remote`.
    mutating func connected(to remote: IPAddress?, scheme: String) {
        guard isFirstHop, proxies.port(for: scheme) == nil, remote?.isPublic != true else { return }
        startedInPrivateNetwork = true
    }
}

/// The proxies that the environment names, as libcurl reads them (`libcurl-env`).
struct ProxyEnvironment: Sendable {
    private let ports: [String: Int]

    /// Reads `variable`, by default the process's environment.
    init(_ variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
        func port(_ names: String...) -> Int? {
            names.lazy.compactMap(variable).first { !$0.isEmpty }.map(Self.port)
        }
        let every = port("all_proxy", "ALL_PROXY")
        // HTTP_PROXY in capitals is a header of CGI and never read.
        ports = ["http": port("http_proxy") ?? every, "https": port("https_proxy", "HTTPS_PROXY") ?? every]
            .compactMapValues { $0 }
    }

    /// The port of the proxy for that scheme, or `nil` without one.
    func port(for scheme: String) -> Int? { ports[scheme] }

    /// The port that a proxy's address names, or the one that libcurl assumes.
    private static func port(of proxy: String) -> Int {
        let authority = proxy.firstRange(of: "://").map { proxy[$0.upperBound...] } ?? proxy[...]
        let digits = authority.prefix { $0 != "/" }.split(separator: ":").last.flatMap { Int($0) }
        return digits ?? (proxy.hasPrefix("https://") ? 443 : 1080)
    }
}

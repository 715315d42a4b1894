internal import Glibc

/// Whether one fetch may connect to a private network; `CurlTransport` has the rule.
struct PrivateNetworkPolicy {
    let trust: NetworkReach
    let proxies: ProxyEnvironment
    private(set) var startedInPrivateNetwork = false
    private var isFirstHop = true

    init(trust: NetworkReach, proxies: ProxyEnvironment) {
        self.trust = trust
        self.proxies = proxies
    }

    var mayEnterPrivateNetworks: Bool { trust == .any && (isFirstHop || startedInPrivateNetwork) }

    mutating func redirected() { isFirstHop = false }

    /// Whether the spelling of an address is allowed, before name resolution.
    mutating func allows(_ address: WebAddress) -> Bool {
        guard address.isInPrivateNetwork else { return true }
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

enum IPAddress: Equatable {
    case v4(UInt32)
    /// The upper and the lower half.
    case v6(UInt64, UInt64)

    /// Reads IPv6 with or without brackets, and IPv4 in every spelling of `inet_aton` (`127.1`, `0x7f000001`), as resolvers do.
    init?(literal host: String) {
        let text = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        var six = in6_addr()
        if inet_pton(AF_INET6, text, &six) == 1 {
            self = withUnsafeBytes(of: &six) { Self(v6: $0) }
            return
        }
        var four = in_addr()
        guard !host.hasPrefix("["), inet_aton(text, &four) != 0 else { return nil }
        self = .v4(UInt32(bigEndian: four.s_addr))
    }

    private init(v6 bytes: UnsafeRawBufferPointer) {
        self = .v6(
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    /// Reads a `sockaddr_in` or `sockaddr_in6` with its port.
    static func read(socketAddress bytes: UnsafeRawBufferPointer) -> (IPAddress, port: UInt16)? {
        guard bytes.count >= MemoryLayout<sockaddr_in>.size else { return nil }
        let family = bytes.loadUnaligned(as: sa_family_t.self)
        let port = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        switch Int32(family) {
        case AF_INET: return (.v4(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))), port)
        case AF_INET6:
            guard bytes.count >= MemoryLayout<sockaddr_in6>.size else { return nil }
            return (Self(v6: UnsafeRawBufferPointer(rebasing: bytes[8..<24])), port)
        default: return nil
        }
    }

    /// Whether IANA's registries list it as globally reachable; unknown addresses are private, and of IPv6 all but `2000::/3`.
    var isPublic: Bool {
        switch self {
        case .v4(let bits):
            return !Self.specialBlocks.contains { bits >> (32 - $0.length) == $0.prefix >> (32 - $0.length) }
        case .v6(let high, let low):
            let embedded = IPAddress.v4(UInt32(truncatingIfNeeded: low))
            if high == 0x0064_ff9b_0000_0000, low >> 32 == 0 { return embedded.isPublic }  // NAT64, RFC 6052
            if high == 0, low >> 32 == 0xffff { return embedded.isPublic }  // mapped IPv4, RFC 4291
            if high >> 48 == 0x2002 { return IPAddress.v4(UInt32(truncatingIfNeeded: high >> 16)).isPublic }  // 6to4
            if high >> 44 == 0x3fff0 { return false }  // RFC 9637
            if high >> 32 == 0x2001_0db8 || high >> 41 == 0x2001_0000 >> 9 { return false }  // RFC 3849, RFC 2928
            return high >> 61 == 1
        }
    }

    /// IANA's IPv4 Special-Purpose Address Registry, multicast and everything above.
    private static let specialBlocks: [(prefix: UInt32, length: UInt32)] = [
        (0x0000_0000, 8), (0x0a00_0000, 8), (0x6440_0000, 10), (0x7f00_0000, 8), (0xa9fe_0000, 16), (0xac10_0000, 12),
        (0xc000_0000, 24), (0xc000_0200, 24), (0xc058_6300, 24), (0xc0a8_0000, 16), (0xc612_0000, 15),
        (0xc633_6400, 24), (0xcb00_7100, 24), (0xe000_0000, 3),
    ]
}

extension WebAddress {
    /// By the spelling of the host only; `CurlTransport` checks the addresses that names resolve to.
    var isInPrivateNetwork: Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        return IPAddress(literal: name).map { !$0.isPublic } ?? false
    }
}

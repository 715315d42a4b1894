import Testing

@testable import SpyglassFetching

@Suite("PrivateNetworkPolicy", .timeLimit(.minutes(10)))
struct PrivateNetworkPolicyTests {
    private let direct = ProxyEnvironment { _ in nil }
    private let inside = IPAddress(literal: "10.0.0.1")
    private let outside = IPAddress(literal: "8.8.8.8")

    private let plain: WebAddress
    private let secure: WebAddress

    init() throws {
        plain = try WebAddress(validating: "http://a.example/")
        secure = try WebAddress(validating: "https://a.example/")
    }

    private func allowed(_ addresses: [String], by rule: inout PrivateNetworkPolicy) throws -> [Bool] {
        try addresses.map { rule.allows(try WebAddress(validating: $0)) }
    }

    @Test("A public service's address never leads into a private network")
    func publicService() throws {
        var rule = PrivateNetworkPolicy(trust: .publicAddresses, proxies: direct)
        #expect(try allowed(["http://192.168.0.1/", "http://a.example/"], by: &rule) == [false, true])
        // An unknown kind of address counts as private.
        let connections = [inside, nil, outside].map { rule.allowsConnection(to: $0, port: 80, for: plain) }
        #expect(connections == [false, false, true])
    }

    @Test("The user's address leads anywhere, but not from public to private")
    func publicStart() throws {
        var rule = PrivateNetworkPolicy(trust: .any, proxies: direct)
        #expect(rule.allows(plain) && rule.allowsConnection(to: outside, port: 80, for: plain))
        rule.connected(to: outside, for: plain)
        rule.redirected()
        #expect(try allowed(["http://localhost/"], by: &rule) == [false])
        let connections = [inside, outside].map { rule.allowsConnection(to: $0, port: 80, for: plain) }
        #expect(connections == [false, true])
    }

    @Test("A fetch that starts in a private network may stay in one")
    func privateStart() throws {
        var spelled = PrivateNetworkPolicy(trust: .any, proxies: direct)
        #expect(try allowed(["http://127.0.0.1/"], by: &spelled) == [true])
        spelled.redirected()
        #expect(try allowed(["http://127.0.0.1:8080/"], by: &spelled) == [true])

        var resolved = PrivateNetworkPolicy(trust: .any, proxies: direct)
        #expect(try allowed(["http://mirror.example/"], by: &resolved) == [true])
        resolved.connected(to: inside, for: plain)
        resolved.redirected()
        #expect(resolved.allowsConnection(to: inside, port: 80, for: plain))
    }

    @Test("A proxy in a private network is allowed, and proves nothing")
    func proxy() throws {
        let proxies = ProxyEnvironment { $0 == "https_proxy" ? "http://me:word@10.0.0.1:3128/" : nil }
        var rule = PrivateNetworkPolicy(trust: .publicAddresses, proxies: proxies)
        let connections = [(3128, secure), (22, secure), (3128, plain)].map { port, address in
            rule.allowsConnection(to: inside, port: port, for: address)
        }
        #expect(connections == [true, false, false])
        #expect(try allowed(["https://10.0.0.7/"], by: &rule) == [false])

        var own = PrivateNetworkPolicy(trust: .any, proxies: proxies)
        own.connected(to: inside, for: secure)
        own.redirected()
        #expect(try allowed(["https://10.0.0.7/"], by: &own) == [false])
    }

    @Test(
        "Proxies are found where libcurl looks for them",
        arguments: [
            (["http_proxy": "p:8080"], 8080, nil), (["HTTP_PROXY": "p:8080"], nil, nil),
            (["HTTPS_PROXY": "p"], nil, 1080),
            (["all_proxy": "socks5://[::1]:9050"], 9050, 9050),
            (["https_proxy": "", "ALL_PROXY": "https://p"], 443, 443), ([:], nil, nil),
        ] as [([String: String], Int?, Int?)])
    func environment(variables: [String: String], http: Int?, https: Int?) {
        let proxies = ProxyEnvironment { variables[$0] }
        #expect([plain, secure].map { proxies.proxy(for: $0)?.port } == [http, https])
    }

    @Test("A proxy's port is allowed only at its address")
    func proxyAddress() {
        let spelled = PrivateNetworkPolicy(
            trust: .publicAddresses, proxies: ProxyEnvironment { $0 == "all_proxy" ? "socks5://me:w@[::1]:80" : nil })
        let connections = [IPAddress(literal: "::1"), inside].map {
            spelled.allowsConnection(to: $0, port: 80, for: plain)
        }
        #expect(connections == [true, false])
        let named = PrivateNetworkPolicy(
            trust: .publicAddresses, proxies: ProxyEnvironment { $0 == "all_proxy" ? "proxy.example:80" : nil })
        #expect(named.allowsConnection(to: inside, port: 80, for: plain))
    }

    @Test(
        "Hosts in no_proxy are checked as without a proxy",
        arguments: ["*", "a.example", "b, .example", "EXAMPLE"])
    func noProxy(names: String) throws {
        let variables = ["http_proxy": "p:80", "no_proxy": names]
        var rule = PrivateNetworkPolicy(trust: .any, proxies: ProxyEnvironment { variables[$0] })
        rule.connected(to: inside, for: plain)
        #expect(rule.startedInPrivateNetwork)
        let named = PrivateNetworkPolicy(trust: .publicAddresses, proxies: ProxyEnvironment { variables[$0] })
        let connections = try [plain, #require(WebAddress("http://notaexample.org/"))].map {
            named.allowsConnection(to: inside, port: 80, for: $0)
        }
        #expect(connections == [false, names != "*"])
    }

    @Test("Certificate authorities are found where the curl tool looks for them")
    func authorities() {
        let both = CertificateEnvironment { ["CURL_CA_BUNDLE": "a", "SSL_CERT_FILE": "b", "SSL_CERT_DIR": "c"][$0] }
        let file = CertificateEnvironment { ["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": "b"][$0] }
        #expect([both.file, both.folder, file.file, file.folder] == ["a", "c", "b", nil])
    }
}

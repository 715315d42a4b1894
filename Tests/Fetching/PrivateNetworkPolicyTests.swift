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
        plain = try #require(WebAddress("http://a.example/"))
        secure = try #require(WebAddress("https://a.example/"))
    }

    private func address(_ text: String) throws -> WebAddress { try #require(WebAddress(text)) }

    @Test("A public service's address never leads into a private network")
    func publicService() throws {
        var rule = PrivateNetworkPolicy(trust: .publicAddresses, proxies: direct)
        #expect(!rule.allows(try address("http://192.168.0.1/")))
        #expect(rule.allows(try address("http://a.example/")))
        #expect(!rule.allowsConnection(to: inside, port: 80, for: plain))
        #expect(
            !rule.allowsConnection(to: nil, port: 80, for: plain), "an unknown kind of address counts as private")
        #expect(rule.allowsConnection(to: outside, port: 80, for: plain))
    }

    @Test("The user's address leads anywhere, but not from public to private")
    func publicStart() throws {
        var rule = PrivateNetworkPolicy(trust: .any, proxies: direct)
        #expect(rule.allows(try address("http://a.example/")))
        #expect(rule.allowsConnection(to: outside, port: 80, for: plain))
        rule.connected(to: outside, for: plain)
        rule.redirected()
        #expect(!rule.allows(try address("http://localhost/")))
        #expect(!rule.allowsConnection(to: inside, port: 80, for: plain))
        #expect(rule.allowsConnection(to: outside, port: 80, for: plain))
    }

    @Test("A fetch that starts in a private network may stay in one")
    func privateStart() throws {
        var spelled = PrivateNetworkPolicy(trust: .any, proxies: direct)
        #expect(spelled.allows(try address("http://127.0.0.1/")))
        spelled.redirected()
        #expect(spelled.allows(try address("http://127.0.0.1:8080/")))

        var resolved = PrivateNetworkPolicy(trust: .any, proxies: direct)
        #expect(resolved.allows(try address("http://mirror.example/")))
        resolved.connected(to: inside, for: plain)
        resolved.redirected()
        #expect(resolved.allowsConnection(to: inside, port: 80, for: plain))
    }

    @Test("A proxy in a private network is allowed, and proves nothing")
    func proxy() throws {
        let proxies = ProxyEnvironment { $0 == "https_proxy" ? "http://me:word@10.0.0.1:3128/" : nil }
        var rule = PrivateNetworkPolicy(trust: .publicAddresses, proxies: proxies)
        #expect(rule.allowsConnection(to: inside, port: 3128, for: secure))
        #expect(!rule.allowsConnection(to: inside, port: 22, for: secure))
        #expect(!rule.allowsConnection(to: inside, port: 3128, for: plain))
        #expect(!rule.allows(try address("https://10.0.0.7/")))

        var own = PrivateNetworkPolicy(trust: .any, proxies: proxies)
        own.connected(to: inside, for: secure)
        own.redirected()
        #expect(!own.allows(try address("https://10.0.0.7/")))
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
        #expect(proxies.proxy(for: plain)?.port == http)
        #expect(proxies.proxy(for: secure)?.port == https)
    }

    @Test("A proxy's port is allowed only at its address")
    func proxyAddress() {
        let spelled = PrivateNetworkPolicy(
            trust: .publicAddresses, proxies: ProxyEnvironment { $0 == "all_proxy" ? "socks5://me:w@[::1]:80" : nil })
        #expect(spelled.allowsConnection(to: IPAddress(literal: "::1"), port: 80, for: plain))
        #expect(!spelled.allowsConnection(to: inside, port: 80, for: plain))
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
        #expect(!named.allowsConnection(to: inside, port: 80, for: plain))
        let other = try address("http://notaexample.org/")
        #expect(named.allowsConnection(to: inside, port: 80, for: other) == (names != "*"))
    }

    @Test("Certificate authorities are found where the curl tool looks for them")
    func authorities() {
        let both = CertificateEnvironment { ["CURL_CA_BUNDLE": "a", "SSL_CERT_FILE": "b", "SSL_CERT_DIR": "c"][$0] }
        #expect([both.file, both.folder] == ["a", "c"])
        let file = CertificateEnvironment { ["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": "b"][$0] }
        #expect([file.file, file.folder] == ["b", nil])
    }
}

import SpyglassTestSupport
import Testing

@testable import SpyglassFetching

@Suite("CurlTransport: redirects and private networks", .timeLimit(.minutes(10)))
struct CurlRedirectTests {
    @Test("Five redirects are followed and reported")
    func five() async throws {
        // `/n` redirects to `/n-1`, and `/0` responds.
        let server = try LoopbackServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return number == 0 ? .init(text: "there") : .redirect(to: "\(number - 1)", 301 + (number & 1))
        }
        let response = try await CurlTransport().get(server.address("/5"))
        #expect(response.text == "there" && response.address == server.address("/0"))
        #expect(response.redirects.map(\.address) == (1...5).reversed().map { server.address("/\($0)") })
        #expect(
            response.redirects.first?.headers["Location"] == "4"
                && response.redirects.map(\.status) == [302, 301, 302, 301, 302])
    }

    @Test("A key in a header field does not follow a redirect to another server")
    func keys() async throws {
        let other = try LoopbackServer {
            .init(text: "\($0.headers["X-Api-Key"] ?? "none") \($0.headers["X-Part"] ?? "")")
        }
        let target = other.address("/").text
        let server = try LoopbackServer { request in
            request.path == "/"
                ? .redirect(to: "/near")
                : request.path == "/far"
                    ? .redirect(to: target)
                    : .init(text: request.headers["X-Api-Key"] ?? "none")
        }
        let headers = HeaderFields([.init(name: "X-Api-Key", value: "s3cret"), .init(name: "X-Part", value: "1")])
        let near = try await CurlTransport().fetch(FetchRequest(server.address("/"), headers: headers))
        let far = try await CurlTransport().fetch(FetchRequest(server.address("/far"), headers: headers))
        #expect(near.text == "s3cret")
        #expect(far.text == "none 1")
    }

    @Test("A request with a key is redirected to its own server only, and no response repeats the key")
    func secrets() async throws {
        let other = try LoopbackServer { .init(text: $0.target) }
        let target = other.address("/?api_key=s3cretive").text
        let server = try LoopbackServer { request in
            switch request.target {
            case "/far?api_key=s3cretive": .redirect(to: target)
            case "/near?api_key=s3cretive": .redirect(to: "/end?api_key=s3cretive")
            default: .init(text: "at \(request.target)")
            }
        }
        func request(_ path: String) -> FetchRequest {
            var request = FetchRequest(server.address("\(path)?api_key=s3cretive"))
            request.secret = "s3cretive"
            return request
        }
        let near = try await CurlTransport().fetch(request("/near"))
        #expect(
            near.text == "at /end?api_key=*********"
                && near.redirects.first?.headers["Location"] == "/end?api_key=*********")
        let error = await failure { try await CurlTransport().fetch(request("/far")) }
        #expect(error?.kind == .disallowed && error?.description.contains("s3cretive") == false)
        #expect(other.requests.isEmpty)
    }

    @Test("The body of a redirect is dropped, however large, without waiting for its end")
    func endlessBody() async throws {
        let chunk = Array("4\r\nxxxx\r\n".utf8)
        let head = LoopbackServer.Reply.head(302, headers: [("Location", "/end"), ("Transfer-Encoding", "chunked")])
        let server = try LoopbackServer {
            $0.path == "/end" ? .init(text: "there") : .init(steps: [.send(head), .flood(chunk)])
        }
        let response = try await CurlTransport().fetch(FetchRequest(server.address("/"), bodyLimit: 5))
        #expect(response.text == "there")
        await server.wait { $0.answering == 0 }
    }

    @Test("A redirect with a slow body is followed after 20 seconds")
    func drippingBody() async throws {
        let gate = Gate()
        let head = LoopbackServer.Reply.head(302, headers: [("Location", "/end"), ("Content-Length", "1000")])
        let server = try LoopbackServer {
            $0.path == "/end" ? .init(text: "there") : .init(steps: [.send(head), .wait(gate), .send([1]), .stall])
        }
        let clock = ManualClock()
        let (signs, continuation) = AsyncStream<Int>.makeStream()
        var settings = CurlSettings(time: ElapsedClock(clock))
        settings.onProgress = { continuation.yield($0) }
        let transport = CurlTransport(settings)
        let task = Task { try await transport.get(server.address("/")) }
        // The connection, and four header lines.
        var seen = signs.makeAsyncIterator()
        for _ in 0..<5 { _ = await seen.next() }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(19))
        gate.open()
        clock.advance(by: .seconds(1))
        #expect(try await task.value.text == "there")
    }

    @Test(
        "More than five redirects, circles and other schemes are disallowed",
        arguments: [
            ("/6", "more than 5 redirects", .redirects), ("/a", "redirect loop", nil),
            ("/?to=ftp://b.example/", "redirect blocked", nil), ("/?to=file:///etc/passwd", "redirect blocked", nil),
            ("/?to=http://me@b.example/", "redirect blocked", nil), ("/?to=gopher:x", "redirect blocked", nil),
        ] as [(String, String, FetchError.Limit?)])
    func disallowed(target: String, reason: String, limit: FetchError.Limit?) async throws {
        let server = try LoopbackServer { request in
            if let location = request.query("to") { return .redirect(to: location) }
            let number = Int(request.path.dropFirst())
            return .redirect(to: number.map { "\($0 - 1)" } ?? (request.path == "/a" ? "/b" : "/a"))
        }
        let error = await failure { try await CurlTransport().get(server.address(target)) }
        #expect(
            error?.kind == .disallowed && error?.exceededLimit == limit
                && error?.description.contains(reason) == true)
    }

    @Test("A redirect from https to http is disallowed")
    func downgrade() throws {
        let address = try WebAddress(validating: "https://a.example/x")
        let headers = HeaderFields([.init(name: "location", value: "http://a.example/x")])
        let error = #expect(throws: FetchError.self) {
            try RedirectPolicy.next(after: address, status: 301, headers: headers, hops: [])
        }
        #expect(error?.kind == .disallowed)
        let relative = HeaderFields([.init(name: "location", value: "//b.example/y")])
        let target = try RedirectPolicy.next(after: address, status: 308, headers: relative, hops: [])
        #expect(target?.description == "https://b.example/y")
    }

    @Test("A 3xx without a location is a response", arguments: [300, 301, 304])
    func noLocation(status: Int) async throws {
        let server = try LoopbackServer { _ in .init(status, text: status == 304 ? "" : "choose") }
        let response = try await CurlTransport().get(server.address("/"))
        #expect(response.status == status && response.redirects.isEmpty)
    }

    @Test(
        "A public service's loopback address is never connected to, nor a name for it",
        arguments: ["127.0.0.1", "localhost", "0x7f.1", "pictures.example"])
    func loopback(host: String) async throws {
        let server = try LoopbackServer { _ in .init() }
        let transport = CurlTransport(knowing("pictures.example", at: server))
        let address = try WebAddress(validating: "http://\(host):\(server.port)/")
        let error = await failure { try await transport.fetch(FetchRequest(address, trust: .publicAddresses)) }
        #expect(error?.kind == .disallowed && error?.description.contains("private network") == true)
        #expect(server.counts.connections == 0)
    }

    @Test("A response has a flag if it is from a private network")
    func isFromPrivateNetwork() async throws {
        let server = try LoopbackServer { _ in .init() }
        let transport = CurlTransport(knowing("mirror.example", at: server))
        for host in ["mirror.example", "127.0.0.1"] {
            let address = try WebAddress(validating: "http://\(host):\(server.port)/")
            let response = try await transport.get(address)
            #expect(response.isFromPrivateNetwork)
            #expect(NetworkReach.named(in: response) == .any)
        }
        let elsewhere = FetchResponse(address: server.address("/"), status: 200)
        #expect(NetworkReach.named(in: elsewhere) == .publicAddresses)
    }

    @Test("A public service's address does not reuse the user's connection")
    func keptConnection() async throws {
        let server = try LoopbackServer { _ in .init() }
        let transport = CurlTransport(knowing("pictures.example", at: server))
        let address = try WebAddress(validating: "http://pictures.example:\(server.port)/")
        try await transport.get(address)
        let error = await failure { try await transport.fetch(FetchRequest(address, trust: .publicAddresses)) }
        #expect(error?.kind == .disallowed)
        #expect(server.counts.requests == 1)
    }

    @Test("The user's own name for loopback may redirect to loopback")
    func ownMirror() async throws {
        let server = try LoopbackServer { request in
            request.path == "/0"
                ? .init(text: "ok") : .redirect(to: "http://127.0.0.1:\(request.query("port") ?? "")/0")
        }
        let transport = CurlTransport(knowing("mirror.example", at: server))
        let address = try WebAddress(validating: "http://mirror.example:\(server.port)/?port=\(server.port)")
        #expect(try await transport.get(address).status == 200)
    }

    private func knowing(_ name: String, at server: LoopbackServer) -> CurlSettings {
        var settings = CurlSettings(time: ElapsedClock(ContinuousClock()))
        settings.proxies = ProxyEnvironment { _ in nil }
        settings.knownHosts = ["\(name):\(server.port):127.0.0.1"]
        return settings
    }
}

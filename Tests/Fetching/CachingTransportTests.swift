import SpyglassCaching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

@Suite("CachingTransport", .timeLimit(.minutes(10)))
struct CachingTransportTests {
    private let store = MemoryStore()
    private let calendar = ManualCalendar(.start)
    private let log = CallRecorder<FetchEvent>()
    private static let fresh = [("Cache-Control", "max-age=300"), ("ETag", "\"1\"")]

    private func cache(
        _ base: ScriptedTransport, _ mode: CachingTransport.Mode = .normal
    ) -> CachingTransport {
        CachingTransport(base, store: store, mode: mode, now: calendar.clock, onEvent: log.record)
    }

    /// A cache that has got the first response of `base`.
    private func filled(_ base: ScriptedTransport) async throws -> CachingTransport {
        let cache = cache(base)
        try await cache.get(.moon)
        return cache
    }

    @Test("A fresh response is served without a request, also by a second cache")
    func hit() async throws {
        let base = ScriptedTransport(.text("moon", Self.fresh + [("Content-Type", "image/jpeg")]), .text("other"))
        let first = cache(base)
        let asked = try await first.get(.moon)
        #expect(
            asked.origin == .network && asked.freshness == .fresh
                && asked.lifetime == .init(freshUntil: WallTime.start.advanced(by: .seconds(300)), allowsStale: true))
        #expect(try await first.get(.moon).text == "moon")
        await first.flush()
        calendar.advance(by: .seconds(299))
        let hit = try await cache(base).get(.moon)
        #expect(
            hit.text == "moon" && hit.origin == .cache && hit.freshness == .fresh
                && hit.headers["content-type"] == "image/jpeg" && hit.lifetime == asked.lifetime)
        #expect(base.count == 1)
        #expect(store.keys == ["http://pictures.example/moon.jpg"])
    }

    @Test("A stale response is revalidated, and a 304 renews it")
    func revalidated() async throws {
        let headers = Self.fresh + [("Last-Modified", "Wed, 30 Sep 2026 00:00:00 GMT"), ("Age", "10"), ("X-Old", "1")]
        let renewed = [("Cache-Control", "max-age=600"), ("ETag", "\"1\""), ("X-New", "2"), ("Content-Length", "0")]
        let base = ScriptedTransport(.text("moon", headers), .text("", status: 304, renewed), .text("other"))
        let cache = try await filled(base)
        calendar.advance(by: .seconds(290))
        let response = try await cache.get(.moon)
        #expect(
            response.text == "moon" && response.status == 200 && response.origin == .cache
                && response.freshness == .revalidated)
        #expect(response.headers["X-New"] == "2" && response.headers["X-Old"] == "1")
        let sent = base.headers(1)
        #expect(sent["If-None-Match"] == "\"1\"" && sent["If-Modified-Since"] == "Wed, 30 Sep 2026 00:00:00 GMT")
        await cache.flush()
        calendar.advance(by: .seconds(599))
        #expect(try await self.cache(base).get(.moon).freshness == .fresh)
        #expect(base.count == 2)
    }

    @Test("A read-only cache serves stored responses and writes nothing")
    func reading() async throws {
        let filler = try await filled(ScriptedTransport(.text("moon", Self.fresh)))
        await filler.flush()
        let base = ScriptedTransport(
            .text("mars", Self.fresh), .text("", status: 304, [("Cache-Control", "max-age=600"), ("ETag", "\"1\"")]),
            .text("", status: 304, [("Cache-Control", "max-age=600"), ("ETag", "\"1\"")]))
        let reader = cache(base, .readOnly)
        #expect(try await reader.get(.moon).text == "moon")
        #expect(base.count == 0)
        #expect(try await reader.get(.mars).text == "mars")
        calendar.advance(by: .seconds(300))
        // It is revalidated each time: a read-only cache does not store the 304.
        for _ in 0..<2 { #expect(try await reader.get(.moon).freshness == .revalidated) }
        await reader.flush()
        #expect(store.keys == ["http://pictures.example/moon.jpg"])
        #expect(base.count == 3)
    }

    @Test("A new response replaces the stored one")
    func replaced() async throws {
        let base = ScriptedTransport(.text("moon", Self.fresh), .text("new moon", [("Cache-Control", "max-age=5")]))
        let cache = try await filled(base)
        calendar.advance(by: .seconds(300))
        for _ in 0..<2 { #expect(try await cache.get(.moon).text == "new moon") }
        #expect(base.count == 2)
    }

    @Test("revalidates, no-cache and a small max-age revalidate fresh responses")
    func wantsNewer() async throws {
        let base = ScriptedTransport(.text("moon", Self.fresh), .text("", status: 304))
        let cache = cache(base)
        var request = FetchRequest(.moon)
        _ = try await cache.fetch(request)
        request.revalidates = true
        #expect(try await cache.fetch(request).freshness == .revalidated)
        let noCache = FetchRequest(.moon, headers: HeaderFields(pairs: [("Cache-Control", "no-cache")]))
        #expect(try await cache.fetch(noCache).freshness == .revalidated)
        calendar.advance(by: .seconds(10))
        let young = FetchRequest(.moon, headers: HeaderFields(pairs: [("Cache-Control", "max-age=9")]))
        #expect(try await cache.fetch(young).freshness == .revalidated)
        #expect(base.count == 4)
    }

    @Test("no-store prevents storage and removes the stored response")
    func noStore() async throws {
        let base = ScriptedTransport(.text("moon", Self.fresh), .text("secret", [("Cache-Control", "no-store")]))
        let cache = try await filled(base)
        await cache.flush()
        calendar.advance(by: .seconds(300))
        #expect(try await cache.get(.moon).lifetime == nil)
        await cache.flush()
        #expect(store.keys.isEmpty)
    }

    @Test("Only successes are stored; 404 and 410 remove the stored response", arguments: [404, 410, 500, 204, 206])
    func statuses(status: Int) async throws {
        let base = ScriptedTransport(.text("no", status: status, Self.fresh))
        let cache = cache(base)
        _ = try? await cache.get(.moon)
        await cache.flush()
        #expect(store.keys.isEmpty)
    }

    @Test("If the server is unreachable, the stored response is served as stale", arguments: [0, 1, 2, 3])
    func stale(index: Int) async throws {
        let outcome = [ScriptedOutcome.error(.unreachable), .error(.timedOut), .text("", status: 500), .part("ne")][
            index]
        let base = ScriptedTransport(.text("moon", Self.fresh), outcome)
        let cache = try await filled(base)
        calendar.advance(by: .seconds(301))
        let response = try await cache.get(.moon)
        #expect(response.text == "moon" && response.freshness == .stale)
        await cache.flush()
        #expect(store.entry(for: "http://pictures.example/moon.jpg")?.isPartial == false)
    }

    @Test("Requests report whether a stale response exists")
    func reportsFallback() async throws {
        let base = ScriptedTransport(
            .text("moon", [("Cache-Control", "max-age=0")]), .text("moon", [("Cache-Control", "no-cache")]),
            .text("moon"))
        let cache = cache(base)
        for _ in 0..<3 { try await cache.get(.moon) }
        #expect(base.requests.map(\.hasFallback) == [false, true, false])
    }

    @Test("A stale response is not served if forbidden, or for other errors")
    func notStale() async throws {
        for word in ["must-revalidate", "no-cache"] {
            let base = ScriptedTransport(.text("moon", [("Cache-Control", word)]), .error(.unreachable))
            let cache = try await filled(base)
            calendar.advance(by: .seconds(1))
            await #expect(throws: FetchError.self) { try await cache.get(.moon) }
        }
        for outcome in [
            ScriptedOutcome.error(.disallowed), .error(.tooLarge), .text("", status: 404), .text("", status: 403),
        ] {
            let base = ScriptedTransport(.text("mars", []), outcome)
            let cache = cache(base)
            try await cache.get(.mars)
            let response = try? await cache.get(.mars)
            #expect(response?.status != 200)
        }
    }

    @Test("A 304 without a condition is an error")
    func unexpected304() async throws {
        let base = ScriptedTransport(.text("", status: 304))
        let error = await failure { try await cache(base).get(.moon) }
        #expect(error?.description.containsBytes(of: "304") == true)
    }

    @Test("A 304 about another response is followed by an unconditional request")
    func foreign304() async throws {
        let base = ScriptedTransport { request, before in
            switch before {
            case 0, 4: return try ScriptedOutcome.text("moon", Self.fresh).play(for: request)
            case 1: return try ScriptedOutcome.text("", status: 304, [("ETag", "\"2\"")]).play(for: request)
            case 3:
                var response = try ScriptedOutcome.text("", status: 304, [("ETag", "\"1\"")]).play(for: request)
                response.address = .mars
                return response
            default:
                #expect(request.headers["If-None-Match"] == nil)
                return try ScriptedOutcome.text("new", Self.fresh).play(for: request)
            }
        }
        let cache = cache(base)
        var request = FetchRequest(.moon)
        _ = try await cache.fetch(request)
        request.revalidates = true
        #expect(try await cache.fetch(request).text == "new")
        #expect(try await cache.fetch(request).text == "moon")
        #expect(base.count == 5)
    }

    @Test("Vary selects stored responses")
    func vary() async throws {
        let headers = Self.fresh + [("Vary", "Accept-Encoding, Accept"), ("Vary", "X-Mood")]
        let base = ScriptedTransport(.text("moon", headers))
        let cache = cache(base)
        let mood = HeaderFields(pairs: [("X-Mood", "blue")])
        for request in [
            FetchRequest(.moon, accept: "image/*"), FetchRequest(.moon), FetchRequest(.moon, headers: mood),
        ] {
            let before = base.count
            _ = try await cache.fetch(request)
            await cache.flush()
            _ = try await self.cache(base).fetch(request)
            #expect(base.count == before + 1)
        }
    }

    /// Responds to the user with a fresh response that a private network served.
    private static let router = ScriptedTransport { request, before in
        guard request.trust == .any else { throw FetchError(.disallowed, "private") }
        var response = try ScriptedOutcome.text("router", fresh).play(for: request)
        response.isFromPrivateNetwork = true
        return response
    }

    @Test("A public service does not get responses of private networks")
    func trust() async throws {
        let address = try WebAddress(validating: "http://192.168.0.1/moon.jpg")
        let cache = cache(Self.router)
        try await cache.get(address)
        await cache.flush()
        let again = try await cache.get(address)
        #expect(again.origin == .cache && again.isFromPrivateNetwork)
        await #expect(throws: FetchError.self) { try await cache.fetch(FetchRequest(address, trust: .publicAddresses)) }
        let offline = self.cache(Self.router, .offline)
        #expect(try await offline.get(address).status == 200)
        let stranger = FetchRequest(address, trust: .publicAddresses)
        await #expect(throws: FetchError.self) { try await offline.fetch(stranger) }
    }

    @Test("A stored response of a named host does not prove a private network: its server is asked")
    func storedTrust() async throws {
        let cache = try await filled(Self.router)
        await cache.flush()
        // Another user may have written the same entry. Now the host is public, or does not reply.
        for (outcome, origin) in [
            (ScriptedOutcome.text("", status: 304, Self.fresh), FetchResponse.Origin.network),
            (.error(.unreachable), .cache),
        ] {
            let base = ScriptedTransport(outcome, .text("public", Self.fresh))
            let response = try await self.cache(base, .readOnly).get(.moon)
            #expect(response.origin == origin && !response.isFromPrivateNetwork)
            #expect(base.headers(0)["If-None-Match"] == "\"1\"")
        }
        let private304 = ScriptedTransport { request, _ in
            var response = try ScriptedOutcome.text("", status: 304, Self.fresh).play(for: request)
            response.isFromPrivateNetwork = true
            return response
        }
        let renewed = try await self.cache(private304, .readOnly).get(.moon)
        #expect(renewed.text == "router" && renewed.isFromPrivateNetwork)
    }

    @Test("Offline, every stored response is served without a request")
    func offline() async throws {
        let online = ScriptedTransport(.text("moon", [("Cache-Control", "no-cache, max-age=0")]))
        let cache = try await filled(online)
        await cache.flush()
        calendar.advance(by: .seconds(1_000_000))
        let base = ScriptedTransport(.text("network"))
        let offline = self.cache(base, .offline)
        var request = FetchRequest(.moon)
        request.revalidates = true
        let response = try await offline.fetch(request)
        #expect(response.text == "moon" && response.freshness == .stale)
        let error = await failure { try await offline.get(.mars) }
        #expect(error?.kind == .notCached && error?.description == "http://pictures.example/mars.jpg: not in the cache")
        #expect(base.count == 0)
    }

    @Test("Requests with different keys of a service share an entry; session tokens bypass the cache")
    func secrets() async throws {
        @Sendable func signed(_ query: String) throws -> WebAddress {
            try WebAddress(validating: "https://pictures.example/moon.jpg?size=1&\(query)")
        }
        let base = ScriptedTransport { request, _ in
            let hop = FetchResponse.Redirect(
                address: request.address, status: 301,
                headers: HeaderFields(pairs: [
                    ("Location", "https://pictures.example/?sig=hush"), ("Set-Cookie", "hush"),
                ]))
            return FetchResponse(
                address: try signed("X-Amz-Signature=hush"), status: 200,
                headers: HeaderFields(pairs: Self.fresh + [("Set-Cookie", "hush")]), body: [1], redirects: [hop])
        }
        let cache = cache(base)
        for key in ["hush", "husher"] {
            var request = FetchRequest(try signed("api_key=\(key)"))
            request.keyParameter = "api_key"
            _ = try await cache.fetch(request)
        }
        #expect(base.count == 1)
        await cache.flush()
        #expect(store.keys == ["https://pictures.example/moon.jpg?size=1"])
        let metadata = String(decoding: store.entry(for: store.keys[0])?.metadata ?? [], as: UTF8.self)
        #expect(!metadata.isEmpty && !metadata.containsBytes(of: "hush"))
        for _ in 0..<2 {
            _ = try await cache.fetch(FetchRequest(signed("access_token=hush")))
            _ = try await cache.fetch(
                FetchRequest(signed(""), headers: HeaderFields(pairs: [("Authorization", "hush")])))
        }
        #expect(base.count == 5)
    }

    @Test("A response to one signature does not answer another, and no name holds it")
    func wholeAddresses() async throws {
        let base = ScriptedTransport { request, _ in
            let status = request.address.text.hasSuffix("good") ? 200 : 403
            return FetchResponse(
                address: request.address, status: status, headers: HeaderFields(pairs: Self.fresh), body: [1])
        }
        let cache = cache(base)
        for (signature, status) in [("good", 200), ("bad", 403), ("good", 200)] {
            let address = try WebAddress(validating: "https://pictures.example/moon.jpg?sig=\(signature)")
            #expect(try await cache.get(address).status == status)
        }
        #expect(base.count == 2)
        await cache.flush()
        #expect(store.keys.count == 1 && !store.keys[0].containsBytes(of: "good"))
    }

    @Test(
        "The caller's conditions, ranges and no-store bypass the cache",
        arguments: [("If-None-Match", "\"1\""), ("Range", "bytes=1-"), ("Cache-Control", "no-store")])
    func passThrough(field: (String, String)) async throws {
        let base = ScriptedTransport(.text("", status: 304, Self.fresh))
        var request = FetchRequest(.moon, headers: HeaderFields(pairs: [field]))
        request.keepsMemory = true
        #expect(try await cache(base).fetch(request).status == 304)
        #expect(base.requests == [request])
        await #expect(throws: FetchError.self) { try await cache(base, .offline).fetch(request) }
    }

    @Test("A response to an address with a password or a code is not stored, also after a redirect")
    func hiddenSecrets() async throws {
        for target in ["/?code=hush", "/?a=1;passwd=hush", "/;passwd=hush/x", "/plain"] {
            let address = try WebAddress(validating: "http://a\(target)")
            let base = ScriptedTransport { request, _ in
                var response = try ScriptedOutcome.text("moon", Self.fresh).play(for: request)
                response.address = try WebAddress(validating: "http://a/?code=hush")
                response.redirects = [.init(address: address, status: 302, headers: HeaderFields())]
                return response
            }
            let cache = cache(base)
            for _ in 0..<2 { #expect(try await cache.get(address).text == "moon") }
            await cache.flush()
            #expect(base.count == 2 && store.keys.isEmpty)
        }
    }

    @Test("Responses of archives are not stored")
    func archives() async throws {
        let base = ScriptedTransport { request, _ in
            FetchResponse(address: request.address, status: 200, body: [1], origin: .archive)
        }
        let cache = cache(base)
        #expect(try await cache.get(.moon).lifetime == nil)
        await cache.flush()
        #expect(store.keys.isEmpty)
    }

    @Test("A stored body above the limit is the same error as a fetched one")
    func limit() async throws {
        let cache = try await filled(ScriptedTransport(.text("moon", Self.fresh)))
        let error = await failure { try await cache.fetch(FetchRequest(.moon, bodyLimit: 3)) }
        #expect(error?.exceededLimit == .body)
    }

    @Test("A response after cancellation is stored, and the task is cancelled")
    func cancelledButHere() async throws {
        let base = ScriptedTransport { request, _ in
            withUnsafeCurrentTask { $0?.cancel() }
            return try ScriptedOutcome.text("moon", Self.fresh).play(for: request)
        }
        let cache = cache(base)
        await #expect(throws: CancellationError.self) {
            try await Task { try await cache.get(.moon) }.value
        }
        await cache.flush()
        #expect(store.keys.count == 1)
    }

    @Test("The observer gets hits, revalidations and stores")
    func events() async throws {
        let cache = cache(
            ScriptedTransport(.text("moon", Self.fresh), .text("", status: 304, Self.fresh), .error(.unreachable)))
        for _ in 0..<3 {
            try await cache.get(.moon)
            await cache.flush()
            calendar.advance(by: .seconds(300))
        }
        let names = log.values.map { event in
            switch event {
            case .stored(_, let bytes): "stored \(bytes)"
            case .revalidated: "revalidated"
            case .cacheHit(_, let freshness): "hit \(freshness)"
            default: "\(event)"
            }
        }
        #expect(names == ["stored 4", "revalidated", "stored 4", "hit stale"])
    }
}

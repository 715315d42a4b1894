import SpyglassCaching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

@Suite("CachingTransport: partial responses", .timeLimit(.minutes(10)))
struct CachingPartTests {
    private let store = MemoryStore()
    private static let tag = [("ETag", "\"1\""), ("Cache-Control", "max-age=300")]
    private static let cut = ScriptedOutcome.part("moon", tag + [("Content-Length", "9")])
    private static let rest = ScriptedOutcome.text("light", status: 206, tag + [("Content-Range", "bytes 4-8/9")])
    private static let key = "http://pictures.example/moon.jpg"

    private func cache(_ base: any Transport, _ mode: CachingTransport.Mode = .normal) -> CachingTransport {
        CachingTransport(base, store: store, mode: mode, now: { .start })
    }

    /// A store that has the beginning.
    private func keepBeginning() async throws {
        let cache = cache(ScriptedTransport(Self.cut))
        let error = await failure { try await cache.get(.moon) }
        #expect(error?.partialResponse?.text == "moon")
        await cache.flush()
        #expect(store.entry(for: Self.key)?.isPartial == true)
    }

    @Test("An interrupted body is stored, and the next fetch requests the rest")
    func resumed() async throws {
        try await keepBeginning()
        let base = ScriptedTransport(Self.rest)
        let recorder = BodyRecorder()
        let cache = cache(base)
        let response = try await cache.fetch(FetchRequest(.moon, control: recorder.control()))
        #expect(response.status == 200 && response.text == "moonlight" && response.headers["Content-Length"] == "9")
        #expect(base.headers(0)["Range"] == "bytes=4-" && base.headers(0)["If-Range"] == "\"1\"")
        #expect(recorder.lines == ["begins 200", "moon", "light"])
        await cache.flush()
        #expect(store.entry(for: Self.key)?.isPartial == false)
        #expect(try await self.cache(base).get(.moon).text == "moonlight")
        #expect(base.count == 1)
    }

    @Test("A partial response is never served as complete; offline it is an error")
    func neverWhole() async throws {
        try await keepBeginning()
        let error = await failure {
            try await cache(ScriptedTransport(.reset), .offline).get(.moon)
        }
        #expect(error?.kind == .notCached && error?.partialResponse?.text == "moon")
        let unreachable = cache(ScriptedTransport(.error(.unreachable)))
        let second = await failure { try await unreachable.get(.moon) }
        #expect(second?.partialResponse?.text == "moon")
    }

    @Test("A partial response grows with every interruption, also with retries")
    func grows() async throws {
        try await keepBeginning()
        let more = ScriptedOutcome.part("li", status: 206, Self.tag + [("Content-Range", "bytes 4-8/9")])
        let yetMore = ScriptedOutcome.part("g", status: 206, Self.tag + [("Content-Range", "bytes 6-8/9")])
        let base = ScriptedTransport(
            more, yetMore, .text("ht", status: 206, Self.tag + [("Content-Range", "bytes 7-8/9")]))
        let retrying = RetryingTransport(base, retries: 1, clock: ManualClock(), now: { .start }, jitter: { 0 })
        let cache = cache(retrying)
        let error = await failure { try await cache.get(.moon) }
        #expect(error?.partialResponse?.text == "moonlig")
        await cache.flush()
        #expect(store.entry(for: Self.key)?.text == "moonlig")
        #expect(try await cache.get(.moon).text == "moonlight")
        #expect(base.requests.map { $0.headers["Range"] } == ["bytes=4-", "bytes=6-", "bytes=7-"])
    }

    @Test("Another body or a wrong rest replaces the partial response")
    func startsOver() async throws {
        for outcomes in [
            [ScriptedOutcome.text("sunlight", Self.tag)],
            [
                .text("light", status: 206, [("ETag", "\"2\""), ("Content-Range", "bytes 4-8/9")]),
                .text("sunlight", Self.tag),
            ],
            [.text("", status: 416), .text("sunlight", Self.tag)],
        ] {
            try await keepBeginning()
            let base = ScriptedTransport { request, before in
                try outcomes[min(before, outcomes.count - 1)].play(for: request)
            }
            let cache = cache(base)
            #expect(try await cache.get(.moon).text == "sunlight")
            await cache.flush()
            #expect(store.entry(for: Self.key)?.text == "sunlight" && store.entry(for: Self.key)?.isPartial == false)
            store.remove(Self.key)
        }
    }

    @Test("A partial response never replaces a complete one")
    func keepsWhole() async throws {
        let vary = Self.tag + [("Vary", "Accept")]
        for waits in [true, false] {
            let cache = cache(ScriptedTransport(.text("moonlight", vary), .part("moon", vary)))
            _ = try await cache.fetch(FetchRequest(.moon, accept: "image/png"))
            if waits { await cache.flush() }
            await #expect(throws: FetchError.self) { try await cache.fetch(FetchRequest(.moon, accept: "image/jpeg")) }
            await cache.flush()
            #expect(store.entry(for: Self.key)?.text == "moonlight")
            #expect(try await cache.fetch(FetchRequest(.moon, accept: "image/png")).freshness == .fresh)
            store.remove(Self.key)
        }
        let gate = AsyncGate()
        let base = ScriptedTransport { request, before in
            guard before == 0 else { return try ScriptedOutcome.text("moonlight", Self.tag).play(for: request) }
            try await gate.wait()
            return try Self.cut.play(for: request)
        }
        let cache = cache(base)
        let slow = Task { try await cache.get(.moon) }
        await base.waitForRequests(1)
        try await cache.get(.moon)
        gate.open()
        await #expect(throws: FetchError.self) { try await slow.value }
        await cache.flush()
        #expect(store.entry(for: Self.key)?.text == "moonlight")
    }

    @Test("Parts that cannot be resumed, or must not be stored, are dropped")
    func notKept() async throws {
        for headers in [[], [("ETag", "W/\"1\"")], [("ETag", "\"1\""), ("Cache-Control", "no-store")]] {
            let cache = cache(ScriptedTransport(.part("moon", headers)))
            await #expect(throws: FetchError.self) { try await cache.get(.moon) }
            await cache.flush()
            #expect(store.keys.isEmpty)
        }
    }
}

@Suite("StoredResponse")
struct StoredResponseTests {
    private let answer: StoredResponse = {
        let hop = FetchResponse.Redirect(
            address: .mars, status: 302, headers: HeaderFields(pairs: [("location", "/moon.jpg")]))
        let headers = HeaderFields(pairs: [("Vary", "Accept, X-None"), ("ETag", "\"\u{e9}\""), ("Content-Length", "3")])
        let response = FetchResponse(
            address: .moon, status: 200, headers: headers, body: [1, 2, 3], redirects: [hop],
            isFromPrivateNetwork: true)
        let asked = WallTime.start
        return StoredResponse(
            response, to: FetchRequest(.mars, accept: "image/*"), requestedAt: asked,
            receivedAt: asked.advanced(by: .milliseconds(5)))
    }()

    @Test("A stored response is read unchanged")
    func roundTrip() throws {
        var answer = answer
        answer.isPartial = true
        answer.total = 9
        let read = try #require(StoredResponse(answer.entry))
        #expect(
            read.response.address == .moon && read.response.body == [1, 2, 3]
                && read.response.headers == answer.response.headers
                && read.response.redirects == answer.response.redirects)
        #expect(
            read.response.isFromPrivateNetwork && read.isPartial && read.total == 9
                && read.requestedAt == answer.requestedAt && read.receivedAt == answer.receivedAt)
        #expect(read.varying == answer.varying && read.varying.values.count == 2 && read.policy == answer.policy)
    }

    @Test("Corrupt metadata is a miss or a valid response, without a trap")
    func damaged() {
        let metadata = answer.entry.metadata
        for index in metadata.indices {
            #expect(StoredResponse(CacheEntry(metadata: Array(metadata[..<index]), body: [])) == nil)
            var changed = metadata
            changed[index] = UInt8.random(in: 0...255)
            _ = StoredResponse(CacheEntry(metadata: changed, body: [])).map { ($0.policy, $0.partialBody, $0.entry) }
        }
        for _ in 0..<2000 {
            let noise = (0..<Int.random(in: 0..<60)).map { _ in UInt8.random(in: 0...255) }
            #expect(StoredResponse(CacheEntry(metadata: noise, body: noise)) == nil)
        }
    }

    @Test(
        "Hostile metadata is a miss or a harmless response",
        arguments: [
            ("\"version\":1", "\"version\":2"), ("\"status\":200", "\"status\":206"),
            ("\"status\":302", "\"status\":200"),
            ("http://pictures.example/moon.jpg", "file:///etc/passwd"), ("\"private\":true", "\"private\":0"),
            ("\"asked\":", "\"asked\":1e99,\"x\":"), ("\"location\"", "\"lo cation\""),
            ("\"vary\":\"", "\"vary\":5,\"x\":\""), ("\"headers\":", "\"x\":"), ("\"status\":200", "\"status\":2e2"),
            ("\"redirects\":[", "\"redirects\":[7,"),
        ])
    func lies(old: String, new: String) {
        let text = String(decoding: answer.entry.metadata, as: UTF8.self)
        let lie = text.replacing(old, with: new, maxReplacements: 1)
        #expect(lie != text && StoredResponse(CacheEntry(metadata: Array(lie.utf8), body: [])) == nil, "\(lie)")
    }

    @Test("Extreme times do not trap")
    func times() throws {
        for time in [Int64.min, .max, 0] {
            for other in [Int64.min, .max] {
                var answer = answer
                answer.requestedAt = WallTime(milliseconds: time)
                answer.receivedAt = WallTime(milliseconds: other)
                let read = try #require(StoredResponse(answer.entry))
                _ = read.policy.isFresh(at: .start)
                _ = read.policy.isFresh(at: WallTime(milliseconds: other))
            }
        }
    }
}

@Suite("CachingTransport over RetryingTransport over CurlTransport", .timeLimit(.minutes(10)))
struct CachingLoopbackTests {
    private static let body = [UInt8]((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    private let store = MemoryStore()

    private func transport(retries: Int = 2) -> CachingTransport {
        let retrying = RetryingTransport(
            CurlTransport(), retries: retries, clock: ManualClock(), now: { .start }, jitter: { 0 })
        return CachingTransport(retrying, store: store, now: { .start })
    }

    /// The first 400 bytes of the body, and then the connection ends.
    private static func cut(_ headers: [(String, String)] = [("ETag", "\"1\"")]) -> LoopbackServer.Reply {
        .init(length: 1000, headers: headers, Array(body[..<400]), then: .close)
    }

    private static func rest(tag: String) -> LoopbackServer.Reply {
        .init(206, headers: [("ETag", tag), ("Content-Range", "bytes 400-999/1000")], body: Array(body[400...]))
    }

    @Test("A partial response is resumed by the next process")
    func nextProcess() async throws {
        let server = try LoopbackServer { $0.headers["Range"] == nil ? Self.cut() : Self.rest(tag: "\"1\"") }
        let first = transport(retries: 0)
        let error = await failure { try await first.get(server.address("/")) }
        #expect(error?.partialResponse?.body == Array(Self.body[..<400]))
        await first.flush()
        let second = transport(retries: 0)
        #expect(try await second.get(server.address("/")).body == Self.body)
        await second.flush()
        #expect(store.entry(for: server.address("/").text)?.isPartial == false)
        // libcurl's own encodings would be for the whole body.
        #expect(server.counts.requests == 2)
        #expect(server.requests[1].headers.values(of: "Accept-Encoding") == ["identity"])
    }

    @Test("Redirects are cached, and a stale response after one is revalidated")
    func redirect() async throws {
        let server = try LoopbackServer { request in
            if request.path == "/from" { return .redirect(to: "/to", 301) }
            return request.headers["If-None-Match"] == nil
                ? .init(headers: [("ETag", "\"1\"")], text: "moon") : .init(304)
        }
        let transport = transport()
        try await transport.get(server.address("/from"))
        let again = try await transport.get(server.address("/from"))
        #expect(
            again.freshness == .revalidated && again.text == "moon" && again.address == server.address("/to")
                && again.redirects.count == 1 && again.isFromPrivateNetwork)
        #expect(server.counts.requests == 4)
    }
}

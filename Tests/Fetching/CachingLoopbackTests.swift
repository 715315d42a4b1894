import SpyglassCaching
import SpyglassTestSupport
import Testing

@testable import SpyglassFetching

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
        let head = LoopbackServer.Reply.head(200, headers: headers + [("Content-Length", "1000")])
        return .init(steps: [.send(head + Array(body[..<400])), .close])
    }

    private static func rest(tag: String) -> LoopbackServer.Reply {
        .init(206, headers: [("ETag", tag), ("Content-Range", "bytes 400-999/1000")], body: Array(body[400...]))
    }

    @Test("An interrupted body is resumed")
    func resumed() async throws {
        let server = try LoopbackServer { $0.headers["Range"] == nil ? Self.cut() : Self.rest(tag: "\"1\"") }
        let recorder = BodyRecorder()
        let response = try await transport().fetch(FetchRequest(server.address("/"), control: recorder.control()))
        #expect(response.body == Self.body)
        #expect(response.status == 200)
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=400-"])
        #expect(server.requests[1].headers["If-Range"] == "\"1\"")
        #expect(server.requests[1].headers.values(of: "Accept-Encoding") == ["identity"])
    }

    @Test("A connection lost before its response is retried")
    func reset() async throws {
        let server = try LoopbackServer { request in
            switch request.connection {
            case 1: .init(steps: [.reset])
            case 2: .init(steps: [.close])
            default: .init(body: Self.body)
            }
        }
        #expect(try await transport().fetch(FetchRequest(server.address("/"))).body == Self.body)
        #expect(server.requests.count == 3)
    }

    @Test("A 206 with another entity tag starts over")
    func otherTag() async throws {
        let server = try LoopbackServer { request in
            if request.headers["Range"] != nil { return Self.rest(tag: "\"2\"") }
            return request.connection == 1 ? Self.cut() : .init(headers: [("ETag", "\"2\"")], body: Self.body)
        }
        #expect(try await transport().fetch(FetchRequest(server.address("/"))).body == Self.body)
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=400-", nil])
    }

    @Test("A partial response is resumed by the next process")
    func nextProcess() async throws {
        let server = try LoopbackServer { $0.headers["Range"] == nil ? Self.cut() : Self.rest(tag: "\"1\"") }
        let first = transport(retries: 0)
        let error = await #expect(throws: FetchError.self) { try await first.fetch(FetchRequest(server.address("/"))) }
        #expect(error?.partialResponse?.body == Array(Self.body[..<400]))
        await first.flush()
        let second = transport(retries: 0)
        #expect(try await second.fetch(FetchRequest(server.address("/"))).body == Self.body)
        await second.flush()
        #expect(store.entry(for: server.address("/").text)?.isPartial == false)
        #expect(server.counts.requests == 2)
    }

    @Test("A 503 is retried, and a 304 without a condition is an error")
    func statuses() async throws {
        let server = try LoopbackServer { request in
            if request.path == "/304" { return .init(304) }
            return request.connection == 1
                ? .init(503, headers: [("Connection", "close")]) : .init(text: "well")
        }
        #expect(try await transport().fetch(FetchRequest(server.address("/"))).body == Array("well".utf8))
        let error = await #expect(throws: FetchError.self) {
            try await transport().fetch(FetchRequest(server.address("/304")))
        }
        #expect(error?.description.containsBytes(of: "304") == true)
    }

    @Test("Redirects are cached, and a stale response after one is revalidated")
    func redirect() async throws {
        let server = try LoopbackServer { request in
            if request.path == "/from" { return .redirect(to: "/to", 301) }
            return request.headers["If-None-Match"] == nil
                ? .init(headers: [("ETag", "\"1\"")], text: "moon") : .init(304)
        }
        let transport = transport()
        _ = try await transport.fetch(FetchRequest(server.address("/from")))
        let again = try await transport.fetch(FetchRequest(server.address("/from")))
        #expect(again.freshness == .revalidated && again.body == Array("moon".utf8))
        #expect(again.address == server.address("/to") && again.redirects.count == 1)
        #expect(again.isFromPrivateNetwork)
        #expect(server.counts.requests == 4)
    }
}

import SpyglassTestSupport
import Testing

@testable import SpyglassFetching

@Suite("CurlTransport: malformed responses of real servers", .timeLimit(.minutes(10)))
struct CurlMalformedTests {
    private static let words = Array("moonlight".utf8)

    private static func reply(
        _ head: String, _ body: [UInt8] = words, then end: LoopbackServer.Reply.Step = .close
    ) -> LoopbackServer.Reply {
        .init(steps: [.send(Array(head.utf8) + body), end])
    }

    @Test("A body longer than announced is cut, and the surplus is dropped")
    func longerThanAnnounced() async throws {
        let surplus = LoopbackServer.Reply(text: "forged")
        let server = try LoopbackServer { request in
            guard request.path == "/long" else { return .init(text: request.path) }
            return .init(steps: LoopbackServer.Reply(length: 4, Self.words).steps + surplus.steps)
        }
        let transport = CurlTransport(connections: 1)
        #expect(try await transport.get(server.address("/long")).text == "moon")
        #expect(try await transport.get(server.address("/next")).text == "/next")
    }

    @Test("A reply that is not HTTP counts as a lost connection only where the connection was used before")
    func notHTTP() async throws {
        let server = try LoopbackServer { request in
            request.path == "/good"
                ? .init(text: "good") : .init(steps: [.send(Array("surplus\r\n\r\n".utf8)), .close])
        }
        let transport = CurlTransport(connections: 1)
        for isReused in [false, true] {
            if isReused { try await transport.get(server.address("/good")) }
            let error = await failure { try await transport.get(server.address("/strange")) }
            #expect(error?.kind == .unreachable && error?.isConnectionLost == isReused)
        }
    }

    @Test("HTTP/1.0 works, with and without a length", arguments: ["Content-Length: 9\r\n", ""])
    func http10(length: String) async throws {
        let server = try LoopbackServer { _ in Self.reply("HTTP/1.0 200 OK\r\n\(length)X-Word: moon\r\n\r\n") }
        let transport = CurlTransport(connections: 1)
        for _ in 0..<2 {
            let response = try await transport.get(server.address("/"))
            #expect(response.status == 200 && response.body == Self.words && response.headers["X-Word"] == "moon")
        }
        #expect(server.counts.connections == 2)
    }

    @Test("Short and reset HTTP/1.0 bodies are incomplete")
    func http10Cut() async throws {
        let server = try LoopbackServer { request in
            request.path == "/short"
                ? Self.reply("HTTP/1.0 200 OK\r\nContent-Length: 99\r\n\r\n")
                : Self.reply("HTTP/1.0 200 OK\r\n\r\n", then: .reset)
        }
        for path in ["/short", "/reset"] {
            let error = await failure { try await CurlTransport().get(server.address(path)) }
            #expect(error?.kind == .unreachable && error?.isConnectionLost == true, "\(path)")
        }
    }

    @Test(
        "Nested codings are refused before they are removed, whatever announces them",
        arguments: [
            "200 OK\r\nContent-Encoding: gzip, gzip", "200 OK\r\nContent-Encoding: gzip\r\nContent-Encoding: gzip",
            "200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: gzip, chunked",
            "999\r\nContent-Encoding: gzip, gzip",
            "103 Early Hints\r\nContent-Encoding: gzip\r\n\r\nHTTP/1.1 200 OK\r\nContent-Encoding: gzip",
        ])
    func nestedCodings(head: String) async throws {
        let server = try LoopbackServer { _ in Self.reply("HTTP/1.1 \(head)\r\n\r\n", Gzip.stored(Self.words)) }
        let error = await failure { try await CurlTransport().get(server.address("/")) }
        #expect(error?.kind == .disallowed)
    }

    @Test(
        "Bytes without a head (HTTP/0.9) are not a body",
        arguments: [
            [0xff, 0xd8, 0xff, 0xe0], Array("<html>".utf8), Array("ICY 200 OK\r\n\r\nmoon".utf8), Array("HTTP/".utf8),
        ])
    func http09(bytes: [UInt8]) async throws {
        for size in [bytes.count, 100_000] {
            let body = bytes + [UInt8](repeating: 0x41, count: size - bytes.count)
            let server = try LoopbackServer { _ in .init(steps: [.send(body), .close]) }
            let error = await failure { try await CurlTransport().get(server.address("/")) }
            #expect(error?.kind == .unreachable && error?.partialResponse == nil)
        }
    }
}

import SpyglassFetching
import SpyglassTestSupport
import Testing

@Suite("Test support", .timeLimit(.minutes(10)))
struct TestSupportTests {
    @Test("A clock's sleepers wake in order, at their time")
    func clock() async throws {
        let clock = ManualClock()
        let (woken, continuation) = AsyncStream<Int>.makeStream()
        for seconds in [3, 1, 2] {
            Task {
                try await clock.sleep(for: .seconds(seconds))
                continuation.yield(seconds)
            }
        }
        var order = woken.makeAsyncIterator()
        for seconds in 1...3 {
            await clock.waitForSleepers(4 - seconds)
            clock.advance(by: .seconds(1))
            #expect(await order.next() == seconds)
        }
        #expect(clock.now == ManualClock.Instant(.seconds(3)))
        try await clock.sleep(until: clock.now, tolerance: nil)
    }

    @Test("A watched value resumes a waiter when its condition holds")
    func watchedValue() async {
        let number = WatchedValue(0)
        async let reached = number.wait { $0 >= 2 }
        for _ in 0..<3 { number.change { $0 += 1 } }
        #expect(await reached >= 2)
        #expect(await number.wait { $0 == 3 } == 3)
    }

    @Test("A cancelled sleeper wakes")
    func cancelledSleeper() async {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await early.value }
    }

    @Test("A stopped server leaves no connection and no port")
    func stop() async throws {
        let server = try LoopbackServer { _ in .init(steps: [.stall]) }
        let transport = CurlTransport()
        let task = Task { try await transport.fetch(FetchRequest(server.address("/"))) }
        await server.wait { $0.answering == 1 }
        server.stop()
        server.stop()
        #expect(server.counts.openConnections == 0)
        await #expect(throws: FetchError.self) { try await task.value }
        let successor = try LoopbackServer(port: server.port) { _ in .init() }
        #expect(try await transport.fetch(FetchRequest(successor.address("/"))).status == 200)
    }

    @Test("A folder is served as an API with its images")
    func folder() async throws {
        let folder = try TemporaryFolder()
        try folder.write("secret", "no")
        try folder.write("api/search/red planet-2.json", #"{"href": "{{base}}/image/A 1/A 1~thumb.jpg"}"#)
        try folder.write("api/search/empty-1.json", "{}")
        try folder.write("api/asset/A + 1.json", "[1]")
        try folder.write("api/images/A 1~thumb.jpg", [1, 2, 3])
        try folder.write("api/invalid/reason.json", "{}")
        let server = try LoopbackServer.serving(folder: folder.path("api"))
        let transport = CurlTransport()
        func fetch(_ target: String) async throws -> (Int, String) {
            let response = try await transport.fetch(FetchRequest(server.address(target)))
            return (response.status, String(decoding: response.body, as: UTF8.self))
        }
        #expect(
            try await fetch("/search?q=red%20planet&page=2") == (
                200, "{\"href\": \"\(server.address("").description)image/A 1/A 1~thumb.jpg\"}"
            ))
        #expect(try await fetch("/search?q=none") == (200, "{}"))
        #expect(try await fetch("/search?q=invalid") == (400, "{}"))
        #expect(try await fetch("/asset/A%20+%201") == (200, "[1]"))
        #expect(try await fetch("/image/A%201/A%201~thumb.jpg") == (200, "\u{1}\u{2}\u{3}"))
        for target in ["/secret", "/../secret", "/%2e%2e/secret", "/..%2Fsecret", "/", "/search?q=..%2f..%2fsecret"] {
            let status = try await fetch(target).0
            #expect(status == (target.hasPrefix("/search") ? 200 : 404), "\(target)")
        }
    }

    @Test("A temporary folder is removed with its contents")
    func temporaryFolder() throws {
        var folder: TemporaryFolder? = try TemporaryFolder()
        let path = try #require(folder?.path)
        try folder?.write("a/b/c", "x")
        try folder?.link("a/l", to: "/")
        #expect(folder?.files == ["a/b/c", "a/l"])
        folder = nil
        #expect(!TestData.exists(path))
        #expect(TestData.exists("/"))
    }
}

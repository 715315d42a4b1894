import SpyglassCaching
import SpyglassTestSupport
import Testing

@testable import SpyglassFetching
@testable import SpyglassThreads

@Suite("BodyMemory: bodies from files", .timeLimit(.minutes(10)))
struct BodyMemoryTests {
    private static let mebibyte = 1 << 20
    private static let body = [UInt8](repeating: 7, count: 2 * mebibyte)
    private static let count = 8
    private let folder: TemporaryFolder
    private let memory = WorkMemory(limit: 5 * mebibyte)

    init() throws { folder = try TemporaryFolder() }

    private static func request(
        _ number: Int, _ delivery: BodyDelivery = .buffered, keepsMemory: Bool = true
    ) -> FetchRequest {
        var request = FetchRequest(.picture("\(number)"))
        request.delivery = delivery
        request.keepsMemory = keepsMemory
        return request
    }

    private func archive(_ memory: WorkMemory) throws -> ArchiveTransport {
        let lines = (0..<Self.count).map {
            #"{"url":"http://pictures.example/\#($0).jpg","status":200,"body":"body"}"# + "\n"
        }
        try folder.write("index.jsonl", lines.joined())
        try folder.write("body", Self.body)
        return ArchiveTransport(folder: folder.path, memory: memory)
    }

    /// A cache that holds every picture, each fresh for as long as `headers` say.
    private func cache(
        _ memory: WorkMemory, _ headers: [(String, String)] = [("Cache-Control", "max-age=300")],
        mode: CachingTransport.Mode = .normal, over base: any Transport = ScriptedTransport(.reset)
    ) async throws -> CachingTransport {
        let store = DiskCache(folder: folder.path("cache"), byteLimit: 256 * Self.mebibyte)
        for number in 0..<Self.count {
            let filling = CachingTransport(
                ScriptedTransport(.answer(200, headers, Self.body)), store: store, now: { .start })
            _ = try await filling.fetch(Self.request(number))
            await filling.flush()
        }
        return CachingTransport(base, store: store, mode: mode, memory: memory, now: { .start })
    }

    private func transport(_ isArchive: Bool, _ memory: WorkMemory) async throws -> any Transport {
        if isArchive { return try archive(memory) }
        return try await cache(memory)
    }

    @Test("Many bodies are all served within the budget", arguments: [true, false])
    func many(isArchive: Bool) async throws {
        let transport = try await transport(isArchive, memory)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<Self.count {
                group.addTask { try await transport.fetch(Self.request(number)).body == Self.body }
            }
            for try await isWhole in group { #expect(isWhole) }
        }
        #expect(memory.peak >= Self.body.count && memory.peak <= memory.limit && memory.used == 0)
    }

    @Test("A body without room waits for a release, and leaves when cancelled", arguments: [true, false])
    func waiting(isArchive: Bool) async throws {
        let memory = WorkMemory(limit: 3 * Self.mebibyte)
        let transport = try await transport(isArchive, memory)
        var first: FetchResponse? = try await transport.fetch(Self.request(0))
        let left = Task { try await transport.fetch(Self.request(1)).body.count }
        try await waitUntil { memory.waitingBodies == 1 }
        left.cancel()
        await #expect(throws: CancellationError.self) { try await left.value }
        #expect(memory.waitingBodies == 0 && memory.used == Self.body.count)
        let third = Task { try await transport.fetch(Self.request(2)).body }
        try await waitUntil { memory.waitingBodies == 1 }
        #expect(first?.body == Self.body)
        first = nil
        #expect(try await third.value == Self.body)
        #expect(memory.peak <= memory.limit && memory.used == 0)
    }

    @Test("Responses that are kept do not block later ones", arguments: [true, false])
    func kept(isArchive: Bool) async throws {
        let transport = try await transport(isArchive, memory)
        var kept: [FetchResponse] = []
        for number in 0..<Self.count {
            kept.append(try await transport.fetch(Self.request(number, keepsMemory: false)))
            try #require(memory.used == 0)
        }
        #expect(kept.allSatisfy { $0.body == Self.body })
    }

    @Test("A body that needs more than the budget fails by name", arguments: [true, false])
    func tooLarge(isArchive: Bool) async throws {
        let memory = WorkMemory(limit: Self.mebibyte * 3 / 2)
        let transport = try await transport(isArchive, memory)
        let error = await failure { try await transport.fetch(Self.request(0)) }
        #expect(error?.kind == .tooLarge && error?.exceededLimit == .workMemory)
        #expect(memory.used == 0)
    }

    @Test("A stored body above the budget is streamed from the network")
    func streamed() async throws {
        let memory = WorkMemory(limit: Self.mebibyte)
        let base = ScriptedTransport(.text("network"))
        let cache = try await cache(memory, over: base)
        #expect(try await cache.fetch(Self.request(0, .streamed)).text == "network")
    }

    @Test("A stored body counts while it is revalidated, until its response is released")
    func revalidated() async throws {
        let base = ScriptedTransport(.text("", status: 304, [("ETag", "\"1\"")]))
        let cache = try await cache(memory, [("Cache-Control", "no-cache"), ("ETag", "\"1\"")], over: base)
        var response: FetchResponse? = try await cache.fetch(Self.request(0))
        #expect(response?.freshness == .revalidated && response?.body == Self.body)
        await cache.flush()
        #expect(memory.used == Self.body.count)
        response = nil
        #expect(memory.used == 0)
    }

    @Test("Stale bodies that fill the budget do not block those that replace them")
    func replaced() async throws {
        let memory = WorkMemory(limit: 3 * Self.mebibyte)
        let server = try LoopbackServer { _ in .init(body: Self.body) }
        let network = CurlTransport(memory: memory, clock: ManualClock())
        let base = StubTransport { request in
            var request = request
            request.address = server.address("/")
            return try await network.fetch(request)
        }
        let headers = [("Cache-Control", "no-cache"), ("ETag", "\"1\"")]
        let cache = try await cache(memory, headers, mode: .readOnly, over: base)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<Self.count {
                group.addTask { try await cache.fetch(Self.request(number)).body == Self.body }
            }
            for try await isWhole in group { #expect(isWhole) }
        }
        await network.shutDown()
        #expect(memory.used == 0)
    }
}

@Suite("CurlTransport: work memory", .timeLimit(.minutes(10)))
struct CurlMemoryTests {
    private static let mebibyte = 1 << 20
    private static let body = [UInt8](repeating: 7, count: 2 * mebibyte)
    private static let whole = LoopbackServer.Reply(body: body)

    private static func counted(_ address: WebAddress) -> FetchRequest {
        var request = FetchRequest(address)
        request.keepsMemory = true
        return request
    }

    @Test("A body reserves its memory until the response is released, if its requester asks for it")
    func held() async throws {
        let server = try LoopbackServer { _ in Self.whole }
        let memory = WorkMemory(limit: 3 * Self.mebibyte)
        let transport = CurlTransport(memory: memory, clock: ManualClock())
        var kept: [FetchResponse] = []
        for _ in 0..<4 {
            kept.append(try await transport.get(server.address("/")))
            try #require(memory.used == 0)
        }
        kept.append(try await transport.fetch(Self.counted(server.address("/"))))
        #expect(memory.used == Self.body.count && kept.allSatisfy { $0.body == Self.body })
        kept = []
        await transport.shutDown()
        #expect(memory.used == 0)
    }

    @Test("A transfer without room pauses until an earlier response is released")
    func pause() async throws {
        let server = try LoopbackServer { _ in Self.whole }
        let memory = WorkMemory(limit: 3 * Self.mebibyte)
        let transport = CurlTransport(memory: memory, clock: ManualClock())
        for round in 0..<3 {
            var first: FetchResponse? = try await transport.fetch(Self.counted(server.address("/\(round)")))
            let second = Task.immediate { try await transport.get(server.address("/second")).body }
            #expect(first?.body.count == Self.body.count)
            first = nil
            #expect(try await second.value == Self.body)
        }
        #expect(memory.peak <= memory.limit)
    }

    @Test("Bodies of unknown length that arrive together all end")
    func many() async throws {
        let server = try LoopbackServer { _ in .chunked([Self.body, Self.body]) }
        let memory = WorkMemory(limit: 6 * Self.mebibyte)
        let transport = CurlTransport(connections: 8, memory: memory, clock: ManualClock())
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                group.addTask { try await transport.get(server.address("/\(number)")).body.count }
            }
            for try await count in group { #expect(count == 2 * Self.body.count) }
        }
        await transport.shutDown()
        #expect(memory.used == 0)
    }

    @Test("A body that needs more than the budget fails by name", arguments: [true, false])
    func tooLarge(isAnnounced: Bool) async throws {
        let server = try LoopbackServer { _ in isAnnounced ? Self.whole : .chunked([Self.body]) }
        let memory = WorkMemory(limit: Self.mebibyte * 3 / 2)
        let transport = CurlTransport(memory: memory, clock: ManualClock())
        let error = await failure { try await transport.get(server.address("/")) }
        #expect(
            error?.kind == .tooLarge && error?.exceededLimit == .workMemory
                && error?.description.contains("of work memory, above the limit of 1572864 bytes") == true)
        await transport.shutDown()
        #expect(memory.used == 0)
    }
}

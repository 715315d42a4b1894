import SpyglassTestSupport
import Testing

@testable import SpyglassFetching
@testable import SpyglassThreads

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

import SpyglassFetching
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("PublicOnlyTransport", .timeLimit(.minutes(10)))
struct PublicOnlyTransportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func trusts(_ words: [String]) async throws -> [AddressTrust] {
        try folder.write("manifest", Array(#"{"src":"http://10.0.0.1/x.png","id":"x"}"#.utf8))
        let transport = ScriptedTransport { request, _ in
            FetchResponse(request, body: TinyPNG.solid(1, 2, 3, width: 24, height: 16))
        }
        var fake = FakeSystem()
        fake.transport = transport
        _ = await fake.run(words)
        return transport.requests.map(\.trust)
    }

    @Test("A manifest may name private networks, except with --public-only")
    func manifest() async throws {
        let words = ["resize", "--manifest", folder.path("manifest"), "--no-cache", "--out"]
        #expect(try await trusts(words + [folder.path("1")]) == [.user])
        #expect(try await trusts(words + [folder.path("2"), "--public-only"]) == [.publicService])
    }

    @Test("An image of the command line is fetched as the option demands")
    func show() async throws {
        let words = ["show", "http://10.0.0.1/x.png", "--no-cache"]
        #expect(try await trusts(words) == [.user])
        #expect(try await trusts(words + ["--public-only"]) == [.publicService])
    }
}

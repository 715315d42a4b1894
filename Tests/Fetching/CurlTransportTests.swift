import SpyglassTestSupport
import Testing

@testable import SpyglassFetching

@Suite("CurlTransport")
struct CurlTransportTests {
    @Test("An answer comes with its status, its headers and its body")
    func wholeAnswer() async throws {
        let server = try LoopbackServer { _ in .init(200, headers: [("X-Word", " moon ")], text: "hello") }
        let response = try await CurlTransport().fetch(FetchRequest(server.address("/a")))
        #expect(response.status == 200)
        #expect(response.headers["x-word"] == "moon")
        #expect(response.body == Array("hello".utf8))
        #expect(server.requests.map(\.target) == ["/a"])
        #expect(server.requests.first?.headers["User-Agent"] == "Spyglass/\(SpyglassVersion.current)")
    }
}

import SpyglassFetching
import SpyglassFiles
import SpyglassJSON
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import spyglass

@Suite(
    "End to end: sources over loopback",
    .enabled(if: SpawnedProgram.path != nil, "the program has not been built beside the tests"),
    .enabled(if: TestData.shared != nil, "needs the shared recordings beside the project"),
    .timeLimit(.minutes(10)))
struct SourceEndToEndTests {
    /// A search and the recordings that answer its requests in order; the last one answers all that follow.
    struct Search: Sendable, CustomTestStringConvertible {
        let source: String
        let words: String
        let recordings: [String]
        /// The number of recorded items with a picture.
        let count: Int

        var testDescription: String { "\(source): \(recordings[0])" }
    }

    static let searches = [
        Search(source: "bing", words: "car", recordings: ["search-car-6"], count: 6),
        Search(source: "openverse", words: "birds", recordings: ["images-birds"], count: 20),
        Search(source: "openverse", words: "cat", recordings: ["images-cat-page2"], count: 20),
        Search(source: "openverse", words: "ecommerce", recordings: ["images-ecommerce"], count: 20),
        Search(source: "openverse", words: "cat", recordings: ["images-cat-2026-cap240"], count: 2),
        Search(source: "openverse", words: "zebra", recordings: ["images-empty"], count: 0),
        Search(source: "openverse", words: "cat", recordings: ["images-cat-2026-cap240", "images-birds"], count: 22),
        Search(source: "wikimedia", words: "cat", recordings: ["search-generator-2026"], count: 2),
        Search(source: "wikimedia", words: "", recordings: ["allimages-40-nocontinue"], count: 28),
        Search(
            source: "wikimedia", words: "night",
            recordings: ["allimages-continue-1", "allimages-continue-2", "allimages-continue-3"], count: 9),
        Search(source: "apod", words: "date:2024-04-01..2024-04-30", recordings: ["range-multiple"], count: 28),
        Search(source: "apod", words: "", recordings: ["range-multiple"], count: 28),
        Search(source: "apod", words: "date:2024-04-30", recordings: ["single"], count: 1),
        Search(source: "apod", words: "", recordings: ["rec-apod-day"], count: 1),
        Search(source: "apod", words: "date:2019-01-01", recordings: ["rec-apod-2"], count: 1),
        Search(source: "apod", words: "date:2025-07-12", recordings: ["single-2025-07-12"], count: 1),
        Search(source: "tumblr", words: "schochastics", recordings: ["posts-npf-blocks"], count: 0),
        Search(source: "tumblr", words: "foxes-in-love", recordings: ["posts-npf-image-2021"], count: 1),
        Search(source: "tumblr", words: "mooserific", recordings: ["posts-photo-photoset5-2025"], count: 1),
        Search(
            source: "tumblr", words: "prettysimpletattoos", recordings: ["posts-photo-prettysimpletattoos-20"],
            count: 20),
        Search(source: "tumblr", words: "mooserific", recordings: ["posts-text-new-links-2025"], count: 2),
        Search(
            source: "tumblr", words: "mooserific",
            recordings: ["posts-text-new-links-2025", "posts-photo-photoset5-2025"], count: 3),
        Search(source: "tumblr", words: "tag:photo", recordings: ["tagged-photo-20"], count: 19),
        Search(source: "tumblr", words: "tag:text", recordings: ["tagged-text-20"], count: 10),
    ]

    private static func recording(_ name: String, of source: String) throws -> [UInt8] {
        try Folder.working.read("\(TestData.shared ?? "")/api/\(source)/\(name).json", limit: 1 << 20)
    }

    /// Answers the API's requests with the recordings, in which all addresses lead to the server, and others with a picture.
    private func server(for search: Search, _ picture: [UInt8]) throws -> LoopbackServer {
        let bodies = try search.recordings.map { try Self.recording($0, of: search.source) }
        let asked = Mutex(0)
        return try LoopbackServer { request in
            if request.path.hasPrefix("/elsewhere/") {
                return .init(headers: [("Content-Type", "image/png")], body: picture)
            }
            let number = asked.withLock { asked in
                defer { asked += 1 }
                return min(asked, bodies.count - 1)
            }
            var body = bodies[number]
            let elsewhere = Array("http:@@\(request.headers["Host"] ?? "")/elsewhere/".utf8)
            for scheme in ["https://", "http://", "https:\\/\\/", "http:\\/\\/"] {
                body.replace(Array(scheme.utf8), with: elsewhere)
            }
            body.replace(Array("http:@@".utf8), with: Array("http://".utf8))
            return .init(headers: [("Content-Type", "application/json")], body: body)
        }
    }

    private func list(_ search: Search, from server: LoopbackServer, _ options: String...) throws
        -> SpawnedProgram.Outcome
    {
        let words = search.words.isEmpty ? [] : [search.words]
        let endpoint = server.address("/").description
        var program = SpawnedProgram(
            ["list", "--source", search.source, "--endpoint", endpoint, "--no-cache", "--limit", "all"] + options
                + words)
        program.environment.append("SPYGLASS_TUMBLR_KEY=k3y")
        return try program.run()
    }

    private func items(_ outcome: SpawnedProgram.Outcome) throws -> [JSONValue] {
        try outcome.output.split(separator: UInt8(ascii: "\n")).map { try JSONValue(parsing: Array($0)) }
    }

    private func ids(in json: JSONValue, of source: String) -> [String] {
        switch source {
        case "bing": return (json["value"]?.elements ?? []).compactMap { $0["imageId"]?.text }
        case "openverse": return (json["results"]?.elements ?? []).compactMap { $0["id"]?.text }
        case "apod":
            let images = json.elements.filter { $0["media_type"]?.text == "image" }
            return images.compactMap { $0["date"]?.text }.sorted(by: >)
        case "wikimedia":
            guard case .object(let members)? = json["query"]?["pages"] else { return [] }
            let files = members.map(\.value).filter { $0["imageinfo"] != nil }
            return files.compactMap { $0["pageid"]?.text }
        default:
            let response = json["response"]
            let posts = (response?["posts"] ?? response)?.elements ?? []
            return posts.filter(hasPicture).compactMap { $0["id"]?.text }
        }
    }

    /// Whether a post has a picture in any of its members.
    private func hasPicture(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): return text.contains("<img")
        case .array(let elements): return elements.contains(where: hasPicture)
        case .object(let members):
            if value["type"]?.text == "image", value["media"] != nil { return true }
            return members.contains { $0.name == "original_size" || hasPicture($0.value) }
        default: return false
        }
    }

    @Test("Every recorded item with a picture is listed once, in order", arguments: searches)
    func items(search: Search) throws {
        let recorded = try search.recordings.flatMap { name in
            ids(in: try JSONValue(parsing: try Self.recording(name, of: search.source)), of: search.source)
        }
        #expect(recorded.count == search.count)
        let server = try server(for: search, TinyPNG.solid(255, 0, 0))
        defer { server.stop() }
        let outcome = try list(search, from: server, "--json")
        #expect(outcome.code == 0, "\(outcome.errors)")
        let listed = try items(outcome).filter { $0["thumbnail"]?.text != nil }
        #expect(listed.compactMap { $0["id"]?.text } == recorded)
        #expect(!"\(outcome.errors)\(String(decoding: outcome.output, as: UTF8.self))".contains("k3y"))
    }

    @Test("The pictures of recorded items are drawn", arguments: ["bing", "openverse", "wikimedia", "apod", "tumblr"])
    func pictures(source: String) throws {
        let search = try #require(Self.searches.first { $0.source == source && $0.count > 0 })
        let server = try server(for: search, TinyPNG.solid(255, 0, 0))
        defer { server.stop() }
        let outcome = try list(search, from: server, "--cells", "80x24")
        #expect(outcome.code == 0, "\(outcome.errors)")
        let red = Array("48;2;255;0;0m".utf8)
        #expect(outcome.output.split(separator: red).count == search.count + 1)
    }
}

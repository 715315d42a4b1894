import SpyglassCaching
import SpyglassCodecs
import SpyglassFetching
@testable import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

/// Sets every pixel to one colour, or fails.
private struct Paint: ImageProcessing {
    struct Failure: Error, CustomStringConvertible {
        var description: String { "no paint" }
    }

    var color: RGBA?
    var identifier: String { "paint \(color.map { "\($0.red)" } ?? "none")" }

    func process(_ image: consuming PixelBuffer, _ context: ProcessingContext) throws -> PixelBuffer {
        guard let color else { throw Failure() }
        var image = image
        for y in 0..<image.size.height {
            image.withMutableRow(y) { row in
                for x in stride(from: 0, to: row.count, by: 4) { (row[x], row[x + 1], row[x + 2]) = (color.red, 0, 0) }
            }
        }
        return image
    }
}

@Suite("ImageRequest: policies, processors and names")
struct RequestOptionsTests {
    private let transport = ScriptedTransport(body: Fixture.thumbnail)
    private let calendar = ManualCalendar(WallTime(seconds: 1_800_000_000))

    private func pipeline(_ transport: (any Transport)? = nil) -> ImagePipeline {
        ImagePipeline(transport: transport ?? self.transport, now: calendar.clock)
    }

    @Test("Processors change the pixels in their order, and each set of them has its own image")
    func processors() async throws {
        let pipeline = pipeline()
        var request = ImageRequest.sample
        let plain = try await pipeline.image(for: request).pixels
        request.processors = [Paint(color: RGBA(10, 0, 0)), Paint(color: RGBA(200, 0, 0))]
        let painted = try await pipeline.image(for: request).pixels
        #expect(painted[3, 3] == RGBA(200, 0, 0) && painted.size == plain.size)
        request.processors.removeLast()
        #expect(try await pipeline.image(for: request).pixels[3, 3] == RGBA(10, 0, 0))
        request.processors = []
        let again = try await pipeline.image(for: request)
        #expect(again.origin == .memory && again.pixels == plain)
    }

    @Test("A processor that fails names itself, the source and the reason")
    func failed() async throws {
        var request = ImageRequest.sample
        request.processors = [Paint()]
        let error = await failure { try await pipeline().image(for: request) }
        #expect(error == .processing("paint none", reason: "no paint", request.source))
        #expect(error?.description == "https://images.example/0.jpg: paint none: no paint")
    }

    @Test("An error and a source are one line without escape sequences, whatever they name")
    func oneLine() {
        let path = "a\n\u{1b}]0;b\u{7}\u{9b}\u{2028}\u{202e}c"
        let address = WebAddress.picture()
        let errors: [ImageError] = [
            .decode(CodecError(.corrupt, path), .file(path)), .processing(path, reason: path, .bytes([1])),
            .fetch(FetchError(.unreachable, path)), .status(404, address),
        ]
        let sources: [ImageSource] = [.file(path), .bytes([1, 2]), .address(address)]
        for text in errors.map({ "\($0)" }) + sources.map({ "\($0)" }) {
            #expect(text.unicodeScalars.allSatisfy { $0.value >= 32 && !(127..<160).contains($0.value) }, "\(text)")
            #expect(!text.contains("\u{2028}") && !text.contains("\u{202e}"))
        }
        #expect(sources.map { "\($0)" } == ["a  ]0;b    c", "2 bytes", "\(address)"])
    }

    @Test("An origin without lifetimes is asked once in the time that a request accepts")
    func atLeast() async throws {
        let transport = ScriptedTransport(body: Fixture.thumbnail, lifetime: nil)
        let pipeline = pipeline(transport)
        var request = ImageRequest.sample
        request.cachePolicy = .atLeast(.seconds(60))
        for _ in 0..<3 { _ = try await pipeline.image(for: request) }
        #expect(transport.count == 1)
        calendar.advance(by: .seconds(61))
        #expect(try await pipeline.image(for: request).origin != .memory)
        #expect(transport.count == 2)
        request.cachePolicy = .immutable
        calendar.advance(by: .seconds(1_000_000))
        #expect(try await pipeline.image(for: request).origin == .memory)
        request.cachePolicy = .http
        _ = try await pipeline.image(for: request)
        #expect(transport.count == 3)
    }

    @Test("Eight hundred requests for eight images of an origin without lifetimes are eight fetches")
    func atLeastTogether() async throws {
        let transport = ScriptedTransport(body: Fixture.thumbnail, lifetime: nil)
        let pipeline = pipeline(transport)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<800 {
                var request = ImageRequest.picture(number % 8)
                request.cachePolicy = .atLeast(.seconds(60))
                group.addTask { [request] in _ = try await pipeline.image(for: request) }
            }
            try await group.waitForAll()
        }
        #expect(transport.count == 8)
    }

    @Test("Requests with different header fields share nothing, and forbid storing")
    func headers() async throws {
        let pipeline = pipeline()
        var request = ImageRequest.sample
        for value in ["one", "two"] {
            request.headers = HeaderFields()
            request.headers.add(name: "X-Token", value: value)
            _ = try await pipeline.image(for: request)
        }
        #expect(transport.requests.map { $0.headers["X-Token"] } == ["one", "two"])
        #expect(transport.requests.allSatisfy { $0.headers["Cache-Control"] == "no-store" })
        #expect(ImageKey(request)?.thumbnailName == nil)
    }

    @Test("A request is changed before the transport sees it, and an error of that fails it")
    func willLoad() async throws {
        var configuration = ImagePipeline.Configuration(transport: transport)
        configuration.willLoad = { request in
            guard request.address == .picture(0) else { throw Paint.Failure() }
            request.headers.add(name: "Authorization", value: "Bearer 7")
        }
        let pipeline = ImagePipeline(configuration)
        _ = try await pipeline.image(for: .sample)
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer 7"])
        for load in [
            { _ = try await pipeline.image(for: .picture(1)) },
            { _ = try await pipeline.originalData(for: .picture(1)) },
        ] {
            let reason = await failure(load)?.fetchError
            #expect(reason?.description.containsBytes(of: "no paint") == true && transport.count == 1)
        }
    }

    @Test("A request for cached images only never reaches a server, also without a cache on disk")
    func cacheOnly() async throws {
        let server = try LoopbackServer { _ in .init(body: Fixture.thumbnail) }
        defer { server.stop() }
        let pipeline = ImagePipeline(ImagePipeline.Configuration(reach: .any))
        var request = ImageRequest(.address(server.address("/a.jpg")), target: .original)
        request.cachePolicy = .cacheOnly
        for headers in [[], [HeaderFields.Field(name: "X-Token", value: "7")]] {
            request.headers = HeaderFields(headers)
            #expect(await failure { try await pipeline.image(for: request) }?.fetchError?.kind == .notCached)
        }
        #expect(server.requests.isEmpty)
    }

    @Test("One name is one image, whatever its address, and bytes with a name are kept")
    func names() async throws {
        let pipeline = pipeline()
        for number in 0..<3 {
            var request = ImageRequest.picture(number)
            request.cacheKey = "the moon"
            request.cachePolicy = .immutable
            _ = try await pipeline.image(for: request)
        }
        #expect(transport.count == 1)
        var bytes = ImageRequest(.bytes(Fixture.thumbnail), target: ImageRequest.sample.target)
        bytes.cacheKey = "upload 7"
        #expect(try await pipeline.image(for: bytes).origin == .decoded(nil))
        #expect(try await pipeline.image(for: bytes).origin == .memory)
        bytes.cachePolicy = .reload
        #expect(try await pipeline.image(for: bytes).origin == .decoded(nil))
    }

    @Test("A file by its path is kept in memory until it changes")
    func file() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a.jpg", Fixture.thumbnail)
        let pipeline = pipeline()
        let request = ImageRequest(.file(folder.path("a.jpg")), target: ImageRequest.sample.target)
        #expect(try await pipeline.image(for: request).origin == .decoded(nil))
        #expect(try await pipeline.image(for: request).origin == .memory)
        try folder.write("a.jpg", Fixture.progressive)
        #expect(try await pipeline.image(for: request).origin == .decoded(nil))
    }

    @Test("Encoded results come from memory, and go with their image")
    func data() async throws {
        let pipeline = pipeline()
        let png = try await pipeline.data(for: .sample, as: .png)
        #expect(png.starts(with: [0x89, 0x50]) && pipeline.cache.contains(.sample))
        #expect(try await pipeline.data(for: .sample, as: .png) == png)
        #expect(try await pipeline.data(for: .sample, as: .jpeg(.init())).starts(with: [0xFF, 0xD8]))
        #expect(try await pipeline.originalData(for: .sample) == Fixture.thumbnail)
        let file = ImageRequest(.file(TestData.fixture("images/jpeg/420.jpg")), target: ImageRequest.sample.target)
        let (first, again) = (
            try await pipeline.data(for: file, as: .png), try await pipeline.data(for: file, as: .png)
        )
        #expect(
            first.withUnsafeBufferPointer { first in
                again.withUnsafeBufferPointer { $0.baseAddress == first.baseAddress }
            })
        await pipeline.cache.remove(.sample)
        #expect(!pipeline.cache.contains(.sample) && pipeline.cache.image(for: .sample) == nil)
    }

    @Test("The events of a request end with its image, also of one in memory, and with the failure otherwise")
    func events() async throws {
        let pipeline = pipeline()
        for origin in [ImageResponse.Origin.decoded(.network), .memory] {
            var last: PipelineEvent?
            for await event in pipeline.load(.sample).events { last = event }
            guard case .finished(let source, let response)? = last else {
                Issue.record("\(String(describing: last))")
                continue
            }
            #expect(source == ImageRequest.sample.source && response.isFinal)
            #expect((response.origin == .memory) == (origin == .memory))
        }
        var last: PipelineEvent?
        for await event in pipeline.load(ImageRequest(.bytes([1]), target: .original)).events { last = event }
        guard case .failed? = last else { return #expect(last == nil) }
    }

    @Test("A pipeline for public addresses refuses all others")
    func reach() async throws {
        let pipeline = ImagePipeline(ImagePipeline.Configuration())
        let source = try ImageSource(address: "http://127.0.0.1:9/a.jpg")
        let error = await failure { try await pipeline.image(for: ImageRequest(source, target: .original)) }
        #expect(error?.fetchError?.kind == .disallowed)
    }
}

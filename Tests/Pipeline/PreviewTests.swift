import SpyglassCodecs
import SpyglassFetching
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassPipeline

@Suite("Previews")
struct PreviewTests {
    private let clock = ManualClock()
    private let log = CallRecorder<PipelineEvent>()
    private let request = ImageRequest(
        .address(.picture()), target: TargetSize(box: PixelSize(width: 40, height: 40)))

    private func pipeline(_ transport: DribblingTransport) -> ImagePipeline {
        ImagePipeline(transport: transport.base, clock: clock, onEvent: log.record)
    }

    /// Starts a request whose frames the test reads, once its fetch has started.
    private func frames(
        over transport: DribblingTransport
    ) async -> AsyncThrowingStream<ImageResponse, any Error>.Iterator {
        let results = pipeline(transport).frames(for: request).makeAsyncIterator()
        await transport.started()
        return results
    }

    private func expected(_ body: [UInt8]) throws -> DecodedImage {
        try ImageDecoder().decode(.bytes(body), to: request.target)
    }

    private var previewCount: Int { log.values.count { if case .previewed = $0 { true } else { false } } }

    /// Lets the pipeline make the next preview, and returns it.
    private func preview(
        _ results: inout AsyncThrowingStream<ImageResponse, any Error>.Iterator, after duration: Duration
    ) async throws -> ImageResponse? {
        await clock.waitForSleepers()
        clock.advance(by: duration)
        return try await results.next(isolation: nil)
    }

    @Test("A slow progressive JPEG gives previews, then the final image")
    func previews() async throws {
        let body = Fixture.progressive
        let transport = DribblingTransport(body)
        var results = await frames(over: transport)
        transport.send(upTo: body.count / 2)
        let first = try #require(try await preview(&results, after: .milliseconds(150)))
        #expect(first.image.completeness == .degraded && first.origin == .decoded(.network))
        transport.send(upTo: body.count * 9 / 10)
        let second = try #require(try await preview(&results, after: .milliseconds(100)))
        #expect(second.image.completeness == .degraded)
        transport.finish()
        let last = try #require(try await results.next())
        #expect(try last.image.completeness == .complete && last.image.pixels == expected(body).pixels)
        #expect(try await results.next() == nil)
        #expect(previewCount == 2)
        #expect(distance(second.image, last.image) <= distance(first.image, last.image))
    }

    @Test("A transfer of less than 150 ms makes no preview")
    func fast() async throws {
        let transport = DribblingTransport(Fixture.progressive)
        var results = await frames(over: transport)
        transport.send(upTo: Fixture.progressive.count - 10)
        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(149))
        transport.finish()
        #expect(try await results.next()?.image.completeness == .complete)
        #expect(previewCount == 0)
    }

    @Test("Other files have no previews, and their progress reaches the end")
    func otherKinds() async throws {
        for body in [Fixture.thumbnail, Array("<html>".utf8) + [UInt8](repeating: 32, count: 1000)] {
            let transport = DribblingTransport(body)
            let pipeline = pipeline(transport)
            var request = request
            request.includesPreviews = true
            let task = pipeline.load(request)
            let progress = task.progress
            await transport.started()
            let isJPEG = body == Fixture.thumbnail
            #expect(transport.send(upTo: body.count - 1))
            if isJPEG {
                await clock.waitForSleepers()
                clock.advance(by: .milliseconds(150))
            }
            #expect(transport.finish())
            if isJPEG {
                #expect(try await task.value.image.pixels == (try expected(body)).pixels)
            } else {
                await #expect(throws: ImageError.self) { try await task.value }
            }
            var received: [ImageTask.Progress] = []
            for await value in progress { received.append(value) }
            #expect(received.last == ImageTask.Progress(received: body.count, total: body.count))
            #expect(previewCount == 0)
        }
    }

    @Test("A restarted response restarts the image")
    func restart() async throws {
        let other = Fixture.otherProgressive
        let transport = DribblingTransport(other)
        var results = await frames(over: transport)
        transport.send(upTo: other.count / 2)
        _ = try await preview(&results, after: .milliseconds(150))
        transport.restart(with: Fixture.progressive)
        transport.send(upTo: Fixture.progressive.count / 2)
        _ = try await preview(&results, after: .milliseconds(150))
        transport.finish()
        #expect(try await results.next()?.image.pixels == (try expected(Fixture.progressive)).pixels)
    }

    @Test("If a cache replaces a partial response, the replacement is shown")
    func anotherBody() async throws {
        let body = Fixture.progressive
        let transport = DribblingTransport(body)
        var results = await frames(over: transport)
        transport.send(upTo: body.count / 3)
        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(150))
        transport.send(upTo: body.count / 2)
        _ = try await results.next()
        // Longer than the bytes fed, so that only its content differs.
        let other = Fixture.otherProgressive + [UInt8](repeating: 0, count: body.count)
        transport.finish(with: other)
        #expect(try await results.next()?.image.pixels == (try expected(other)).pixels)
    }

    @Test("An unsuccessful response has no previews")
    func status() async throws {
        let transport = DribblingTransport(Fixture.progressive, status: 503)
        var results = await frames(over: transport)
        #expect(transport.send(upTo: 2000))
        transport.finish()
        await #expect(throws: ImageError.status(503, .picture())) { try await results.next() }
        #expect(previewCount == 0)
    }

    @Test("A request without previews makes none, also for those that join it")
    func plain() async throws {
        let transport = DribblingTransport(Fixture.progressive)
        let pipeline = pipeline(transport)
        let plain = pipeline.load(request)
        var results = pipeline.frames(for: request).makeAsyncIterator()
        await transport.started()
        transport.finish()
        #expect(try await plain.value.image.completeness == .complete)
        #expect(try await results.next()?.image.completeness == .complete)
        #expect(try await results.next() == nil)
    }

    @Test("Cancelling between previews leaves nothing behind")
    func leaving() async throws {
        let transport = DribblingTransport(Fixture.progressive)
        let pipeline = pipeline(transport)
        do {
            var results = pipeline.frames(for: request).makeAsyncIterator()
            await transport.started()
            transport.send(upTo: 4000)
            _ = try await preview(&results, after: .milliseconds(150))
        }
        await pipeline.waitUntilIdle()
        #expect(transport.base.cancelled.count == 1)
        #expect(pipeline.isEmpty)
    }

    private func distance(_ left: DecodedImage, _ right: DecodedImage) -> Int {
        zip(left.pixels.bytes, right.pixels.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    }
}

/// Sends a body in steps that the test controls.
private final class DribblingTransport: Sendable {
    let base: ScriptedTransport
    private let status: Int
    private let state: Mutex<(body: [UInt8], sent: Int)>

    init(_ body: [UInt8], status: Int = 200) {
        self.status = status
        state = Mutex((body, 0))
        base = ScriptedTransport(gate: AsyncGate(), body: body)
    }

    private var control: FetchControl? { base.requests.first?.control }

    /// Waits for the fetch, and sends the head.
    func started() async {
        await base.waitForRequests(1)
        start()
    }

    private func start() {
        let length = HeaderFields.Field(name: "Content-Length", value: "\(state.withLock { $0.body.count })")
        _ = control?.onBody?(.started(status: status, headers: HeaderFields([length])))
    }

    /// Sends the body up to there; returns whether to send more.
    @discardableResult
    func send(upTo end: Int) -> Bool {
        let chunk = state.withLock { state in
            defer { state.sent = max(end, state.sent) }
            return state.sent < end ? Array(state.body[state.sent..<end]) : []
        }
        return control?.onBody?(.bytes(chunk)) ?? false
    }

    /// Starts again, like a transport that retries.
    func restart(with body: [UInt8]) {
        state.withLock { $0 = (body, 0) }
        start()
    }

    /// Ends with the body, or with another; returns whether the rest was wanted.
    @discardableResult
    func finish(with other: [UInt8]? = nil) -> Bool {
        let body = state.withLock { $0.body }
        let isWanted = other == nil ? send(upTo: body.count) : false
        base.setScript { [status] request, _ in
            FetchResponse(address: request.address, status: status, body: other ?? body)
        }
        base.open()
        return isWanted
    }
}

@Suite("PreviewDecoder")
struct PreviewDecoderTests {
    @Test("Bytes above the limit are not buffered")
    func limit() {
        let request = ImageRequest(.address(.picture()), target: .original)
        let feed = PreviewDecoder(request, ImageDecoder(), bodyLimit: 1000, now: { .zero })
        _ = feed.append(.started(status: 200, headers: HeaderFields()))
        #expect(feed.append(.bytes([0xff, 0xd8] + [UInt8](repeating: 0, count: 998))))
        #expect(!feed.append(.bytes([0])))
    }
}

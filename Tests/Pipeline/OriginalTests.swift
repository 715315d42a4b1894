import SpyglassCaching
import SpyglassCodecs
import SpyglassFetching
@testable import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
@testable import SpyglassThreads
import Testing

@Suite("ImagePipeline: parts of originals")
struct OriginalTests {
    private let log = CallRecorder<PipelineEvent>()

    private func part(_ x: Double, of number: Int = 0) -> ImageRequest {
        ImageRequest(
            .address(.picture(number)), region: ImageRegion(x: x, y: 0, width: 0.5, height: 0.5),
            target: TargetSize(box: PixelSize(width: 12, height: 12)))
    }

    @Test("Parts of one image need one transfer until its original is released")
    func kept() async throws {
        let transport = ScriptedTransport(body: Fixture.thumbnail)
        let pipeline = ImagePipeline(transport: transport, onEvent: log.record)
        for x in [0, 0.1, 0.2] { _ = try await pipeline.image(for: part(x)) }
        #expect(transport.count == 1)
        pipeline.releaseOriginal()
        _ = try await pipeline.image(for: part(0.3))
        #expect(transport.count == 2)
    }

    @Test("A part of another image releases the original")
    func other() async throws {
        let transport = ScriptedTransport(body: Fixture.thumbnail)
        let pipeline = ImagePipeline(transport: transport)
        for (x, number) in [(0, 0), (0, 1), (0.1, 0)] { _ = try await pipeline.image(for: part(x, of: number)) }
        #expect(transport.count == 3)
    }

    @Test("A part has the pixels that the decoder gives for its region")
    func pixels() async throws {
        let pipeline = ImagePipeline(transport: ScriptedTransport(body: Fixture.thumbnail))
        let request = part(0.25)
        let expected = try ImageDecoder().decode(
            .bytes(Fixture.thumbnail), region: request.region, to: request.target)
        let frame = try await pipeline.image(for: request)
        #expect(frame.pixels == expected.pixels && frame.image.info.size == expected.info.size)
    }

    @Test("A second part continues the transfer of the first, which leaves immediately")
    func panning() async throws {
        let transport = ScriptedTransport(gate: AsyncGate(), body: Fixture.thumbnail)
        let pipeline = ImagePipeline(transport: transport, onEvent: log.record)
        var task = pipeline.load(part(0))
        await transport.waitForRequests(1)
        for x in [0.1, 0.2, 0.3] {
            let next = pipeline.load(part(x))
            task.cancel()
            task = next
        }
        transport.open()
        #expect(try await task.value.completeness == .complete)
        await pipeline.waitUntilIdle()
        #expect(transport.count == 1 && transport.cancelled.isEmpty)
        #expect(pipeline.isEmpty)
    }

    @Test("A cancelled part ends its transfer, and nothing is kept")
    func leaving() async throws {
        let transport = ScriptedTransport(gate: AsyncGate(), body: Fixture.thumbnail)
        let pipeline = ImagePipeline(transport: transport)
        let task = pipeline.load(part(0))
        await transport.waitForRequests(1)
        task.cancel()
        await pipeline.waitUntilIdle()
        #expect(transport.cancelled.count == 1)
        transport.open()
        _ = try await pipeline.image(for: part(0))
        #expect(transport.count == 2)
    }

    @Test("A body that a cancelled task received is not kept")
    func cancelled() async {
        let original = CachedOriginal()
        let key = TransferKey(address: .picture(), trust: .any, revalidates: false)
        let response = FetchResponse(address: .picture(), status: 200, body: [1])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            original.keep(response, to: key)
        }
        await task.value
        #expect(original.response(to: key) == nil)
        original.keep(response, to: key)
        #expect(original.response(to: key) == response)
    }

    @Test("An original of more than half of the work memory is too large for its parts")
    func large() async throws {
        let transport = ScriptedTransport(body: Fixture.thumbnail)
        let memory = WorkMemory(limit: Fixture.thumbnail.count * 2 - 1)
        let pipeline = ImagePipeline(transport: transport, decoder: ImageDecoder(memory: memory))
        let count = Fixture.thumbnail.count
        let reason = "\(count) bytes, above the limit of \(count - 1) bytes for zooming, half of the work memory"
        await #expect(
            throws: ImageError.fetch(
                FetchError(.tooLarge, "\(WebAddress.picture()): \(reason)", exceededLimit: .workMemory))
        ) {
            try await pipeline.image(for: part(0))
        }
        var whole = part(0)
        whole.region = .whole
        _ = try await pipeline.image(for: whole)
    }

    @Test("A transfer reports its bytes, and the length that the server names")
    func progress() async throws {
        let chunk = [UInt8](repeating: 0, count: 64 << 10)
        for length in [nil, 2 * chunk.count] {
            let transport = ScriptedTransport { request, _ in
                let fields = length.map { [HeaderFields.Field(name: "Content-Length", value: "\($0)")] } ?? []
                #expect(request.control?.onBody?(.started(status: 200, headers: HeaderFields(fields))) == true)
                for _ in 0..<2 { #expect(request.control?.onBody?(.bytes(chunk)) == true) }
                return FetchResponse(address: request.address, status: 200, body: Fixture.thumbnail)
            }
            let log = CallRecorder<PipelineEvent>()
            let pipeline = ImagePipeline(transport: transport, onEvent: log.record)
            _ = try await pipeline.image(for: part(0))
            let reports = log.values.compactMap { event -> ImageTask.Progress? in
                if case .received(_, let received, of: let total) = event {
                    return ImageTask.Progress(received: received, total: total)
                }
                return nil
            }
            #expect(
                reports == [0, chunk.count, 2 * chunk.count].map { ImageTask.Progress(received: $0, total: length) })
        }
    }
}

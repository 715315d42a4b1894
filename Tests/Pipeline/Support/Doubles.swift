import Glibc
import SpyglassCaching
import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

/// Images of the project's fixtures.
enum Fixture {
    /// A small baseline JPEG.
    static let thumbnail = TestData.bytes(of: TestData.fixture("images/jpeg/420.jpg"))
    /// A progressive JPEG of several scans.
    static let progressive = TestData.bytes(of: TestData.fixture("images/jpeg/large-progressive.jpg"))
    /// Another one.
    static let otherProgressive = TestData.bytes(of: TestData.fixture("images/jpeg/progressive-420.jpg"))
}

extension WebAddress {
    /// A different address for every number.
    static func picture(_ number: Int = 0) -> WebAddress {
        let address = WebAddress("https://images.example/\(number).jpg")
        guard let address else { preconditionFailure("no address") }
        return address
    }
}

extension ImageRequest {
    /// A request for a numbered address.
    static func picture(
        _ number: Int = 0, width: Int = 12, priority: FetchPriority = .visible, revalidates: Bool = false
    ) -> ImageRequest {
        var request = ImageRequest(
            .address(.picture(number)), target: TargetSize(box: PixelSize(width: width, height: width)),
            priority: priority)
        if revalidates { request.cachePolicy = .reload }
        return request
    }

    static let sample = picture()
}

extension ImagePipeline {
    /// A pipeline with a test's changes to the default configuration.
    convenience init(
        transport: any Transport, memory: Memory? = nil, thumbnails: (any ByteStore)? = nil,
        usesStaleThumbnails: Bool = false, decoder: ImageDecoder = ImageDecoder(), threads: ThreadPool? = nil,
        fileThreads: ThreadPool? = nil, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> WallTime = { WallTime.now() }, bodyLimit: Int = 64 << 20,
        onEvent: @escaping PipelineEvent.Observer = { _ in }
    ) {
        var configuration = Configuration(transport: transport)
        configuration.imageCache = memory
        configuration.thumbnails = thumbnails
        configuration.usesStaleThumbnails = usesStaleThumbnails
        configuration.decoder = decoder
        configuration.threads = threads
        configuration.fileThreads = fileThreads
        configuration.clock = clock
        configuration.now = now
        configuration.bodyLimit = bodyLimit
        configuration.onEvent = onEvent
        self.init(configuration)
    }
}

extension ImagePipeline {
    /// The previews of a request, and its final image.
    func frames(for request: ImageRequest) -> AsyncThrowingStream<ImageResponse, any Error> {
        var request = request
        request.includesPreviews = true
        return load(request).frames
    }
}

extension ImageError {
    /// Why an image was not decoded.
    var codecError: CodecError? { if case .decode(let error, _) = self { error } else { nil } }
    /// Why its bytes were not fetched.
    var fetchError: FetchError? { if case .fetch(let error) = self { error } else { nil } }
}

/// Returns the `ImageError` that `body` throws, if any; another error fails the test.
func failure<Value>(_ body: () async throws -> Value) async -> ImageError? {
    do {
        _ = try await body()
        return nil
    } catch {
        if !(error is ImageError) { Issue.record(error) }
        return error as? ImageError
    }
}

extension CallRecorder<PipelineEvent> {
    var decodedCount: Int { values.count { if case .decoded = $0 { true } else { false } } }
    var cancelledCount: Int { values.count { if case .cancelled = $0 { true } else { false } } }

    /// Waits until a transfer was joined so many times.
    func waitForJoinedTransfers(_ count: Int) async {
        await wait(for: count) { if case .coalesced(_, .transfer) = $0 { true } else { false } }
    }
}

/// Blocks threads until a test opens it, and counts them.
final class Turnstile: Sendable {
    private let gate = Gate()
    private let arrivals = WatchedValue(0)

    /// Blocks the calling thread until `open`.
    func pass() {
        arrivals.change { $0 += 1 }
        gate.wait()
    }

    /// Releases all threads, also later ones.
    func open() { gate.open() }

    /// Waits for so many threads.
    func waitForArrivals(_ count: Int) async { await arrivals.wait { $0 >= count } }
}

extension ScriptedTransport {
    /// Returns this body for every request, fresh for ever.
    convenience init(
        gate: AsyncGate? = nil, ignoresCancellation: Bool = false, body: [UInt8],
        lifetime: FetchResponse.Lifetime? = .forEver
    ) {
        self.init(gate: gate, ignoresCancellation: ignoresCancellation) { request, _ in
            FetchResponse(address: request.address, status: 200, body: body, lifetime: lifetime)
        }
    }
}

extension FetchResponse.Lifetime {
    static let forEver = FetchResponse.Lifetime(freshUntil: WallTime(milliseconds: .max), allowsStale: true)
}

extension FetchResponse {
    init(
        address: WebAddress, status: Int, body: [UInt8], origin: Origin = .network, freshness: Freshness = .fresh,
        lifetime: Lifetime?
    ) {
        self.init(address: address, status: status, body: body, origin: origin, freshness: freshness)
        self.lifetime = lifetime
    }
}

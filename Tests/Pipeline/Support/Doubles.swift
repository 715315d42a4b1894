import Glibc
import SpyglassCaching
import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads

/// Images of the project's fixtures.
enum Fixture {
    /// A small baseline JPEG.
    static let thumbnail = contents(TestData.fixture("images/jpeg/420.jpg"))
    /// A progressive JPEG of several scans.
    static let progressive = contents(TestData.fixture("images/jpeg/large-progressive.jpg"))
    /// Another one.
    static let otherProgressive = contents(TestData.fixture("images/jpeg/progressive-420.jpg"))

    private static func contents(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "rb") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return bytes
    }
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
        ImageRequest(
            .address(.picture(number)), target: TargetSize(box: PixelSize(width: width, height: width)),
            priority: priority, revalidates: revalidates)
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
        configuration.memory = memory
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

extension CallRecorder<PipelineEvent> {
    var decodedCount: Int { values.count { if case .decoded = $0 { true } else { false } } }
    var cancelledCount: Int { values.count { if case .cancelled = $0 { true } else { false } } }

    /// Waits until a transfer was joined so many times.
    func waitForJoinedTransfers(_ count: Int) async {
        await wait(for: count) { if case .coalesced(_, .transfer) = $0 { true } else { false } }
    }
}

/// A byte store in memory that blocks like a stalled disk until a test opens it.
final class SlowStore: ByteStore {
    let turnstile = Turnstile()
    private let isSlowToRead: Bool
    private let base = MemoryStore()
    private let readKeys = Mutex<[String]>([])

    /// Blocks writes, or reads.
    init(isSlowToRead: Bool = false) { self.isSlowToRead = isSlowToRead }

    var keys: [String] { base.keys }
    /// Keys that were read, in order.
    var reads: [String] { readKeys.withLock { $0 } }

    func entry(for key: String) -> CacheEntry? {
        readKeys.withLock { $0.append(key) }
        if isSlowToRead { turnstile.pass() }
        return base.entry(for: key)
    }

    func store(_ entry: CacheEntry, for key: String) -> Bool {
        if !isSlowToRead { turnstile.pass() }
        return base.store(entry, for: key)
    }

    func remove(_ key: String) { base.remove(key) }
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

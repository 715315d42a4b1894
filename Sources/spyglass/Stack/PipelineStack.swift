import SpyglassCaching
import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassTerminalUI
import SpyglassThreads

/// The pipeline of one run over its transports.
struct PipelineStack: Sendable {
    let pipeline: ImagePipeline
    let statistics: Statistics
    private let transports: TransportStack

    var archive: ArchiveTransport? { transports.archive }
    /// For responses of a source; images come through the pipeline.
    var transport: any Transport { transports.outermost }

    /// The parts that several stacks of a run have in common.
    struct Shared: Sendable {
        let statistics: Statistics
        let memory: ImagePipeline.Memory?
        let onFetch: FetchEvent.Observer
        let onImage: PipelineEvent.Observer
        let network: @Sendable (any Transport) -> any Transport
    }

    /// Touches no file and no network; `source` is by default that of the settings, `mode` is for the disk cache.
    init(
        _ settings: Settings, _ system: SystemServices, _ console: Console, source: SourceDeclaration? = nil,
        mode: CachingTransport.Mode = .normal, sharing shared: Shared? = nil
    ) throws(Failure) {
        let statistics = shared?.statistics ?? Statistics(clock: system.clock)
        self.statistics = statistics
        transports = try TransportStack(
            settings, system, console, source: source, mode: mode, through: shared?.network ?? { $0 }
        ) { event in
            statistics.count(event)
            console.log(event)
            shared?.onFetch(event)
        }
        let transport = mode == .offline ? PaintingTransport(base: transports.outermost) : transports.outermost
        var configuration = ImagePipeline.Configuration(transport: transport, workMemory: settings.workMemory)
        // Generated images are not stored.
        configuration.thumbnails = mode == .offline ? nil : transports.disk
        configuration.usesStaleThumbnails = settings.isOffline
        configuration.decoder = settings.decoder
        configuration.imageCache = shared.map(\.memory) ?? settings.makeMemoryCache()
        configuration.threads = settings.jobs.map { ThreadPool(count: $0) }
        configuration.fileThreads = transports.files
        configuration.clock = system.clock
        configuration.now = system.now
        configuration.bodyLimit = settings.limits.bodyBytes
        configuration.onEvent = { event in
            statistics.count(event)
            console.log(event)
            shared?.onImage(event)
        }
        pipeline = ImagePipeline(configuration)
    }

    /// Cancels work that no task awaits, and waits until all stores are on disk.
    func finish() async {
        await pipeline.flush()
        await transports.finish()
    }
}

/// The transports of one run, from below: the network or the demo, retries, a recording or the cache; or an archive.
struct TransportStack: Sendable {
    let archive: ArchiveTransport?
    let outermost: any Transport
    let disk: DiskCache?
    /// Threads that read and write the disk cache.
    let files = ThreadPool(count: 2)
    private let caching: CachingTransport?

    /// `source` is by default that of the settings; `mode` is for the disk cache; `wrap` goes below the retries.
    init(
        _ settings: Settings, _ system: SystemServices, _ console: Console, source: SourceDeclaration? = nil,
        mode: CachingTransport.Mode = .normal,
        through wrap: (any Transport) -> any Transport = { $0 },
        onEvent: @escaping FetchEvent.Observer
    ) throws(Failure) {
        let source = source ?? settings.source
        archive = settings.replayedArchive
        let notes = WaitNotes(console, retries: settings.retries, clock: system.clock)
        let onEvent: FetchEvent.Observer = { event in
            onEvent(event)
            notes.receive(event)
        }
        var origin: any Transport
        if let archive {
            origin = archive
        } else if source.usesNetwork {
            // A recording holds complete responses, so it resumes none.
            origin = RetryingTransport(
                wrap(system.network(settings, settings.connections, onEvent)), retries: settings.retries,
                resumes: settings.record == nil, clock: system.clock, now: system.now, onEvent: onEvent)
        } else {
            origin = source == .folder ? NoTransport() : DemoTransport() as any Transport
        }
        if let record = settings.record { origin = RecordingTransport(origin, folder: record) }
        let usesDisk =
            settings.usesDiskCache && archive == nil && settings.record == nil && source != DemoSource.declaration
        disk = usesDisk ? try Self.diskCache(settings, system, console) : nil
        // A source of folders uses the disk cache for thumbnails only.
        caching = (source.usesNetwork ? disk : nil).map { [files, origin] in
            CachingTransport(
                origin, store: $0, mode: settings.isOffline ? .offline : mode, memory: settings.workMemory,
                clock: system.clock, now: system.now, threads: files, onEvent: onEvent)
        }
        // Offline without a disk cache, only an archive has responses.
        let isCut = mode == .offline && archive == nil
        let all: any Transport = caching ?? (isCut ? NoTransport() : origin)
        outermost = settings.isPublicOnly ? PublicOnlyTransport(base: all) : all
    }

    func finish() async { await caching?.flush() }

    private static func diskCache(
        _ settings: Settings, _ system: SystemServices, _ console: Console
    ) throws(Failure) -> DiskCache? {
        guard !settings.isOffline || settings.cacheFolder != nil else { throw .noCacheFolder }
        guard let folder = settings.cacheFolder?.value else {
            console.verbose("no disk cache: neither HOME nor XDG_CACHE_HOME names a folder")
            return nil
        }
        return DiskCache(folder: folder, byteLimit: settings.diskLimit?.value, now: system.now) { error in
            console.note(error.message)
        }
    }
}

/// Treats every address as one from a public service, also for responses in caches.
struct PublicOnlyTransport: Transport {
    let base: any Transport

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        var request = request
        request.trust = .publicAddresses
        return try await base.fetch(request)
    }
}

/// Serves the demo's addresses by painting, all others through `base`.
private struct PaintingTransport: Transport {
    let base: any Transport
    let demo = DemoTransport()

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        let painted = try await demo.fetch(request)
        return painted.status == 404 ? try await base.fetch(request) : painted
    }
}

extension Failure {
    static let noCacheFolder = Failure.usage(
        "no folder for the disk cache; set HOME or XDG_CACHE_HOME, or use --cache-dir DIR")
}

/// Prints notes on the delays of retries: one a host, until the delay is over or the next attempt fails.
private final class WaitNotes: Sendable {
    /// Failures that follow sooner get no note of their own.
    private static let interval = Duration.seconds(2)
    private let console: Console
    private let retries: Int
    private let time: ElapsedClock
    private let last = Mutex<[String: (attempt: Int, end: Duration)]>([:])

    init(_ console: Console, retries: Int, clock: any Clock<Duration>) {
        self.console = console
        self.retries = retries
        time = ElapsedClock(clock)
    }

    func receive(_ event: FetchEvent) {
        guard case .retrying(let address, let attempt, let delay, let requested, _, _) = event else { return }
        let now = time.now()
        let isNew = last.withLock { last in
            if let note = last[address.host], now < note.end, attempt <= note.attempt { return false }
            last = last.filter { now < $0.value.end }
            last[address.host] = (attempt, now + max(delay, Self.interval))
            return true
        }
        guard isNew else { return }
        let text =
            requested.flatMap { $0 > .zero ? "server requested a delay; retrying in \($0.roundedUpSeconds) s" : nil }
            ?? "temporary error; retry \(attempt) of \(retries)"
        console.note("\(address.host): \(text)")
    }
}

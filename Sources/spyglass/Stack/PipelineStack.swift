import SpyglassCaching
import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassThreads

/// The pipeline of one run over its transports.
struct PipelineStack: Sendable {
    let pipeline: ImagePipeline
    let statistics: Statistics
    private let transports: TransportStack

    var archive: ArchiveTransport? { transports.archive }
    /// For responses of a source; images come through the pipeline.
    var transport: any Transport { transports.outermost }

    /// Touches no file and no network; `source` is by default that of the settings, and `mode` that of the disk cache.
    init(
        _ settings: Settings, _ system: SystemServices, _ console: Console, source: SourceDeclaration? = nil,
        mode: CachingTransport.Mode = .normal, sharing shared: Shared? = nil
    ) throws(Failure) {
        let statistics = shared?.statistics ?? Statistics(clock: system.clock)
        transports = try TransportStack(
            settings, system, console, source: source, mode: mode, through: shared?.network ?? { $0 }
        ) { event in
            statistics.count(event)
            console.log(event)
            shared?.onFetch(event)
        }
        self.statistics = statistics
        let transport = mode == .offline ? PaintingTransport(base: transports.outermost) : transports.outermost
        var configuration = ImagePipeline.Configuration(transport: transport, memory: settings.workMemory)
        // What was painted is not stored.
        configuration.thumbnails = mode == .offline ? nil : transports.disk
        configuration.usesStaleThumbnails = settings.isOffline
        configuration.decoder = settings.decoder
        configuration.memory = shared.map(\.memory) ?? settings.makeMemoryCache()
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

    struct Shared: Sendable {
        let statistics: Statistics
        let memory: ImagePipeline.Memory?
        let onFetch: FetchEvent.Observer
        let onImage: PipelineEvent.Observer
        let network: @Sendable (any Transport) -> any Transport
    }

    /// Cancels what no task awaits, and waits until everything to store is on disk.
    func finish() async {
        await pipeline.flush()
        await transports.finish()
    }
}

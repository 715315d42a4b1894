import SpyglassCaching
import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassThreads

/// Where the answers and pictures of one run come from: an archive, or the network behind retries and the disk cache.
///
///     let stack = try PipelineStack(settings, system, console)
///     let result = try await stack.pipeline.image(for: request)
///     await stack.finish()
///
/// The pipeline decodes what `TransportStack` bring, and is observed together with them.
struct PipelineStack: Sendable {
    let pipeline: ImagePipeline
    let statistics: Statistics
    private let transports: TransportStack

    /// What is replayed, if anything.
    var archive: ArchiveTransport? { transports.archive }
    /// For answers of a source; pictures come through the pipeline.
    var transport: any Transport { transports.outermost }

    /// Puts everything together; nothing is touched before it is used.
    ///
    /// - Throws: `Failure` when the cache is all there is and there is no folder for it.
    ///
    /// `memoryLimit` is how many bytes of pictures stay in memory where no option says otherwise. `sharing` is what several stacks of
    /// one run have in common.
    init(
        _ settings: Settings, _ system: SystemServices, _ console: Console, memoryLimit: Int? = nil,
        sharing: Shared? = nil
    ) throws(Failure) {
        let statistics = sharing?.statistics ?? Statistics(clock: system.clock)
        let logger = EventLogger(console)
        let onFetch: FetchEvent.Observer = { event in
            statistics.count(event)
            logger.log(event)
            sharing?.onFetch(event)
        }
        transports = try TransportStack(
            settings, system, console, through: sharing?.network ?? { $0 }, onEvent: onFetch)
        self.statistics = statistics
        var configuration = ImagePipeline.Configuration(transport: transports.outermost)
        configuration.thumbnails = transports.disk
        configuration.usesStaleThumbnails = settings.isOffline
        configuration.decoder = ImageDecoder(settings)
        configuration.memory =
            sharing?.memory
            ?? (settings.memoryLimit ?? memoryLimit).map { ImagePipeline.makeMemoryCache(totalCostLimit: $0) }
        configuration.threads = settings.jobs.map { ThreadPool(count: $0) }
        configuration.fileThreads = transports.files
        configuration.clock = system.clock
        configuration.now = system.now
        configuration.bodyLimit = settings.maxBytes
        configuration.onEvent = { event in
            statistics.count(event)
            logger.log(event)
            sharing?.onPicture(event)
        }
        pipeline = ImagePipeline(configuration)
    }

    /// What several stacks of one run have in common.
    struct Shared: Sendable {
        let statistics: Statistics
        let memory: ImagePipeline.Memory
        /// Told of every fetch, besides.
        let onFetch: FetchEvent.Observer
        /// Told of every picture, besides.
        let onPicture: PipelineEvent.Observer
        /// Wraps the network.
        let network: @Sendable (any Transport) -> any Transport
    }

    /// Returns when everything that is worth keeping is on disk; what is under way and wanted by nobody is given up.
    func finish() async {
        await pipeline.flush()
        await transports.finish()
    }
}

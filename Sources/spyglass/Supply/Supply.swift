import SpyglassCaching
import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassThreads

/// Where the answers and pictures of one run come from: an archive, or the network behind retries and the disk cache.
///
///     let supply = try Supply(settings, world, console)
///     let result = try await supply.pipeline.image(for: request)
///     await supply.finish()
///
/// From the bottom up: the network (or the demo's painter), retries, then a recording or the disk cache. An archive stands alone.
/// The pipeline decodes what comes, and is observed together with the transports.
struct Supply: Sendable {
    /// What is replayed, if anything.
    let archive: ArchiveTransport?
    /// For answers of a source; pictures come through the pipeline.
    let transport: any Transport
    let pipeline: ImagePipeline
    let statistics: Statistics
    private let caching: CachingTransport?

    /// Puts everything together; nothing is touched before it is used.
    ///
    /// - Throws: `Failure` when the cache is all there is and there is no folder for it.
    ///
    /// `memoryLimit` is how many bytes of pictures stay in memory where no option says otherwise. `sharing` is what several supplies of
    /// one run have in common.
    init(
        _ settings: Settings, _ world: World, _ console: Console, memoryLimit: Int? = nil, sharing: Shared? = nil
    ) throws(Failure) {
        let statistics = sharing?.statistics ?? Statistics(clock: world.clock)
        let teller = EventTeller(console)
        let onFetch: FetchEvent.Observer = { event in
            statistics.count(event)
            teller.tell(event)
            sharing?.onFetch(event)
        }
        let archive = settings.replayed
        let disk = try settings.diskCache(of: world, console)
        let origin: any Transport =
            if let archive { archive } else {
                settings.origin(of: world, observedBy: onFetch, through: sharing?.network ?? { $0 })
            }
        let files = WorkerThreads(count: Self.fileThreads)
        caching = disk.map {
            CachingTransport(
                origin, store: $0, mode: settings.isOffline ? .offline : .normal, clock: world.clock,
                now: world.now, threads: files, onEvent: onFetch)
        }
        self.archive = archive
        self.statistics = statistics
        transport = caching ?? origin
        pipeline = ImagePipeline(
            transport: transport, decoder: ImageDecoder(settings),
            memory: sharing?.memory
                ?? (settings.memoryLimit ?? memoryLimit).map { ImagePipeline.memory(totalCostLimit: $0) },
            thumbnails: disk,
            usesStaleThumbnails: settings.isOffline,
            threads: WorkerThreads(count: settings.jobs ?? max(2, ProcessorCount.usable)), fileThreads: files,
            clock: world.clock, now: world.now, bodyLimit: settings.maxBytes
        ) { event in
            statistics.count(event)
            teller.tell(event)
            sharing?.onPicture(event)
        }
    }

    /// What several supplies of one run have in common.
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

    /// Threads that read and write the disk cache.
    private static let fileThreads = 2

    /// Returns when everything that is worth keeping is on disk; what is under way and wanted by nobody is given up.
    func finish() async {
        await pipeline.finishWriting()
        await caching?.finishWriting()
    }
}

extension Settings {
    /// The archive that is replayed, if any.
    var replayed: ArchiveTransport? { archive.map { ArchiveTransport(folder: $0, redirectLimit: maxRedirects) } }

    /// What stands behind the disk cache: the demo's painter or the network, recorded if that is wanted.
    fileprivate func origin(
        of world: World, observedBy observer: @escaping FetchEvent.Observer,
        through wrap: (any Transport) -> any Transport
    ) -> any Transport {
        guard source != .demo else { return recorded(DemoTransport()) }
        let network = wrap(world.network(self, observer))
        // A recording holds whole answers as they came.
        return recorded(
            RetryingTransport(
                network, retries: retries, resumes: record == nil, clock: world.clock, now: world.now,
                onEvent: observer))
    }

    private func recorded(_ transport: any Transport) -> any Transport {
        record.map { RecordingTransport(transport, folder: $0) } ?? transport
    }

    /// The disk cache, where it is used: never with an archive, a recording or a source without a network.
    fileprivate func diskCache(of world: World, _ console: Console) throws(Failure) -> DiskCache? {
        guard usesDiskCache, archive == nil, record == nil, source != .demo else { return nil }
        guard let folder = cacheFolder(in: world.environment)?.path else {
            guard !isOffline else { throw Self.noCacheFolder }
            console.detail("no disk cache: neither HOME nor XDG_CACHE_HOME names a folder")
            return nil
        }
        return DiskCache(folder: folder, byteLimit: diskLimit, now: world.now) { problem in
            console.remark(problem.message)
        }
    }

    /// The folder of the disk cache, for those who cannot do without.
    func requiredCacheFolder(in environment: Environment) throws(Failure) -> String {
        guard let folder = cacheFolder(in: environment)?.path else { throw Self.noCacheFolder }
        return folder
    }

    private static let noCacheFolder = Failure.usage(
        "there is no folder for the disk cache: set HOME or XDG_CACHE_HOME, or name one with --cache-dir")
}

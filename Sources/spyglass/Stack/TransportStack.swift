import SpyglassCaching
import SpyglassCatalog
import SpyglassFetching
import SpyglassThreads

/// The transports of one run, one around the other.
///
///     let transports = try TransportStack(settings, system, console) { statistics.count($0) }
///     let response = try await transports.outermost.fetch(request)
///     await transports.finish()
///
/// From the bottom up: the network (or the demo's painter), retries, then a recording or the disk cache. An archive stands alone.
struct TransportStack: Sendable {
    /// What is replayed, if anything.
    let archive: ArchiveTransport?
    /// The one to ask.
    let outermost: any Transport
    /// The disk cache, if one is used.
    let disk: DiskCache?
    /// Threads that read and write the disk cache.
    let files = ThreadPool(count: 2)
    private let caching: CachingTransport?

    /// Puts them together; nothing is touched before it is used.
    ///
    /// `mode` is what the disk cache is for, where the options do not say that it is all there is. `wrap` puts something around the network
    /// itself, below the retries.
    ///
    /// - Throws: `Failure` when the cache is all there is and there is no folder for it.
    init(
        _ settings: Settings, _ system: SystemServices, _ console: Console, mode: CachingTransport.Mode = .normal,
        through wrap: (any Transport) -> any Transport = { $0 }, onEvent: @escaping FetchEvent.Observer
    ) throws(Failure) {
        archive = settings.replayed
        disk = try settings.diskCache(of: system, console)
        let origin: any Transport =
            if let archive { archive } else { settings.origin(of: system, observedBy: onEvent, through: wrap) }
        caching = disk.map { [files] in
            CachingTransport(
                origin, store: $0, mode: settings.isOffline ? .offline : mode, clock: system.clock,
                now: system.now, threads: files, onEvent: onEvent)
        }
        outermost = caching ?? origin
    }

    /// Returns when everything that is worth keeping is on disk.
    func finish() async { await caching?.flush() }
}

extension Settings {
    /// The archive that is replayed, if any.
    var replayed: ArchiveTransport? { archive.map { ArchiveTransport(folder: $0, redirectLimit: maxRedirects) } }

    /// What stands behind the disk cache: the demo's painter or the network, recorded if that is wanted.
    fileprivate func origin(
        of system: SystemServices, observedBy observer: @escaping FetchEvent.Observer,
        through wrap: (any Transport) -> any Transport
    ) -> any Transport {
        guard source != .demo else { return recorded(DemoTransport()) }
        let network = wrap(system.network(self, observer))
        // A recording holds whole answers as they came.
        return recorded(
            RetryingTransport(
                network, retries: retries, resumes: record == nil, clock: system.clock, now: system.now,
                onEvent: observer))
    }

    private func recorded(_ transport: any Transport) -> any Transport {
        record.map { RecordingTransport(transport, folder: $0) } ?? transport
    }

    /// The disk cache, where it is used: never with an archive, a recording or a source without a network.
    fileprivate func diskCache(of system: SystemServices, _ console: Console) throws(Failure) -> DiskCache? {
        guard usesDiskCache, archive == nil, record == nil, source != .demo else { return nil }
        guard let folder = cacheFolder(in: system.environment)?.path else {
            guard !isOffline else { throw Self.noCacheFolder }
            console.verbose("no disk cache: neither HOME nor XDG_CACHE_HOME names a folder")
            return nil
        }
        return DiskCache(folder: folder, byteLimit: diskLimit, now: system.now) { problem in
            console.note(problem.message)
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

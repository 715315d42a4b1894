import SpyglassCaching
import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI
import SpyglassThreads

/// The transports of one run, each wrapping the next.
///
///     let transports = try TransportStack(settings, system, console) { statistics.count($0) }
///     let response = try await transports.outermost.fetch(request)
///     await transports.finish()
///
/// From the bottom up: the network (or the demo's generator), retries, then a recording or the disk cache. An archive
/// replaces them all.
struct TransportStack: Sendable {
    /// The archive that is replayed, if any.
    let archive: ArchiveTransport?
    /// The transport to use.
    let outermost: any Transport
    let disk: DiskCache?
    /// Threads that read and write the disk cache.
    let files = ThreadPool(count: 2)
    private let caching: CachingTransport?

    /// Composes the transports; touches no file and no network.
    ///
    /// `source` is the source that uses them, by default that of the settings; `mode` is how the disk cache is used,
    /// unless offline; `wrap` wraps the network, below the retries.
    ///
    /// - Throws: `Failure` when offline without a cache folder.
    init(
        _ settings: Settings, _ system: SystemServices, _ console: Console, source: SourceChoice? = nil,
        mode: CachingTransport.Mode = .normal, through wrap: (any Transport) -> any Transport = { $0 },
        onEvent: @escaping FetchEvent.Observer
    ) throws(Failure) {
        let isDemo = source ?? settings.source == .demo
        archive = settings.replayedArchive
        var origin: any Transport
        if let archive {
            origin = archive
        } else if isDemo {
            origin = DemoTransport()
        } else {
            // A recording holds complete responses, so it resumes none.
            origin = RetryingTransport(
                wrap(system.network(settings, settings.connections, onEvent)), retries: settings.retries,
                resumes: settings.record == nil, clock: system.clock, now: system.now, onEvent: onEvent)
        }
        if let record = settings.record { origin = RecordingTransport(origin, folder: record) }
        let usesDisk = settings.usesDiskCache && archive == nil && settings.record == nil && !isDemo
        disk = usesDisk ? try Self.diskCache(settings, system, console) : nil
        caching = disk.map { [files, origin] in
            CachingTransport(
                origin, store: $0, mode: settings.isOffline ? .offline : mode, clock: system.clock,
                now: system.now, threads: files, onEvent: onEvent)
        }
        outermost = caching ?? origin
    }

    /// Waits until every response to store is on disk.
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

extension Failure {
    static let noCacheFolder = Failure.usage(
        "no folder for the disk cache; set HOME or XDG_CACHE_HOME, or use --cache-dir DIR")
}

import SpyglassCaching
import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI
import SpyglassThreads

/// The transports of one run.
///
/// From the bottom up: the network (or the demo's generator), retries, a recording or the disk cache; or an archive.
struct TransportStack: Sendable {
    let archive: ArchiveTransport?
    let outermost: any Transport
    let disk: DiskCache?
    /// Threads that read and write the disk cache.
    let files = ThreadPool(count: 2)
    private let caching: CachingTransport?

    /// `source` is by default that of the settings; `mode` is for the disk cache, unless offline; `wrap` is below the retries.
    init(
        _ settings: Settings, _ system: SystemServices, _ console: Console, source: SourceDeclaration? = nil,
        mode: CachingTransport.Mode = .normal, through wrap: (any Transport) -> any Transport = { $0 },
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
        // Of folders, only thumbnails use the disk cache.
        caching = (source.usesNetwork ? disk : nil).map { [files, origin] in
            CachingTransport(
                origin, store: $0, mode: settings.isOffline ? .offline : mode, memory: settings.workMemory,
                clock: system.clock, now: system.now, threads: files, onEvent: onEvent)
        }
        // Without a disk cache there is nothing offline but an archive.
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

/// Treats every address as one that a public service names, also for what caches hold.
struct PublicOnlyTransport: Transport {
    let base: any Transport

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        var request = request
        request.trust = .publicService
        return try await base.fetch(request)
    }
}

/// Serves the demo's addresses by painting, all others through `base`.
struct PaintingTransport: Transport {
    let base: any Transport
    private let demo = DemoTransport()

    init(base: any Transport) { self.base = base }

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        let painted = try await demo.fetch(request)
        return painted.status == 404 ? try await base.fetch(request) : painted
    }
}

extension Failure {
    static let noCacheFolder = Failure.usage(
        "no folder for the disk cache; set HOME or XDG_CACHE_HOME, or use --cache-dir DIR")
}

public import SpyglassCaching
public import SpyglassCodecs
public import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassPixels
public import SpyglassThreads

/// Loads images at the size they are needed: from memory, from stored thumbnails, or by fetching and decoding.
///
///     let pipeline = ImagePipeline()
///     let target = TargetSize(box: PixelSize(width: 320, height: 240))
///     let image = try await pipeline.image(for: ImageRequest("https://images.example/1.jpg", target: target))
///
/// Equal requests share one decode, and requests for one address at different sizes share one transfer. Shared work has the highest
/// priority of its requests. It ends, at any stage, when the last one is cancelled. A cancelled caller returns immediately.
/// Failures are not cached.
///
/// Memory keeps complete images for as long as their responses or the request's `cachePolicy` allow; those of files until the file
/// changes, and those of a recorded archive for ever.
///
/// Thread-safe, and never blocks the calling thread: decoding and files have threads of their own. Coordination costs a few
/// look-ups under a lock.
public final class ImagePipeline: Sendable {
    /// The images in memory.
    let memory: Memory
    let configuration: Configuration
    let thumbnails: ThumbnailCache?
    let threads: ThreadPool
    let time: ElapsedClock
    let transfers = TaskCoalescer<TransferKey, FetchResponse, ImageTask.Progress>()
    let original = CachedOriginal()
    let work = ImageTask.Work()
    private let regions = Mutex<[ImageKey]>([])

    /// The maximum number of regions in memory: each step of a pan needs a new one.
    private static let maxRegions = 4

    /// Makes a pipeline, by default over the network and without a disk cache.
    ///
    /// Touches neither network nor disk, and starts no thread, before the first request.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        memory = configuration.imageCache ?? Memory()
        thumbnails = configuration.thumbnails.map { store in
            ThumbnailCache(
                store, stretch: configuration.decoder.options.stretch,
                threads: configuration.fileThreads ?? ThreadPool(count: 1))
        }
        threads = configuration.threads ?? ThreadPool(count: max(2, ProcessorCount.usable))
        time = ElapsedClock(configuration.clock)
    }

    /// Makes a pipeline over a transport, with defaults for everything else.
    public convenience init(transport: any Transport) { self.init(Configuration(transport: transport)) }

    /// Loads the final image of a request; from memory without switching threads.
    ///
    /// - Throws: `ImageError`; `ImageError.cancelled`, immediately, if the task is cancelled.
    public func image(for request: ImageRequest) async throws(ImageError) -> ImageResponse {
        if let image = cache.image(for: request) { return image }
        guard !Task.isCancelled else { throw .cancelled }
        return try await start(request).value
    }

    /// Starts a request and returns its task at once; the work goes on if the task is released.
    public func load(_ request: ImageRequest) -> ImageTask {
        cache.image(for: request).map { ImageTask(request, Promise(.success($0))) } ?? start(request)
    }

    /// Releases the original of the regions requested last; it is kept so that other regions need no transfer.
    package func releaseOriginal() { original.release() }

    /// Loads the image of a request and encodes it; equal requests get the same bytes from memory while the image is fresh.
    ///
    /// Encoding runs on a decoding thread. Files by their path are looked up first, and kept until they change.
    ///
    /// - Throws: `ImageError`; of kind `decode` also if the format cannot hold the image.
    public func data(
        for request: ImageRequest, as format: ImageEncoder.Format
    ) async throws(ImageError) -> [UInt8] {
        if let bytes = file(for: request, as: format) { return bytes }
        do {
            let request = try await located(request, WorkTicket(priority: request.priority.rawValue)) ?? request
            if let bytes = file(for: request, as: format) { return bytes }
            let pixels = try await image(for: request).pixels
            let bytes = try await threads.run(priority: request.priority.rawValue) { _ in
                try ImageEncoder(format).encode(pixels)
            }
            if let key = ImageKey(request), let image = memory.images.value(for: key), image.image.pixels == pixels {
                let others = (memory.files.value(for: key) ?? []).filter { $0.format != format }
                let file = CachedFile(format: format, bytes: bytes, madeAt: image.madeAt, lifetime: image.lifetime)
                memory.files.insert(others + [file], for: key)
                // Another image may have come since.
                if let image = memory.images.value(for: key), image.image.pixels != pixels { memory.files.remove(key) }
            }
            return bytes
        } catch { throw ImageError(error, of: request.source) }
    }

    /// The encoded image of a request, if it is in memory and fresh.
    private func file(for request: ImageRequest, as format: ImageEncoder.Format) -> [UInt8]? {
        guard !request.revalidates, let key = ImageKey(request), let files = memory.files.value(for: key),
            let index = files.firstIndex(where: { $0.format == format }),
            files[index].isFresh(at: configuration.now(), request.cachePolicy)
        else { return nil }
        return files[index].bytes
    }

    /// Returns the request with its path resolved to the file as it is now, whose image can be cached.
    ///
    /// `nil` for other sources, for folders and for missing files.
    func located(_ request: ImageRequest, _ ticket: @autoclosure () -> WorkTicket) async throws -> ImageRequest? {
        guard case .file(let path) = request.source,
            let file = try await threads.run(ticket(), { _ in LocalFile(path: path) }), !file.isFolder
        else { return nil }
        var request = request
        request.source = .localFile(file)
        return request
    }

    /// Loads the bytes of a request's source as they are, without decoding; the target does not matter.
    ///
    /// Requests for one address share a transfer. Memory keeps nothing, the disk cache what the response allows.
    ///
    /// - Throws: `ImageError`; of kind `decode` for a folder and for a file above `bodyLimit`.
    public func originalData(for request: ImageRequest) async throws(ImageError) -> [UInt8] {
        do {
            switch request.source {
            case .bytes(let bytes): return bytes
            case .address(let address, let trust):
                let response = try await transfer(request.transferKey(address, trust), request.priority)
                guard ImageJob.carriesImage(response.status) else { throw ImageError.status(response.status, address) }
                return response.body
            case .file(let path): return try await contents(Array(path.utf8), request)
            case .localFile(let file), .folder(let file): return try await contents(file.path, request)
            }
        } catch { throw ImageError(error, of: request.source) }
    }

    private func transfer(_ key: TransferKey, _ priority: FetchPriority) async throws -> FetchResponse {
        try await transfers.join(key, priority: priority) { [configuration] run in
            try await ImageJob.fetch(key, configuration, run.control)
        }.value
    }

    private func contents(_ path: [UInt8], _ request: ImageRequest) async throws -> [UInt8] {
        let limit = configuration.bodyLimit
        return try await threads.run(priority: request.priority.rawValue) { _ in
            do throws(FileError) { return try Folder.working.open(path).readAll(limit: limit) } catch {
                throw CodecError(.unreadable, error.reason)
            }
        }
    }

    /// Waits until the thumbnails of loaded images are written; call it before the program ends.
    public func flush() async { await thumbnails?.flush() }

    /// Returns the image of a request in memory; a stale one does not count, and stays until it is replaced.
    func imageInMemory(for request: ImageRequest) -> ImageResponse? {
        guard !request.revalidates, let key = ImageKey(request), let cached = memory.images.value(for: key),
            cached.isFresh(at: configuration.now(), request.cachePolicy)
        else { return nil }
        return ImageResponse(cached.image, origin: .memory)
    }

    /// Keeps an image in memory, and drops the files made of an earlier one; of regions, only the last few stay.
    ///
    /// Returns `false` for an image that is too large.
    @discardableResult
    func insert(_ image: CachedImage, for key: ImageKey) -> Bool {
        let isKept = memory.images.insert(image, for: key)
        memory.files.remove(key)
        guard isKept else { return false }
        guard key.region != .whole else { return true }
        let oldest = regions.withLock { regions -> ImageKey? in
            regions.removeAll { $0 == key }
            regions.append(key)
            return regions.count > Self.maxRegions ? regions.removeFirst() : nil
        }
        if let oldest { memory.images.remove(oldest) }
        return true
    }

    private func start(_ request: ImageRequest) -> ImageTask {
        // Joined now, before the cancellation of another region ends the transfer.
        let transfer = request.originalKey.flatMap { transfers.joinRunning($0, priority: request.priority) }
        let subscription = work.join(request.workKey, priority: request.priority) { [self] run in
            defer { transfer?.cancel() }
            return try await ImageJob(pipeline: self, request: request, run: run, joined: transfer).frame()
        }
        if !subscription.hasStarted {
            transfer?.cancel()
            configuration.onEvent(.coalesced(request.source, .image))
        }
        return ImageTask(request, subscription.promise, work: subscription) { [onEvent = configuration.onEvent] in
            onEvent(.cancelled(request.source))
        }
    }
}

extension ImagePipeline {
    /// Reads the header and the metadata of an image on a decoding thread, within the pipeline's limits; keeps nothing.
    ///
    /// - Throws: `ImageError` of kind `decode`; `ImageError.cancelled` if the task is cancelled.
    public func metadata(of image: EncodedImage) async throws(ImageError) -> ImageMetadata {
        try await read(image) { decoder in try decoder.metadata(of: image) }
    }

    /// Counts the frames of an image, as `metadata(of:)`; reads a GIF up to the frame `max`.
    package func frameCount(of image: EncodedImage, upTo max: Int = .max) async throws(ImageError) -> Int {
        try await read(image) { decoder in try decoder.frameCount(of: image, upTo: max) }
    }

    private func read<Value: Sendable>(
        _ image: EncodedImage, _ body: @escaping @Sendable (ImageDecoder) throws -> Value
    ) async throws(ImageError) -> Value {
        do {
            return try await threads.run(priority: FetchPriority.visible.rawValue) { [configuration] _ in
                try body(configuration.decoder)
            }
        } catch { throw ImageError(error, of: image.source) }
    }
}

extension ImagePipeline {
    /// The parts of a pipeline.
    ///
    ///     var configuration = ImagePipeline.Configuration(cache: DiskCache(folder: "/home/ada/.cache/gallery"))
    ///     configuration.bodyLimit = 16 << 20
    ///     let pipeline = ImagePipeline(configuration)
    public struct Configuration: Sendable {
        /// Fetches addresses.
        public var transport: any Transport
        /// The networks that any address may lead to; a source may allow less.
        public var reach = NetworkReach.any
        /// Stores small decoded images beyond this process; `nil` for nowhere.
        package var thumbnails: (any ByteStore)?
        /// Whether stored thumbnails are also used when stale, marked as such: for use without a network.
        public var usesStaleThumbnails = false
        /// Decodes every image, within its limits and its budget of memory; set its `limits`, `workers` and `formats`.
        public var decoder: ImageDecoder
        /// Keeps decoded images in memory; `nil` for a cache of the pipeline's own.
        public var imageCache: Memory?
        /// Decodes; `nil` for as many threads as this process may use processors, at least two.
        public var threads: ThreadPool?
        /// Reads and writes thumbnails; `nil` for one thread.
        package var fileThreads: ThreadPool?
        /// Times the interval between previews.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// The calendar, which decides what is fresh.
        package var now: @Sendable () -> WallTime = { WallTime.now() }
        /// The largest body to fetch, in bytes.
        public var bodyLimit = 64 << 20
        /// Changes the request of an address before the transport and its cache see it: a header field with a token, say.
        ///
        /// Called once a transfer, on any thread. An error that it throws becomes an `ImageError` of kind `fetch`.
        public var willLoad: (@Sendable (inout FetchRequest) async throws -> Void)?
        /// Receives every event.
        public var onEvent: PipelineEvent.Observer = { _ in }

        /// Makes a configuration over a transport.
        ///
        /// - Parameters:
        ///   - transport: fetches addresses.
        ///   - workMemory: the budget for decodes, by default a quarter of what this process may use.
        public init(transport: any Transport, workMemory: WorkMemory? = nil) {
            self.transport = transport
            decoder = ImageDecoder(memory: workMemory ?? Self.defaultMemory)
        }

        /// Makes a configuration for the network: libcurl with retries and, given a cache, HTTP caching and stored thumbnails.
        ///
        /// - Parameters:
        ///   - cache: stores responses and thumbnails; without one, only memory keeps images.
        ///   - connections: concurrent transfers, in all and to one host; by default 16 in all and 6 to one host.
        ///   - userAgent: the User-Agent header to send.
        ///   - workMemory: the budget for decodes and bodies in flight, by default a quarter of what this process may use.
        ///   - reach: the networks that may be reached, for every address; by default public ones only.
        ///   - wrappingNetwork: returns a transport around the network's, below the retries and the cache: to count, sign or refuse.
        public init(
            cache: DiskCache? = nil, connections: Int? = nil, userAgent: String = SpyglassVersion.userAgent,
            workMemory: WorkMemory? = nil, reach: NetworkReach = .publicAddresses,
            wrappingNetwork: (any Transport) -> any Transport = { $0 }
        ) {
            let memory = workMemory ?? Self.defaultMemory
            let network = RetryingTransport(
                wrappingNetwork(CurlTransport(connections: connections, userAgent: userAgent, memory: memory)))
            let caching: (any Transport)? = cache.map {
                CachingTransport(network, cache: $0, memory: memory)
            }
            self.init(transport: caching ?? network, workMemory: memory)
            self.reach = reach
            thumbnails = cache
        }

        private static var defaultMemory: WorkMemory { WorkMemory(limit: MemoryBudget.current().workBytes) }
    }
}

extension ImagePipeline {
    /// Opens the frames of a request's image, on a decoding thread.
    ///
    /// An address is fetched, or comes from the transport's cache, unless its `frame` has found what there is.
    ///
    /// - Returns: the frames at the request's size; `nil` for a still image and for a folder.
    /// - Throws: `CodecError`; `FetchError`; `CancellationError`.
    package func animation(
        for request: ImageRequest, of frame: ImageResponse? = nil
    ) async throws -> AnimationReader? {
        let image: EncodedImage
        switch (request.source, frame?.animation) {
        case (_, .still), (.folder, nil): return nil
        case (_, .bytes(let bytes)), (.bytes(let bytes), nil): image = .bytes(bytes)
        case (.file(let path), nil): image = .file(path)
        case (.localFile(let file), nil): image = .localFile(file)
        case (.address(let address, let trust), nil):
            let key = request.transferKey(address, trust, revalidates: false)
            let response = try await transfer(key, request.priority)
            guard ImageJob.carriesImage(response.status) else { return nil }
            image = .bytes(response.body)
        }
        let decoder = configuration.decoder
        return try await threads.run(priority: request.priority.rawValue) { _ in
            try AnimationReader(opening: image, region: request.region, to: request.target, by: decoder)
        }
    }

    /// A player on the decoding threads, with a lower priority than visible images.
    package var player: AnimationPlayer { AnimationPlayer(threads: threads, clock: time) }
}

/// Keeps the response that a region was last decoded from, so that other regions of it need no transfer.
///
/// Thread-safe. Its bytes stay reserved in the work memory.
final class CachedOriginal: Sendable {
    private let kept = Mutex<(key: TransferKey, response: FetchResponse)?>(nil)

    /// Returns the response to a request for a part; releases that of another address.
    func response(to key: TransferKey) -> FetchResponse? {
        // The other one is released after unlocking.
        let (response, _) = kept.withLock { kept -> (FetchResponse?, (TransferKey, FetchResponse)?) in
            if let kept, kept.key.address == key.address, kept.key.trust == key.trust, !key.revalidates {
                return (kept.response, nil)
            }
            defer { kept = nil }
            return (nil, kept)
        }
        return response
    }

    /// Keeps a response unless the task was cancelled: then no caller would release it.
    func keep(_ response: FetchResponse, to key: TransferKey) {
        if !Task.isCancelled { replace(with: (key, response)) }
    }

    func release() { replace(with: nil) }

    /// Releases the old one after unlocking.
    private func replace(with new: (TransferKey, FetchResponse)?) {
        _ = kept.withLock { kept in
            defer { kept = new }
            return kept
        }
    }
}

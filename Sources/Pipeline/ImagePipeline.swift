public import SpyglassCaching
public import SpyglassCodecs
public import SpyglassFetching
public import SpyglassThreads

/// Makes pictures of requests: out of memory, out of a store of thumbnails, or of bytes that it fetches and decodes.
///
///     let pipeline = ImagePipeline(transport: CurlTransport())
///     let target = TargetSize(box: PixelSize(width: 320, height: 240))
///     let result = try await pipeline.image(for: ImageRequest(.address(address), target: target))
///
/// Equal requests share one decode, and requests for one address at different sizes one transfer. Work is as urgent as it is to the
/// most urgent of those who want it, and follows when that changes; when the last one leaves it ends, whether it waits for a
/// connection, transfers, waits for a thread or decodes. Whoever is cancelled hears of it at once. Failures are not remembered.
///
/// What memory keeps is whole and fresh: pictures of answers that say how long they may be used, until that is over, and those of
/// recorded archives. Without more being said a pipeline touches no disk.
///
/// Thread-safe, and never blocks the calling thread: decoding and files have threads of their own. What is coordinated here costs
/// a few look-ups under a lock.
public final class ImagePipeline: Sendable {
    /// The decoded pictures in memory.
    public let memory: Memory
    /// What decodes, with its limits.
    public let decoder: ImageDecoder

    let transport: any Transport
    let thumbnails: ThumbnailCache?
    let threads: ThreadPool
    let time: ElapsedClock
    let now: @Sendable () -> WallTime
    let bodyLimit: Int
    let onEvent: PipelineEvent.Observer
    let jobs = TaskCoalescer<DecodeKey, ImageFrame, ImageFrame>()
    let transfers = TaskCoalescer<TransferKey, FetchResponse, Never>()

    /// A pipeline; nothing runs before the first request.
    ///
    /// - Parameters:
    ///   - transport: where bytes come from.
    ///   - decoder: what decodes; its limits hold for every picture.
    ///   - memory: where decoded pictures are kept, which pipelines may share; by default one of its own.
    ///   - thumbnails: where small decoded pictures are kept beyond this process, if anywhere.
    ///   - usesStaleThumbnails: whether those that are no longer fresh are shown as well, marked stale: for use without a network.
    ///   - threads: what decodes; by default as many threads as this process may use processors, and at least two.
    ///   - fileThreads: what reads and writes thumbnails; by default one thread.
    ///   - clock: what the pace of previews is measured on.
    ///   - now: the calendar, by which pictures age.
    ///   - bodyLimit: the largest body that is fetched, in bytes.
    ///   - onEvent: told of every stage, on any thread; it must return at once.
    public init(
        transport: any Transport, decoder: ImageDecoder = ImageDecoder(), memory: Memory? = nil,
        thumbnails: (any ByteStore)? = nil, usesStaleThumbnails: Bool = false, threads: ThreadPool? = nil,
        fileThreads: ThreadPool? = nil, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> WallTime = { WallTime.now() }, bodyLimit: Int = 64 << 20,
        onEvent: @escaping PipelineEvent.Observer = { _ in }
    ) {
        self.transport = transport
        self.decoder = decoder
        let memory = memory ?? Self.makeMemoryCache()
        self.memory = memory
        self.thumbnails = thumbnails.map { store in
            ThumbnailCache(
                store, memory: memory, usesStale: usesStaleThumbnails,
                threads: fileThreads ?? ThreadPool(count: 1), now: now)
        }
        self.threads = threads ?? ThreadPool(count: max(2, ProcessorCount.usable))
        time = ElapsedClock(clock)
        self.now = now
        self.bodyLimit = bodyLimit
        self.onEvent = onEvent
    }

    /// The picture of a request.
    ///
    /// A picture in memory is returned without a hop to another thread.
    ///
    /// - Throws: `ImageError`; `CancellationError`, at once, when the task is cancelled.
    public func image(for request: ImageRequest) async throws -> ImageFrame {
        if let result = cachedImage(for: request) { return result }
        try Task.checkCancellation()
        return try await start(request).value
    }

    /// The picture of a request in coarse forms first, where it is a progressive JPEG that is long on its way, then as it is.
    ///
    /// Previews are `incomplete`. Who reads slowly gets the newest alone. Ending the reading cancels the request, and a task that is
    /// cancelled while it reads gets `CancellationError`. Previews are for transfers that such a request started: who joins one
    /// that began without them gets the final picture alone.
    ///
    /// - Returns: what ends with the final picture or throws what `image(for:)` throws.
    public func images(for request: ImageRequest) -> AsyncThrowingStream<ImageFrame, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: ImageFrame.self, bufferingPolicy: .bufferingNewest(1))
        let task = load(request) { continuation.yield($0) }
        continuation.onTermination = { _ in task.cancel() }
        task.onCompletion { outcome in
            switch outcome {
            case .success(let result):
                continuation.yield(result)
                continuation.finish()
            case .failure(let error): continuation.finish(throwing: error)
            }
        }
        return stream
    }

    /// Starts a request, whose task can be waited for, hastened and cancelled.
    public func load(_ request: ImageRequest) -> ImageTask { load(request, onPreview: nil) }

    /// The picture of a request if memory has it and it is fresh; takes no more time than a look-up.
    ///
    /// Always `nil` for files and bytes, and for a request that revalidates.
    public func cachedImage(for request: ImageRequest) -> ImageFrame? {
        guard !request.revalidates, let key = ImageKey(request), let image = kept(key) else { return nil }
        onEvent(.memoryHit(request.source))
        return ImageFrame(image: image, origin: .memory)
    }

    /// Waits until the thumbnails of pictures that were returned are written, for programs that end.
    public func flush() async { await thumbnails?.flush() }

    /// The picture of a key in memory; what is no longer fresh stays until it is replaced, and does not count.
    func kept(_ key: ImageKey) -> DecodedImage? {
        guard let kept = memory.value(for: key), kept.isFresh(at: now()) else { return nil }
        return kept.image
    }

    private func load(_ request: ImageRequest, onPreview: (@Sendable (ImageFrame) -> Void)?) -> ImageTask {
        if let result = cachedImage(for: request) { return ImageTask(request, result) }
        return start(request, onPreview: onPreview)
    }

    /// Joins the work of equal requests, or starts it.
    private func start(_ request: ImageRequest, onPreview: (@Sendable (ImageFrame) -> Void)? = nil) -> ImageTask {
        let hasPreviews = onPreview != nil
        let share = jobs.join(DecodeKey(request), priority: request.priority, onProgress: onPreview) { [self] run in
            try await ImageJob(pipeline: self, request: request, run: run).result(withPreviews: hasPreviews)
        }
        if !share.hasStarted { onEvent(.coalesced(request.source, .image)) }
        return ImageTask(request, share) { [onEvent] in onEvent(.cancelled(request.source)) }
    }
}

internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPipeline
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// Loads the requested images, the visible ones first, and cancels those no longer requested.
///
/// `setRequests` returns images in memory, so that the next frame shows them; others come through the queue.
struct PictureLoader {
    private let queue: EventQueue
    private var pipeline: ImagePipeline?
    private var prefetcher: ImagePrefetcher?
    private let codecs: PixelCodecs?
    /// For encoding in pixels, which may take a tenth of a second.
    private let encoding = ThreadPool(count: 1)
    private var renderer: CellRenderer
    private var running: [PictureKey: Load] = [:]
    private var completed: [PictureKey: PictureRequest] = [:]
    /// Identifies loads of the same image.
    private var lastNumber = 0

    private struct Load {
        let request: PictureRequest
        let number: Int
        /// `nil` while an image in memory is encoded.
        let task: ImageTask?
        let watcher: Task<Void, Never>
    }

    init(_ traits: TerminalTraits, _ codecs: PixelCodecs?, _ queue: EventQueue) {
        self.queue = queue
        self.codecs = codecs
        renderer = CellRenderer(traits, codecs)
    }

    mutating func use(_ pipeline: ImagePipeline) {
        guard self.pipeline !== pipeline else { return }
        cancelAll()
        self.pipeline = pipeline
        prefetcher = ImagePrefetcher(pipeline)
    }

    mutating func setTraits(_ traits: TerminalTraits) {
        cancelAll()
        renderer = CellRenderer(traits, codecs)
    }

    /// Replaces all requests; returns the images in memory.
    mutating func setRequests(_ requests: PictureRequests) -> [BrowserEvent] {
        guard let pipeline else { return [] }
        let drawn =
            requests.visible.map { ($0, FetchPriority.visible) } + requests.near.map { ($0, FetchPriority.near) }
        let wanted = Dictionary(drawn.map { ($0.0.key, $0.0) }) { first, _ in first }
        for (key, load) in running where !load.request.serves(wanted[key]) { cancel(key) }
        completed = completed.filter { $0.value.serves(wanted[$0.key]) }

        var delivered: [BrowserEvent] = []
        for (request, priority) in drawn where completed[request.key] == nil {
            if let load = running[request.key] {
                if let task = load.task, task.priority != priority { task.priority = priority }
            } else {
                delivered += start(request, priority, pipeline)
            }
        }
        prefetcher?.setRequests(requests.ahead.map { imageRequest(for: $0, .prefetch) })
        return delivered
    }

    /// Returns whether a delivered image is still requested.
    mutating func accept(_ key: PictureKey, load number: Int, isLast: Bool) -> Bool {
        guard let load = running[key], load.number == number else { return false }
        if isLast {
            running[key] = nil
            completed[key] = load.request
        }
        return true
    }

    mutating func cancelAll() {
        for key in running.keys { cancel(key) }
        completed = [:]
        prefetcher?.stop()
    }

    // MARK: One image

    private mutating func start(
        _ request: PictureRequest, _ priority: FetchPriority, _ pipeline: ImagePipeline
    ) -> [BrowserEvent] {
        let imageRequest = imageRequest(for: request, priority)
        lastNumber += 1
        let number = lastNumber
        if let result = pipeline.cachedImage(for: imageRequest) { return show(result, request, number, pipeline) }
        let task = pipeline.load(imageRequest)
        let watcher = Task { [frames = task.frames, renderer, encoding, queue] in
            await Self.watch(frames, request.key, number, renderer, encoding, queue)
        }
        running[request.key] = Load(request: request, number: number, task: task, watcher: watcher)
        return request.thumbnail.map { enlargedThumbnail($0, for: request, pipeline) } ?? []
    }

    /// Shows an image in memory: at once as characters, or, if it is encoded in pixels, through the queue: first as characters.
    private mutating func show(
        _ frame: ImageFrame, _ request: PictureRequest, _ number: Int, _ pipeline: ImagePipeline
    ) -> [BrowserEvent] {
        let key = request.key
        guard renderer.encodes(key) else {
            completed[key] = request
            let image = renderer.image(of: frame.pixels, for: key)
            return [.picture(key, .shown(image, isFinal: true, isStale: frame.freshness == .stale))]
        }
        let watcher = Task { [renderer, encoding, queue] in
            await Self.encode(frame, key, number, renderer, encoding, queue, showsPreview: true)
        }
        running[key] = Load(request: request, number: number, task: nil, watcher: watcher)
        return request.thumbnail.map { enlargedThumbnail($0, for: request, pipeline) } ?? []
    }

    private func enlargedThumbnail(_ key: PictureKey, for request: PictureRequest, _ pipeline: ImagePipeline)
        -> [BrowserEvent]
    {
        let target = renderer.target(for: key)
        let imageRequest = ImageRequest(key.source, region: key.region, target: target)
        guard let small = pipeline.cachedImage(for: imageRequest) else { return [] }
        let image = renderer.enlarged(small.image.pixels, for: request.key)
        return [.picture(request.key, .shown(image, isFinal: false, isStale: small.freshness == .stale))]
    }

    private mutating func cancel(_ key: PictureKey) {
        guard let load = running.removeValue(forKey: key) else { return }
        load.task?.cancel()
        load.watcher.cancel()
    }

    private func imageRequest(for request: PictureRequest, _ priority: FetchPriority) -> ImageRequest {
        ImageRequest(
            request.key.source, region: request.key.region, target: renderer.target(for: request.key),
            priority: priority, revalidates: request.revalidates,
            includesPreviews: request.key.isFull || request.key.source.isLocalFile)
    }

    // MARK: Tasks

    private static func watch(
        _ frames: AsyncThrowingStream<ImageFrame, any Error>, _ key: PictureKey, _ number: Int,
        _ renderer: CellRenderer, _ encoding: ThreadPool, _ queue: EventQueue
    ) async {
        do {
            for try await frame in frames {
                guard !Task.isCancelled else { return }
                if frame.isFinal, renderer.encodes(key) {
                    await encode(frame, key, number, renderer, encoding, queue)
                    continue
                }
                // Previews are characters: the final image soon replaces them.
                let image =
                    frame.isFinal
                    ? renderer.image(of: frame.pixels, for: key) : renderer.preview(of: frame.pixels, for: key)
                queue.add(
                    .picture(
                        key, .shown(image, isFinal: frame.isFinal, isStale: frame.freshness == .stale), load: number,
                        isLast: frame.isFinal))
            }
        } catch is CancellationError {
            return
        } catch {
            guard !Task.isCancelled else { return }
            queue.add(.picture(key, .failed(FailureKind(error)), load: number, isLast: true))
        }
    }

    /// Delivers a final image in pixels, perhaps as characters before; nothing once the task is cancelled.
    private static func encode(
        _ frame: ImageFrame, _ key: PictureKey, _ number: Int, _ renderer: CellRenderer, _ encoding: ThreadPool,
        _ queue: EventQueue, showsPreview: Bool = false
    ) async {
        let isStale = frame.freshness == .stale
        // A task that is cancelled while others are encoded leaves the queue of the thread.
        try? await encoding.run { isCancelled in
            let preview = renderer.preview(of: frame.pixels, for: key)
            guard !isCancelled() else { return }
            if showsPreview {
                queue.add(.picture(key, .shown(preview, isFinal: false, isStale: isStale), load: number, isLast: false))
            }
            let image = renderer.adding(frame.pixels, to: preview, for: key)
            queue.add(.picture(key, .shown(image, isFinal: true, isStale: isStale), load: number, isLast: true))
        }
    }
}

extension ImageSource {
    fileprivate var isLocalFile: Bool { if case .localFile = self { true } else { false } }
}

extension PictureRequest {
    /// Whether the result of this request serves another one.
    fileprivate func serves(_ other: PictureRequest?) -> Bool {
        guard var other else { return false }
        guard !other.revalidates || revalidates else { return false }
        other.revalidates = revalidates
        return other == self
    }
}

internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPipeline

/// Loads the requested images, the visible ones first, and cancels those no longer requested.
///
/// `setRequests` returns images in memory, so that the next frame shows them; others come through the queue.
struct PictureLoader {
    private let queue: EventQueue
    private var pipeline: ImagePipeline?
    private var prefetcher: ImagePrefetcher?
    private var renderer: CellRenderer
    private var running: [PictureKey: Load] = [:]
    private var completed: [PictureKey: PictureRequest] = [:]
    /// Identifies loads of the same image.
    private var lastNumber = 0

    private struct Load {
        let request: PictureRequest
        let number: Int
        let task: ImageTask
        let watcher: Task<Void, Never>
    }

    init(_ traits: TerminalTraits, _ queue: EventQueue) {
        self.queue = queue
        renderer = CellRenderer(traits)
    }

    mutating func use(_ pipeline: ImagePipeline) {
        guard self.pipeline !== pipeline else { return }
        cancelAll()
        self.pipeline = pipeline
        prefetcher = ImagePrefetcher(pipeline)
    }

    mutating func setTraits(_ traits: TerminalTraits) {
        cancelAll()
        renderer = CellRenderer(traits)
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
                if load.task.priority != priority { load.task.priority = priority }
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
        if let result = pipeline.cachedImage(for: imageRequest) {
            completed[request.key] = request
            return [.picture(request.key, Self.picture(of: result, renderer))]
        }
        lastNumber += 1
        let number = lastNumber
        let task = pipeline.load(imageRequest)
        let watcher = Task { [frames = task.frames, renderer, queue] in
            await Self.watch(frames, request.key, number, renderer, queue)
        }
        running[request.key] = Load(request: request, number: number, task: task, watcher: watcher)
        return request.thumbnail.map { enlargedThumbnail($0, for: request, pipeline) } ?? []
    }

    private func enlargedThumbnail(_ key: PictureKey, for request: PictureRequest, _ pipeline: ImagePipeline)
        -> [BrowserEvent]
    {
        let target = renderer.target(for: key.box, fills: false)
        let imageRequest = ImageRequest(.address(key.address, request.trust), target: target)
        guard let small = pipeline.cachedImage(for: imageRequest) else { return [] }
        let image = renderer.enlarged(small.image.pixels, for: request.key.box)
        return [.picture(request.key, .shown(image, isFinal: false, isStale: small.freshness == .stale))]
    }

    private mutating func cancel(_ key: PictureKey) {
        guard let load = running.removeValue(forKey: key) else { return }
        load.task.cancel()
        load.watcher.cancel()
    }

    private func imageRequest(for request: PictureRequest, _ priority: FetchPriority) -> ImageRequest {
        ImageRequest(
            .address(request.key.address, request.trust),
            target: renderer.target(for: request.key.box, fills: request.thumbnail != nil), priority: priority,
            revalidates: request.revalidates, includesPreviews: request.thumbnail != nil)
    }

    // MARK: Tasks

    private static func watch(
        _ frames: AsyncThrowingStream<ImageFrame, any Error>, _ key: PictureKey, _ number: Int,
        _ renderer: CellRenderer, _ queue: EventQueue
    ) async {
        do {
            for try await frame in frames {
                guard !Task.isCancelled else { return }
                queue.add(.picture(key, picture(of: frame, renderer), load: number, isLast: frame.isFinal))
            }
        } catch is CancellationError {
            return
        } catch {
            guard !Task.isCancelled else { return }
            queue.add(.picture(key, .failed(FailureKind(error)), load: number, isLast: true))
        }
    }

    private static func picture(of frame: ImageFrame, _ renderer: CellRenderer) -> Picture {
        .shown(renderer.cells(of: frame.pixels), isFinal: frame.isFinal, isStale: frame.freshness == .stale)
    }
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

internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPipeline
internal import SpyglassTerminalUI

/// Loads the requested images; those in memory are returned by `setRequests`, the others arrive through the queue.
struct PictureLoader {
    private let queue: EventQueue
    private var pipeline: ImagePipeline?
    private var prefetcher: ImagePrefetcher?
    private var renderer: CellRenderer
    private var running: [PictureKey: Load] = [:]
    /// Requests that finished or failed, and are still requested.
    private var finished: [PictureKey: PictureRequest] = [:]
    private var lastNumber = 0

    private struct Load {
        let picture: PictureRequest
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

    mutating func setLook(_ traits: TerminalTraits) {
        cancelAll()
        renderer = CellRenderer(traits)
    }

    /// Replaces the requests; returns the images that are in memory.
    mutating func setRequests(_ requests: PictureRequests) -> [BrowserEvent] {
        guard let pipeline else { return [] }
        let drawn =
            requests.visible.map { ($0, FetchPriority.visible) } + requests.near.map { ($0, FetchPriority.near) }
        let wanted = Dictionary(drawn.map { ($0.0.key, $0.0) }) { first, _ in first }
        for (key, load) in running where !load.picture.satisfies(wanted[key]) { cancel(key) }
        finished = finished.filter { $0.value.satisfies(wanted[$0.key]) }

        var delivered: [BrowserEvent] = []
        for (picture, priority) in drawn where finished[picture.key] == nil {
            if let load = running[picture.key] {
                if load.task.priority != priority { load.task.priority = priority }
            } else {
                delivered += start(picture, priority, pipeline)
            }
        }
        prefetcher?.setRequests(requests.ahead.map { request(for: $0, .prefetch) })
        return delivered
    }

    /// Returns whether the load is current.
    mutating func accept(_ key: PictureKey, load number: Int, isLast: Bool) -> Bool {
        guard let load = running[key], load.number == number else { return false }
        if isLast {
            running[key] = nil
            finished[key] = load.picture
        }
        return true
    }

    mutating func cancelAll() {
        for key in running.keys { cancel(key) }
        finished = [:]
        prefetcher?.stop()
    }

    // MARK: One picture

    private mutating func start(
        _ picture: PictureRequest, _ priority: FetchPriority, _ pipeline: ImagePipeline
    ) -> [BrowserEvent] {
        let request = request(for: picture, priority)
        if let result = pipeline.cachedImage(for: request) {
            finished[picture.key] = picture
            return [.picture(picture.key, Self.picture(of: result, renderer))]
        }
        lastNumber += 1
        let number = lastNumber
        let task = pipeline.load(request)
        let watcher = Task { [frames = task.frames, renderer, queue] in
            await Self.watch(frames, picture.key, number, renderer, queue)
        }
        running[picture.key] = Load(picture: picture, number: number, task: task, watcher: watcher)
        return picture.standIn.map { standIn($0, for: picture, pipeline) } ?? []
    }

    private func standIn(_ key: PictureKey, for picture: PictureRequest, _ pipeline: ImagePipeline) -> [BrowserEvent] {
        let target = renderer.target(for: key.box, fills: false)
        let request = ImageRequest(.address(key.address, picture.trust), target: target)
        guard let small = pipeline.cachedImage(for: request) else { return [] }
        let image = renderer.standIn(small.image.pixels, for: picture.key.box)
        return [.picture(picture.key, .shown(image, isFinal: false, isStale: small.freshness == .stale))]
    }

    private mutating func cancel(_ key: PictureKey) {
        guard let load = running.removeValue(forKey: key) else { return }
        load.task.cancel()
        load.watcher.cancel()
    }

    private func request(for picture: PictureRequest, _ priority: FetchPriority) -> ImageRequest {
        ImageRequest(
            .address(picture.key.address, picture.trust),
            target: renderer.target(for: picture.key.box, fills: picture.standIn != nil), priority: priority,
            revalidates: picture.revalidates, includesPreviews: picture.standIn != nil)
    }

    // MARK: Waiting, concurrently with the loop

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
            queue.add(.picture(key, .failed(PictureFailure(error)), load: number, isLast: true))
        }
    }

    private static func picture(of frame: ImageFrame, _ renderer: CellRenderer) -> Picture {
        .shown(renderer.cells(of: frame.pixels), isFinal: frame.isFinal, isStale: frame.freshness == .stale)
    }
}

extension PictureRequest {
    /// Whether the result of this request also satisfies another.
    fileprivate func satisfies(_ other: PictureRequest?) -> Bool {
        guard var other else { return false }
        guard !other.revalidates || revalidates else { return false }
        other.revalidates = revalidates
        return other == self
    }
}

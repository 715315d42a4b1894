internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPipeline
internal import SpyglassPixels
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// Loads the requested images, the visible ones first, and cancels those no longer requested.
///
/// A region is first cut out of a coarser image in memory. The original stays in memory while regions of it are requested, so
/// that other regions need no transfer.
///
/// `setRequests` returns images in memory, so that the next frame shows them; others come through the queue.
struct PictureLoader {
    let queue: EventQueue
    private(set) var pipeline: ImagePipeline?
    private var prefetcher: ImagePrefetcher?
    private let codecs: PixelCodecs?
    /// For encoding in pixels, which may take a tenth of a second.
    private let encoding = ThreadPool(count: 1)
    private(set) var renderer: CellRenderer
    /// The animations on the screen by their numbers; the canvas of one is released when its task ends.
    var players: [PictureKey: (number: Int, task: Task<Void, Never>)] = [:]
    private var running: [PictureKey: Load] = [:]
    private var completed: [PictureKey: PictureRequest] = [:]
    /// Identifies loads and players of the same image.
    var lastNumber = 0

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
        let drawn = requests.visible.map { ($0, FetchPriority.visible) } + requests.near.map { ($0, .near) }
        let wanted = Dictionary(drawn.map { ($0.0.key, $0.0) }) { first, _ in first }
        var left: [PictureKey] = []
        for (key, load) in running where !load.request.serves(wanted[key]) {
            // Another part of the same image joins its transfer before it ends.
            if key.region == .whole || wanted[key] != nil { cancel(key) } else { left.append(key) }
        }
        completed = completed.filter { $0.value.serves(wanted[$0.key]) }

        var delivered: [BrowserEvent] = []
        for (request, priority) in drawn where completed[request.key] == nil {
            if let load = running[request.key] {
                if let task = load.task, task.priority != priority { task.priority = priority }
            } else {
                delivered += start(request, priority, pipeline)
            }
        }
        for key in left { cancel(key) }
        if !requests.visible.contains(where: { $0.key.region != .whole }) { pipeline.releaseOriginal() }
        prefetcher?.setRequests(requests.ahead.map { imageRequest(for: $0, .prefetch) })
        return delivered
    }

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
        play([])
        completed = [:]
        pipeline?.releaseOriginal()
        prefetcher?.stop()
    }

    // MARK: One image

    private mutating func start(
        _ request: PictureRequest, _ priority: FetchPriority, _ pipeline: ImagePipeline
    ) -> [BrowserEvent] {
        let imageRequest = imageRequest(for: request, priority)
        lastNumber += 1
        let number = lastNumber
        if let result = pipeline.cache.image(for: imageRequest) { return show(result, request, number, pipeline) }
        let task = pipeline.load(imageRequest)
        let delivery = delivery(of: request.key, number)
        let watcher = Task { [frames = task.frames] in await delivery.watch(frames) }
        running[request.key] = Load(request: request, number: number, task: task, watcher: watcher)
        if request.key.region != .whole {
            // Ends with the request.
            Task { [progress = task.progress, key = request.key, queue] in
                for await each in progress { queue.add(.progress(key, each, load: number)) }
            }
        }
        return coarse(of: request, pipeline)
    }

    /// Shows an image in memory: at once if it is drawn as characters, otherwise through the queue, with a preview in characters.
    private mutating func show(
        _ frame: ImageResponse, _ request: PictureRequest, _ number: Int, _ pipeline: ImagePipeline
    ) -> [BrowserEvent] {
        let key = request.key
        guard renderer.encodes(key) else {
            completed[key] = request
            let image = renderer.image(of: frame.pixels, for: key, on: frame.focus)
            return [.picture(key, frame.picture(image, isFinal: true))]
        }
        let delivery = delivery(of: key, number)
        let watcher = Task { await delivery.encode(frame, showsPreview: true) }
        running[key] = Load(request: request, number: number, task: nil, watcher: watcher)
        return coarse(of: request, pipeline)
    }

    /// The best coarser image in memory, cut to the region and enlarged.
    private func coarse(of request: PictureRequest, _ pipeline: ImagePipeline) -> [BrowserEvent] {
        for key in request.coarse {
            guard let frame = pipeline.cache.image(for: ImageRequest(key.source, target: renderer.target(for: key)))
            else { continue }
            let image = renderer.enlarged(frame.pixels, of: key, for: request.key)
            // Another file of the photo has another size, and perhaps another shape.
            let facts = key.source == request.key.source ? frame.facts : PictureFacts()
            return [.picture(request.key, .shown(image, facts, isFinal: false, isStale: frame.freshness == .stale))]
        }
        return []
    }

    private mutating func cancel(_ key: PictureKey) {
        guard let load = running.removeValue(forKey: key) else { return }
        load.task?.cancel()
        load.watcher.cancel()
    }

    func imageRequest(for request: PictureRequest, _ priority: FetchPriority) -> ImageRequest {
        let key = request.key
        let isLocalFile = if case .localFile = key.source { true } else { false }
        var image = ImageRequest(
            key.source, region: key.region.upright(from: key.turns), target: renderer.target(for: key),
            priority: priority, includesPreviews: key.isFull || isLocalFile)
        if request.revalidates { image.cachePolicy = .reload }
        return image
    }

    private func delivery(of key: PictureKey, _ number: Int) -> Delivery {
        Delivery(key: key, number: number, renderer: renderer, encoding: encoding, queue: queue)
    }
}

private struct Delivery: Sendable {
    let key: PictureKey
    let number: Int
    let renderer: CellRenderer
    let encoding: ThreadPool
    let queue: EventQueue

    func watch(_ frames: AsyncThrowingStream<ImageResponse, any Error>) async {
        do {
            for try await frame in frames {
                guard !Task.isCancelled else { return }
                if frame.isFinal, renderer.encodes(key) {
                    // Parts are in characters while the photo moves, since encoding takes longer than the next step.
                    await encode(frame, showsPreview: key.region != .whole)
                    continue
                }
                // Previews are characters: the final image soon replaces them.
                let render = frame.isFinal ? renderer.image : renderer.preview
                let image = render(frame.pixels, key, frame.focus)
                add(frame.picture(image, isFinal: frame.isFinal), isLast: frame.isFinal)
            }
        } catch ImageError.cancelled {
            return
        } catch {
            if !Task.isCancelled { add(.failed(FailureKind(error)), isLast: true) }
        }
    }

    /// Delivers a final image in pixels, perhaps as characters before; nothing once the task is cancelled.
    func encode(_ frame: ImageResponse, showsPreview: Bool) async {
        // A task that is cancelled while others are encoded leaves the queue of the thread.
        try? await encoding.run { cancellation in
            let preview = renderer.preview(of: frame.pixels, for: key, on: frame.focus)
            guard !cancellation.isCancelled else { return }
            if showsPreview { add(frame.picture(preview, isFinal: false), isLast: false) }
            let image = renderer.adding(frame.pixels, to: preview, for: key, on: frame.focus)
            add(frame.picture(image, isFinal: true), isLast: true)
        }
    }

    private func add(_ picture: Picture, isLast: Bool) {
        queue.add(.picture(key, picture, load: number, isLast: isLast))
    }
}

extension ImageResponse {
    /// The centre of what may be an animation: a window that follows its frames would jump.
    fileprivate var focus: Focus { image.info.format.mayMove ? .center : .attention }

    fileprivate var facts: PictureFacts {
        PictureFacts(size: image.info.size, mayMove: image.info.format.mayMove, completeness: completeness)
    }

    fileprivate func picture(_ image: CellImage, isFinal: Bool) -> Picture {
        .shown(image, facts, isFinal: isFinal, isStale: freshness == .stale)
    }
}

extension PictureRequest {
    /// Whether the result of this request serves another one.
    fileprivate func serves(_ other: PictureRequest?) -> Bool {
        guard var other, !other.revalidates || revalidates else { return false }
        other.revalidates = revalidates
        return other == self
    }
}

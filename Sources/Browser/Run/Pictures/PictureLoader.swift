internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPipeline
internal import SpyglassTerminalUI

/// Brings the pictures that are wanted, the visible ones first, and lets go of those that no longer are.
///
/// What memory has is delivered by `want` itself, so that the very next frame shows it; everything else comes through the queue.
struct PictureLoader {
    private let queue: EventQueue
    private var pipeline: ImagePipeline?
    private var prefetcher: ImagePrefetcher?
    private var maker: CellRenderer
    /// What is being loaded, by what was wished.
    private var running: [PictureKey: Load] = [:]
    /// What has been delivered, or has failed, and is still wanted.
    private var settled: [PictureKey: PictureRequest] = [:]
    /// Tells a load from an earlier one of the same picture.
    private var lastNumber = 0

    /// One picture on its way.
    private struct Load {
        let wish: PictureRequest
        let number: Int
        let task: ImageTask
        /// What waits for it and delivers it.
        let watcher: Task<Void, Never>
    }

    init(_ look: TerminalTraits, _ queue: EventQueue) {
        self.queue = queue
        maker = CellRenderer(look)
    }

    /// From now on pictures come through another pipeline.
    mutating func use(_ pipeline: ImagePipeline) {
        guard self.pipeline !== pipeline else { return }
        cancelAll()
        self.pipeline = pipeline
        prefetcher = ImagePrefetcher(pipeline)
    }

    /// The look of pictures has changed: what was delivered is void.
    mutating func setLook(_ look: TerminalTraits) {
        cancelAll()
        maker = CellRenderer(look)
    }

    /// Replaces what is wanted; the pictures that are there at once.
    mutating func want(_ wishes: PictureRequests) -> [BrowserEvent] {
        guard let pipeline else { return [] }
        let drawn = wishes.visible.map { ($0, FetchPriority.visible) } + wishes.near.map { ($0, FetchPriority.near) }
        let wanted = Dictionary(drawn.map { ($0.0.key, $0.0) }) { first, _ in first }
        for (key, load) in running where !load.wish.grants(wanted[key]) { cancel(key) }
        settled = settled.filter { $0.value.grants(wanted[$0.key]) }

        var delivered: [BrowserEvent] = []
        for (wish, priority) in drawn where settled[wish.key] == nil {
            if let load = running[wish.key] {
                if load.task.priority != priority { load.task.priority = priority }
            } else {
                delivered += start(wish, priority, pipeline)
            }
        }
        prefetcher?.setRequests(wishes.ahead.map { request(for: $0, .prefetch) })
        return delivered
    }

    /// A picture has come on: whether it is one that is waited for.
    mutating func accept(_ key: PictureKey, load number: Int, isLast: Bool) -> Bool {
        guard let load = running[key], load.number == number else { return false }
        if isLast {
            running[key] = nil
            settled[key] = load.wish
        }
        return true
    }

    /// Cancels everything.
    mutating func cancelAll() {
        for key in running.keys { cancel(key) }
        settled = [:]
        prefetcher?.stop()
    }

    // MARK: One picture

    private mutating func start(
        _ wish: PictureRequest, _ priority: FetchPriority, _ pipeline: ImagePipeline
    ) -> [BrowserEvent] {
        let request = request(for: wish, priority)
        if let result = pipeline.cachedImage(for: request) {
            settled[wish.key] = wish
            return [.picture(wish.key, Self.picture(of: result, maker))]
        }
        lastNumber += 1
        let number = lastNumber
        let task = pipeline.load(request)
        let watcher = Task { [maker, queue] in
            await Self.watch(task.frames, wish.key, number, maker, queue)
        }
        running[wish.key] = Load(wish: wish, number: number, task: task, watcher: watcher)
        return wish.standIn.map { standIn($0, for: wish, pipeline) } ?? []
    }

    /// What memory has of a picture at another size, enlarged.
    private func standIn(_ key: PictureKey, for wish: PictureRequest, _ pipeline: ImagePipeline) -> [BrowserEvent] {
        let target = maker.target(for: key.box, fills: false)
        let request = ImageRequest(.address(key.address, wish.trust), target: target)
        guard let small = pipeline.cachedImage(for: request) else { return [] }
        let image = maker.standIn(small.image.pixels, for: wish.key.box)
        return [.picture(wish.key, .shown(image, isFinal: false, isStale: small.freshness == .stale))]
    }

    private mutating func cancel(_ key: PictureKey) {
        guard let load = running.removeValue(forKey: key) else { return }
        load.task.cancel()
        load.watcher.cancel()
    }

    private func request(for wish: PictureRequest, _ priority: FetchPriority) -> ImageRequest {
        ImageRequest(
            .address(wish.key.address, wish.trust),
            target: maker.target(for: wish.key.box, fills: wish.standIn != nil), priority: priority,
            revalidates: wish.revalidates, includesPreviews: wish.standIn != nil)
    }

    // MARK: Waiting, beside the loop

    private static func watch(
        _ frames: AsyncThrowingStream<ImageFrame, any Error>, _ key: PictureKey, _ number: Int,
        _ maker: CellRenderer, _ queue: EventQueue
    ) async {
        do {
            for try await frame in frames {
                guard !Task.isCancelled else { return }
                queue.add(.picture(key, picture(of: frame, maker), load: number, isLast: frame.isFinal))
            }
        } catch is CancellationError {
            return
        } catch {
            guard !Task.isCancelled else { return }
            queue.add(.picture(key, .failed(PictureFailure(error)), load: number, isLast: true))
        }
    }

    private static func picture(of frame: ImageFrame, _ maker: CellRenderer) -> Picture {
        .shown(maker.cells(of: frame.pixels), isFinal: frame.isFinal, isStale: frame.freshness == .stale)
    }
}

extension PictureRequest {
    /// Whether what was done for this wish will do for another: it need not be asked about again.
    fileprivate func grants(_ other: PictureRequest?) -> Bool {
        guard var other else { return false }
        guard !other.revalidates || revalidates else { return false }
        other.revalidates = revalidates
        return other == self
    }
}

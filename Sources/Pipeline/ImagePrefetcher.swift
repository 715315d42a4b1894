internal import SpyglassFetching
internal import SpyglassThreads

/// Loads images that will probably be needed soon, a few at a time.
///
///     let prefetcher = ImagePrefetcher(pipeline)
///     prefetcher.setRequests(nextScreen)
///     prefetcher.setRequests(screenAfterScrolling)  // continues what is in both, cancels the rest of the first
///
/// Images go to the pipeline's memory, or their files to its disk cache only; an equal request joins one in progress. A request
/// that finished or failed is not repeated until it was removed. Thread-safe; no call blocks.
public final class ImagePrefetcher: Sendable {
    /// The cache that a prefetch fills.
    public enum Destination: Hashable, Sendable {
        /// The images in memory.
        case memory
        /// The disk cache of the pipeline's transport, without which nothing is kept: files are fetched, and not decoded.
        ///
        /// Only addresses need it. A fetch that has started keeps its priority.
        case disk
    }

    private enum Work {
        case image(ImageTask)
        case file(Task<Void, Never>)

        func cancel() {
            switch self {
            case .image(let task): task.cancel()
            case .file(let task): task.cancel()
            }
        }
    }

    private struct Load {
        let number: Int
        var priority: FetchPriority
        var work: Work?
    }

    private struct State {
        /// Requests that have not been started, in reverse order.
        var waiting: [ImageRequest] = []
        var started: Set<ImageKey> = []
        var running: [ImageKey: Load] = [:]
        var lastNumber = 0
        var isStarting = false
    }

    private let pipeline: ImagePipeline
    private let limit: Int
    private let destination: Destination
    private let state = Mutex(State())

    /// Makes a prefetcher without requests.
    ///
    /// - Parameters:
    ///   - pipeline: loads the images.
    ///   - limit: concurrent loads, at least one; two leave the connections to visible images.
    ///   - destination: where the images go.
    public init(_ pipeline: ImagePipeline, limit: Int = 2, destination: Destination = .memory) {
        (self.pipeline, self.destination) = (pipeline, destination)
        self.limit = max(1, limit)
    }

    deinit { stop() }

    /// Replaces the requests: starts new ones in this order, cancels missing ones.
    ///
    /// - Parameter requests: with their priorities, `near` at most. Bytes and files by path are not cached, and skipped.
    public func setRequests(_ requests: [ImageRequest]) {
        let (moved, dropped) = state.withLock { state -> ([(ImageTask, FetchPriority)], [Load]) in
            var priorities: [ImageKey: FetchPriority] = [:]
            state.waiting = []
            for var request in requests {
                request.priority = min(request.priority, .near)
                guard let key = ImageKey(request), priorities[key] == nil else { continue }
                priorities[key] = request.priority
                if !state.started.contains(key) { state.waiting.append(request) }
            }
            state.waiting.reverse()
            state.started.formIntersection(priorities.keys)
            let dropped = state.running.filter { priorities[$0.key] == nil }
            for key in dropped.keys { state.running[key] = nil }
            for (key, priority) in priorities { state.running[key]?.priority = priority }
            let moved = state.running.values.compactMap { load in
                if case .image(let task)? = load.work { (task, load.priority) } else { nil }
            }
            return (moved, Array(dropped.values))
        }
        for load in dropped { load.work?.cancel() }
        for (task, priority) in moved where task.priority != priority { task.priority = priority }
        startWaiting()
    }

    /// Cancels all requests.
    public func stop() { setRequests([]) }
    var counts: (running: Int, waiting: Int) { state.withLock { ($0.running.count, $0.waiting.count) } }

    /// Starts loads up to the limit; a loop rather than callbacks, since memory may hold all of a long list.
    private func startWaiting() {
        let isAlone = state.withLock { state in
            defer { state.isStarting = true }
            return !state.isStarting
        }
        guard isAlone else { return }
        while let (request, key, number) = next() {
            let work = start(request, key, number)
            let priority = state.withLock { state -> FetchPriority? in
                guard state.running[key]?.number == number else { return nil }
                state.running[key]?.work = work
                return state.running[key]?.priority
            }
            // It has ended, or was removed meanwhile.
            guard let priority else {
                work.cancel()
                continue
            }
            guard case .image(let task) = work else { continue }
            // It may have changed in between.
            if task.priority != priority { task.priority = priority }
            task.promise.onCompletion { [weak self] _ in self?.finish(key, number) }
        }
    }

    private func start(_ request: ImageRequest, _ key: ImageKey, _ number: Int) -> Work {
        guard destination == .disk else { return .image(pipeline.load(request)) }
        // The transport's cache keeps the file.
        return .file(
            Task { [pipeline, weak self] in
                if case .address = request.source { _ = try? await pipeline.originalData(for: request) }
                self?.finish(key, number)
            })
    }

    private func next() -> (ImageRequest, ImageKey, Int)? {
        state.withLock { state in
            guard state.running.count < limit, let request = state.waiting.popLast(), let key = ImageKey(request) else {
                state.isStarting = false
                return nil
            }
            state.started.insert(key)
            state.lastNumber += 1
            state.running[key] = Load(number: state.lastNumber, priority: request.priority)
            return (request, key, state.lastNumber)
        }
    }

    private func finish(_ key: ImageKey, _ number: Int) {
        state.withLock { state in if state.running[key]?.number == number { state.running[key] = nil } }
        startWaiting()
    }
}

internal import SpyglassFetching
internal import SpyglassThreads

/// Loads pictures that will probably be wanted soon, a few at a time, and lets go of those that will not.
///
///     let prefetcher = ImagePrefetcher(pipeline)
///     prefetcher.setRequests(nextScreen)
///     prefetcher.setRequests(screenAfterScrolling)  // what is in both goes on, the rest of the first is cancelled
///
/// Pictures go into the pipeline's memory; a request for one that is on its way joins it. What has come or failed is not asked for
/// again while it stays wanted. Thread-safe; no call waits.
public final class ImagePrefetcher: Sendable {
    private struct Running {
        /// Tells it from an earlier load of the same picture.
        let number: Int
        var priority: FetchPriority
        /// `nil` while it is being started.
        var task: ImageTask?
    }

    private struct State {
        /// What is wanted and has not been begun, the last to be begun first.
        var waiting: [ImageRequest] = []
        var begun: Set<ImageKey> = []
        var running: [ImageKey: Running] = [:]
        var lastNumber = 0
        /// Whether a thread is starting loads: it starts all that there is room for.
        var isStarting = false
    }

    private let pipeline: ImagePipeline
    private let limit: Int
    private let state = Mutex(State())

    /// A prefetcher that wants nothing yet.
    ///
    /// - Parameters:
    ///   - pipeline: what loads.
    ///   - limit: pictures on their way at once, at least one; two leave the connections to what is on the screen.
    public init(_ pipeline: ImagePipeline, limit: Int = 2) {
        self.pipeline = pipeline
        self.limit = max(1, limit)
    }

    deinit { stop() }

    /// Replaces what is wanted: what is new is begun in this order, what is gone is cancelled.
    ///
    /// - Parameter requests: with their priorities, of which `visible` counts as `near`. Files and bytes are passed over: they do not stay
    ///   in memory.
    public func setRequests(_ requests: [ImageRequest]) {
        let wanted = requests.compactMap { request in ImageKey(request).map { ($0, Self.behindTheScreen(request)) } }
        let (moved, dropped) = state.withLock { state -> ([(ImageTask, FetchPriority)], [ImageTask]) in
            var priorities: [ImageKey: FetchPriority] = [:]
            state.waiting = []
            for (key, request) in wanted where priorities[key] == nil {
                priorities[key] = request.priority
                if !state.begun.contains(key) { state.waiting.append(request) }
            }
            state.waiting.reverse()
            state.begun.formIntersection(priorities.keys)
            let dropped = state.running.filter { priorities[$0.key] == nil }
            for key in dropped.keys { state.running[key] = nil }
            for (key, priority) in priorities { state.running[key]?.priority = priority }
            let moved = state.running.values.compactMap { running in running.task.map { ($0, running.priority) } }
            return (moved, dropped.values.compactMap(\.task))
        }
        for task in dropped { task.cancel() }
        for (task, priority) in moved where task.priority != priority { task.priority = priority }
        startWaiting()
    }

    /// Cancels everything; the same as to want nothing.
    public func stop() { setRequests([]) }

    /// How many pictures are on their way, and how many wait.
    var counts: (running: Int, waiting: Int) { state.withLock { ($0.running.count, $0.waiting.count) } }

    private static func behindTheScreen(_ request: ImageRequest) -> ImageRequest {
        var request = request
        request.priority = min(request.priority, .near)
        return request
    }

    /// Starts loads while there is room; a loop and not a chain of callbacks, since memory may hold all of a long list.
    private func startWaiting() {
        let isAlone = state.withLock { state in
            defer { state.isStarting = true }
            return !state.isStarting
        }
        guard isAlone else { return }
        while let (request, key, number) = next() {
            let task = pipeline.load(request)
            let priority = state.withLock { state -> FetchPriority? in
                guard state.running[key]?.number == number else { return nil }
                state.running[key]?.task = task
                return state.running[key]?.priority
            }
            guard let priority else {
                task.cancel()
                continue
            }
            // It may have changed while the load was being started.
            if task.priority != priority { task.priority = priority }
            task.onCompletion { [weak self] _ in self?.ended(key, number) }
        }
    }

    private func next() -> (ImageRequest, ImageKey, Int)? {
        state.withLock { state in
            guard state.running.count < limit, let request = state.waiting.popLast(), let key = ImageKey(request) else {
                state.isStarting = false
                return nil
            }
            state.lastNumber += 1
            state.begun.insert(key)
            state.running[key] = Running(number: state.lastNumber, priority: request.priority)
            return (request, key, state.lastNumber)
        }
    }

    private func ended(_ key: ImageKey, _ number: Int) {
        state.withLock { state in
            if state.running[key]?.number == number { state.running[key] = nil }
        }
        startWaiting()
    }
}

public import SpyglassFetching
internal import SpyglassThreads

/// A request under way: its picture when it is there, its urgency, and the way to leave it.
///
///     let task = pipeline.load(request)
///     task.priority = .near
///     let result = try await task.value
///
/// Letting go of it does not cancel it. Thread-safe; no call waits.
public final class ImageTask: Sendable {
    typealias Jobs = TaskCoalescer<DecodeKey, ImageFrame, ImageFrame>

    private enum Work {
        case none(Promise<ImageFrame>)
        case shared(Jobs.Subscription, onAbandon: @Sendable () -> Void)
    }

    /// What was asked for.
    public let request: ImageRequest
    private let work: Work
    private let storedPriority: Mutex<FetchPriority>

    /// A task that is over: memory had the picture.
    init(_ request: ImageRequest, _ result: ImageFrame) {
        self.request = request
        work = .none(Promise(.success(result)))
        storedPriority = Mutex(request.priority)
    }

    init(_ request: ImageRequest, _ share: Jobs.Subscription, onAbandon: @escaping @Sendable () -> Void) {
        self.request = request
        work = .shared(share, onAbandon: onAbandon)
        storedPriority = Mutex(request.priority)
    }

    /// How urgent it is; setting it moves what waits for a connection or for a decoding thread.
    ///
    /// Work that others want as well is as urgent as it is to the most urgent of them.
    public var priority: FetchPriority {
        get { storedPriority.withLock { $0 } }
        set {
            storedPriority.withLock { $0 = newValue }
            if case .shared(let share, _) = work { share.setPriority(newValue) }
        }
    }

    /// The picture, when it is there; any number of tasks may wait for it.
    ///
    /// Cancelling a task that waits here cancels this one.
    ///
    /// - Throws: `ImageError`; `CancellationError`, at once, after `cancel`.
    public var value: ImageFrame {
        get async throws {
            try await withTaskCancellationHandler {
                switch work {
                case .none(let wish): try await wish.value
                case .shared(let share, _): try await share.value
                }
            } onCancel: {
                cancel()
            }
        }
    }

    /// Leaves the request; what nobody else wants ends, at whatever stage it is.
    ///
    /// Does nothing when the picture is there already.
    public func cancel() {
        guard case .shared(let share, let onAbandon) = work, share.cancel() else { return }
        onAbandon()
    }

    /// Has `watch` told of the outcome, at once where there is one, otherwise on the thread that brings it.
    func onCompletion(_ watch: @escaping @Sendable (Result<ImageFrame, any Error>) -> Void) {
        switch work {
        case .none(let wish): wish.onCompletion(watch)
        case .shared(let share, _): share.onCompletion(watch)
        }
    }
}

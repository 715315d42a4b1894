public import SpyglassFetching
internal import SpyglassThreads

/// A request in progress: its frames, its priority, and a way to cancel it.
///
///     let task = pipeline.load(request)
///     task.priority = .near
///     for try await frame in task.frames { show(frame.pixels) }
///
/// Releasing a task does not cancel it. Thread-safe; no call blocks.
public final class ImageTask: Sendable {
    typealias Work = TaskCoalescer<ImageRequest, ImageResponse, PipelineEvent>

    /// The request that was loaded.
    public let request: ImageRequest
    let promise: Promise<ImageResponse>
    private let work: Work.Subscription?
    private let onAbandon: @Sendable () -> Void
    private let storedPriority: Mutex<FetchPriority>

    init(
        _ request: ImageRequest, _ promise: Promise<ImageResponse>, work: Work.Subscription? = nil,
        onAbandon: @escaping @Sendable () -> Void = {}
    ) {
        self.request = request
        self.promise = promise
        self.work = work
        self.onAbandon = onAbandon
        storedPriority = Mutex(request.priority)
    }

    /// How urgent it is; a change moves work that waits for a connection or a decoding thread.
    ///
    /// Shared work has the highest priority of its requests.
    public var priority: FetchPriority {
        get { storedPriority.withLock { $0 } }
        set {
            storedPriority.withLock { $0 = newValue }
            work?.setPriority(newValue)
        }
    }

    /// The last frame, for any number of callers; cancelling a Swift task that waits here cancels the request.
    ///
    /// - Throws: `ImageError`; `ImageError.cancelled`, immediately, after `cancel`.
    public var value: ImageResponse {
        get async throws(ImageError) {
            let outcome = await withTaskCancellationHandler {
                await promise.outcome
            } onCancel: {
                cancel()
            }
            do { return try outcome.get() } catch { throw ImageError(error, of: request.source) }
        }
    }

    /// The frames: previews from now on, if the request includes them, and then the final image.
    ///
    /// A slow reader gets only the newest frame. Ending the iteration early cancels the request. Ends with what `value` throws.
    public var frames: AsyncThrowingStream<ImageResponse, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: ImageResponse.self, bufferingPolicy: .bufferingNewest(1))
        if request.includesPreviews {
            work?.listen { if case .previewed(_, let frame) = $0 { continuation.yield(frame) } }
        }
        continuation.onTermination = { _ in self.cancel() }
        promise.onCompletion { outcome in
            switch outcome {
            case .success(let frame):
                continuation.yield(frame)
                continuation.finish()
            case .failure(let error): continuation.finish(throwing: ImageError(error, of: self.request.source))
            }
        }
        return stream
    }

    /// Reports the bytes received so far, from now on: once per 64 KiB or hundredth of a known length, whichever is more.
    ///
    /// Finishes with the request; empty if no transfer is needed.
    public var progress: AsyncStream<Progress> {
        let (stream, continuation) = AsyncStream.makeStream(of: Progress.self)
        work?.listen {
            if case .received(_, let received, let total) = $0 {
                continuation.yield(Progress(received: received, total: total))
            }
        }
        promise.onCompletion { _ in continuation.finish() }
        return stream
    }

    /// The stages of the request from now on; an image comes last, as `finished`.
    public var events: AsyncStream<PipelineEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: PipelineEvent.self)
        work?.listen { continuation.yield($0) }
        promise.onCompletion { [source = request.source] outcome in
            if case .success(let response) = outcome { continuation.yield(.finished(source, response)) }
            continuation.finish()
        }
        return stream
    }

    /// Cancels the request; work that no other request needs ends, at whatever stage it is.
    ///
    /// Does nothing once the image is there.
    public func cancel() {
        if work?.cancel() == true { onAbandon() }
    }

    /// Bytes of a body that have arrived.
    public struct Progress: Hashable, Sendable {
        /// How many have arrived.
        public var received: Int
        /// How many there are, if the server has named a length.
        public var total: Int?

        package init(received: Int, total: Int? = nil) { (self.received, self.total) = (received, total) }
    }
}

import SpyglassCaching
import SpyglassFetching
import SpyglassPipeline
import SpyglassTestSupport
import SpyglassThreads

/// The complete stack of a program: pipeline, caches, retries, libcurl.
struct Stack {
    let pipeline: ImagePipeline
    let caching: CachingTransport
    let network: CurlTransport
    /// The clock of the network's timeouts.
    let networkClock: ManualClock
    /// The clock of the retry delays.
    let retryClock: ManualClock

    static let bodyLimit = 1 << 20

    /// Makes a stack over a folder, with a fixed calendar.
    ///
    /// A delay that a host requests passes immediately.
    init(
        folder: String, memory: ImagePipeline.Memory? = nil, mode: CachingTransport.Mode = .normal,
        connections: Int? = nil, clock: any Clock<Duration> = ManualClock(),
        inFrontOfNetwork: (any Transport) -> any Transport = { $0 }
    ) {
        let networkClock = ManualClock()
        let retryClock = ManualClock()
        let now: @Sendable () -> WallTime = { WallTime(seconds: 1_700_000_000) }
        let disk = DiskCache(folder: folder, byteLimit: 64 << 20)
        network = CurlTransport(connections: connections, clock: networkClock) { event in
            if case .hostPaused(_, let pause) = event { networkClock.advance(by: pause) }
        }
        let retrying = RetryingTransport(
            inFrontOfNetwork(network), clock: retryClock, now: now, jitter: { 0 })
        caching = CachingTransport(retrying, store: disk, mode: mode, now: now)
        pipeline = ImagePipeline(
            transport: caching, memory: memory, thumbnails: disk, usesStaleThumbnails: mode == .offline, clock: clock,
            now: now, bodyLimit: Self.bodyLimit)
        self.networkClock = networkClock
        self.retryClock = retryClock
    }

    /// Flushes the caches and ends the network's thread.
    func end() async {
        await pipeline.flush()
        await caching.flush()
        await network.shutDown()
    }
}

extension ManualClock {
    /// Advances by `step` whenever a task sleeps, until `body` returns.
    func passing<Value>(by step: Duration, while body: () async -> Value) async -> Value {
        let passing = Task {
            while !Task.isCancelled {
                await waitForSleepers()
                advance(by: step)
            }
        }
        let value = await body()
        passing.cancel()
        // The last sleeper may be the only one.
        let last = Task { try await sleep(for: step) }
        await passing.value
        last.cancel()
        return value
    }
}

public import SpyglassCaching
public import SpyglassCodecs
public import SpyglassFetching
public import SpyglassThreads

extension ImagePipeline {
    /// The parts of a pipeline.
    ///
    ///     var configuration = ImagePipeline.Configuration(cache: DiskCache(folder: "/home/ada/.cache/gallery"))
    ///     configuration.bodyLimit = 16 << 20
    ///     let pipeline = ImagePipeline(configuration)
    public struct Configuration: Sendable {
        /// Fetches addresses.
        public var transport: any Transport
        /// Stores small decoded images beyond this process; `nil` for nowhere.
        package var thumbnails: (any ByteStore)?
        /// Whether stored thumbnails are also used when stale, marked as such: for use without a network.
        public var usesStaleThumbnails = false
        /// Decodes every image, within its limits and its budget of memory.
        public var decoder: ImageDecoder
        /// Stores decoded images; `nil` for a cache of the pipeline's own.
        package var memory: Memory?
        /// Decodes; `nil` for as many threads as this process may use processors, at least two.
        public var threads: ThreadPool?
        /// Reads and writes thumbnails; `nil` for one thread.
        package var fileThreads: ThreadPool?
        /// Times the interval between previews.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// The calendar, which decides what is fresh.
        package var now: @Sendable () -> WallTime = { WallTime.now() }
        /// The largest body to fetch, in bytes.
        public var bodyLimit = 64 << 20
        /// Receives every event.
        public var onEvent: PipelineEvent.Observer = { _ in }

        /// Makes a configuration over a transport; `memory` is the budget for decodes, by default a quarter of what this process may use.
        public init(transport: any Transport, memory: WorkMemory? = nil) {
            self.transport = transport
            decoder = ImageDecoder(memory: memory ?? Self.defaultMemory)
        }

        /// Makes a configuration for the network: libcurl with retries and, given a cache, HTTP caching and stored thumbnails.
        ///
        /// - Parameters:
        ///   - cache: stores responses and thumbnails; without one, only memory keeps images.
        ///   - connections: concurrent transfers, in all and to one host; by default 16 in all and 6 to one host.
        ///   - userAgent: the User-Agent header to send.
        ///   - memory: the budget for decodes and bodies in flight, by default a quarter of what this process may use.
        public init(
            cache: DiskCache? = nil, connections: Int? = nil, userAgent: String = SpyglassVersion.userAgent,
            memory: WorkMemory? = nil
        ) {
            let memory = memory ?? Self.defaultMemory
            let network = RetryingTransport(
                CurlTransport(connections: connections, userAgent: userAgent, memory: memory))
            let caching: (any Transport)? = cache.map { CachingTransport(network, cache: $0, memory: memory) }
            self.init(transport: caching ?? network, memory: memory)
            thumbnails = cache
        }

        private static var defaultMemory: WorkMemory { WorkMemory(limit: MemoryBudget.current().workBytes) }
    }
}

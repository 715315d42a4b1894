public import SpyglassCaching
public import SpyglassCodecs
public import SpyglassFetching
public import SpyglassThreads

extension ImagePipeline {
    /// What a pipeline is made of.
    ///
    ///     var configuration = ImagePipeline.Configuration(cache: DiskCache(folder: "/home/ada/.cache/gallery"))
    ///     configuration.bodyLimit = 16 << 20
    ///     let pipeline = ImagePipeline(configuration)
    public struct Configuration: Sendable {
        /// Fetches addresses.
        public var transport: any Transport
        /// Stores small decoded images beyond this process; `nil` for nowhere.
        public var thumbnails: (any ByteStore)?
        /// Whether stored thumbnails are also used when stale, marked as such: for use without a network.
        public var usesStaleThumbnails = false
        /// Decodes every image, within its limits and its budget of memory.
        public var decoder: ImageDecoder
        /// Stores decoded images; `nil` for a cache of the pipeline's own.
        public var memory: Memory?
        /// Decodes; `nil` for as many threads as this process may use processors, at least two.
        public var threads: ThreadPool?
        /// Reads and writes thumbnails; `nil` for one thread.
        public var fileThreads: ThreadPool?
        /// Times the interval between previews.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// The calendar, which decides what is fresh.
        public var now: @Sendable () -> WallTime = { WallTime.now() }
        /// The largest body to fetch, in bytes.
        public var bodyLimit = 64 << 20
        /// Receives every event.
        public var onEvent: PipelineEvent.Observer = { _ in }

        /// Makes a configuration over a transport; `memory` is the budget for decodes, by default a quarter of what this process may use.
        public init(transport: any Transport, memory: WorkMemory = WorkMemory(limit: MemoryBudget.current().workBytes))
        {
            self.transport = transport
            decoder = ImageDecoder(memory: memory)
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
            memory: WorkMemory = WorkMemory(limit: MemoryBudget.current().workBytes)
        ) {
            let network = RetryingTransport(
                CurlTransport(connections: connections, userAgent: userAgent, memory: memory))
            let caching: (any Transport)? = cache.map { CachingTransport(network, store: $0, memory: memory) }
            self.init(transport: caching ?? network, memory: memory)
            thumbnails = cache
        }
    }
}

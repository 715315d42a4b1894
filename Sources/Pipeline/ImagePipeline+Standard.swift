public import SpyglassCaching
public import SpyglassFetching

extension ImagePipeline {
    /// A pipeline over the network as most programs want it: libcurl, retries, and a disk cache in front for answers and thumbnails.
    ///
    ///     let pipeline = ImagePipeline.standard(cache: DiskCache(folder: "/home/ada/.cache/gallery"))
    ///
    /// - Parameters:
    ///   - cache: where answers and decoded thumbnails are kept; without one, memory alone keeps pictures, for as long as their answers
    ///     allow.
    ///   - connections: transfers at once, in all and to one host; by default 16 in all and 6 to one host.
    ///   - userAgent: what servers are told.
    /// - Returns: a pipeline that has touched nothing yet.
    public static func standard(
        cache: DiskCache? = nil, connections: Int? = nil, userAgent: String = SpyglassVersion.userAgent
    ) -> ImagePipeline {
        let network = RetryingTransport(CurlTransport(connections: connections, userAgent: userAgent))
        guard let cache else { return ImagePipeline(transport: network) }
        return ImagePipeline(transport: CachingTransport(network, store: cache), thumbnails: cache)
    }
}

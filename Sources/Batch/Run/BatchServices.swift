package import SpyglassCodecs
package import SpyglassFetching

/// What a batch reaches the world through, and how far it may go there.
package struct BatchServices: Sendable {
    /// Decodes every picture, within its limits.
    package var decoder: ImageDecoder
    /// Fetches addresses; caches, retries and pauses between requests are its own.
    package var transport: any Transport
    /// What durations in reports are measured by.
    package var clock: any Clock<Duration>
    /// The largest body that is taken, in bytes.
    package var bodyLimit: Int
    /// Bytes of bodies, expected, waiting for a decoder or in work, before no further transfer begins; one of any size always goes.
    package var waitingBytesLimit = 64 << 20
    /// Puts an error of a picture into words, in one line; the command adds what to do about it.
    package var decodeWords: @Sendable (CodecError) -> String = { $0.description }
    /// Puts an error of a transfer into words, in one line.
    package var fetchWords: @Sendable (FetchError) -> String = { $0.description }

    package init(
        decoder: ImageDecoder = ImageDecoder(), transport: any Transport,
        clock: any Clock<Duration> = ContinuousClock(), bodyLimit: Int = ImageLimits().bodyBytes
    ) {
        self.decoder = decoder
        self.transport = transport
        self.clock = clock
        self.bodyLimit = bodyLimit
    }
}

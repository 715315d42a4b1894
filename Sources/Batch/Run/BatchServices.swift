package import SpyglassCodecs
package import SpyglassFetching

package struct BatchServices: Sendable {
    package var decoder: ImageDecoder
    package var transport: any Transport
    package var clock: any Clock<Duration>
    /// The maximum size of a body in bytes.
    package var bodyLimit: Int
    /// Bytes of bodies in flight that delay further transfers; one transfer always runs.
    package var waitingBytesLimit = 64 << 20
    /// One-line messages, to which the command adds what to do.
    package var decodeWords: @Sendable (CodecError) -> String = { $0.description }
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

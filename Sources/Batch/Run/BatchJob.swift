package import SpyglassCodecs
package import SpyglassFetching
package import SpyglassFiles
package import SpyglassPixels

package struct BatchJob: Hashable, Sendable {
    package enum Format: String, Hashable, Sendable, CaseIterable {
        /// The source's, unless the name template has another extension.
        case same
        case jpeg
        case png

        /// `nil` for `same`.
        var result: ResultFormat? { ResultFormat(rawValue: rawValue) }
    }

    /// At least one, no two equal.
    package var sizes: [OutputSize]
    package var fit = TargetSize.Fit.contain
    package var allowsUpscaling = false
    package var filter = ResampleFilter.lanczos
    package var format = Format.same
    package var quality = 82
    package var isProgressive = false
    /// Keeps EXIF, with its orientation set to upright.
    package var keepsMetadata = false
    package var template: NameTemplate?
    /// Behind transparent pixels of formats without alpha.
    package var background = RGBA(255, 255, 255)
    /// Replaces up-to-date outputs and unrelated files.
    package var isForced = false
    /// Reports without fetching, decoding or writing.
    package var isDryRun = false

    package init(sizes: [OutputSize]) { self.sizes = sizes }
}

/// A format that is written.
enum ResultFormat: String, Hashable, Sendable, CaseIterable {
    case jpeg
    case png

    /// The source's; of a format that is only read PNG with transparency, else JPEG.
    init(like source: ImageFormat, hasAlpha: Bool) {
        self = ResultFormat(rawValue: source.rawValue) ?? (hasAlpha ? .png : .jpeg)
    }

    var fileExtension: String { self == .jpeg ? "jpg" : "png" }
}

package struct BatchServices: Sendable {
    package var decoder: ImageDecoder
    package var transport: any Transport
    package var clock: any Clock<Duration>
    /// The maximum size of a body in bytes.
    package var bodyLimit: Int
    /// Bytes of bodies in flight that delay further transfers; one transfer always runs.
    package var waitingBytesLimit = 64 << 20
    /// One-line messages, to which the command adds what to do.
    package var decodeMessage: @Sendable (CodecError) -> String = { $0.description }
    package var fetchMessage: @Sendable (FetchError) -> String = { $0.description }
    /// How files are opened.
    package var openInput: BatchInputs

    package init(
        decoder: ImageDecoder = ImageDecoder(), transport: any Transport,
        clock: any Clock<Duration> = ContinuousClock(), bodyLimit: Int = ImageLimits().bodyBytes
    ) {
        self.decoder = decoder
        self.transport = transport
        self.clock = clock
        self.bodyLimit = bodyLimit
        openInput = BatchInputs(limits: decoder.limits)
    }
}

/// How the files of a batch are opened.
package struct BatchInputs: Sendable {
    /// Limits the bytes of a file.
    var limits = ImageLimits()
    /// Returns the file behind a path that is not opened by name (`-`, standard input); `nil` for other paths.
    package var opened: @Sendable ([UInt8]) throws(BatchError) -> FileDescriptor? = {
        (_) throws(BatchError) in nil
    }
}

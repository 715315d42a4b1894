internal import SpyglassCaching
package import SpyglassCodecs
package import SpyglassFetching
package import SpyglassFiles
internal import SpyglassJSON
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

    package enum Damaged: String, Hashable, Sendable, CaseIterable {
        case fail
        /// Makes a result of what there is.
        case make
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
    /// What to do with an image of which parts are missing.
    package var damaged = Damaged.fail
    /// Writes samples into tar files, each with its metadata.
    package var isPacked = false
    /// Reports the SHA-256 of each source.
    package var hashesSources = false
    /// Uses images of lists although their `X-Robots-Tag` refuses that.
    package var ignoresRobotsTag = false
    /// Replaces up-to-date outputs and unrelated files.
    package var isForced = false
    /// Reports without fetching, decoding or writing.
    package var isDryRun = false

    package init(sizes: [OutputSize]) { self.sizes = sizes }
}

extension BatchJob {
    /// Incremented whenever the same options give other bytes, so that earlier outputs are out of date.
    private static let resultVersion = 1

    func template(of item: BatchItem) -> NameTemplate {
        item.template ?? template ?? .standard(sizeCount: item.sizes.isEmpty ? sizes.count : item.sizes.count)
    }

    /// The option, else the extension of the name template.
    func format(of item: BatchItem) -> Format { format == .same ? template(of: item).format ?? .same : format }

    func resultFormat(of source: ImageFormat, hasAlpha: Bool, _ item: BatchItem) -> ResultFormat {
        format(of: item).result ?? ResultFormat(like: source, hasAlpha: hasAlpha)
    }

    /// The formats of outputs whose source is not known yet, or only its format: transparency may decide.
    func possibleFormats(of item: BatchItem, from source: ImageFormat? = nil) -> [ResultFormat] {
        (format(of: item).result ?? source.flatMap { ResultFormat(rawValue: $0.rawValue) }).map { [$0] }
            ?? ResultFormat.allCases
    }

    func target(of size: OutputSize) -> TargetSize { size.target(fit: fit, allowsUpscaling: allowsUpscaling) }

    /// The box that an image covers, to which it is cut.
    func crop(of size: OutputSize) -> PixelSize? {
        guard fit == .cover, let width = size.width, let height = size.height else { return nil }
        return PixelSize(width: width, height: height)
    }

    /// A hash of all options that change the bytes of an output, which is stored in it.
    func optionsHash(
        of size: OutputSize, format: ResultFormat, stretch: Stretch, _ item: BatchItem
    ) -> UInt64 {
        var words = ["\(Self.resultVersion)", target(of: size).description, filter.rawValue, format.rawValue]
        if keepsMetadata { words.append("metadata") }
        if format == .jpeg {
            words.append("\(quality)")
            if isProgressive { words.append("progressive") }
            words.append("\(background.red) \(background.green) \(background.blue)")
        }
        if stretch != .linear { words.append("\(stretch)") }
        if damaged == .make { words.append("damaged") }
        if let hash = item.expectedHash { words.append(hash) }
        // A sample is also its other members.
        if isPacked {
            let rights = [item.rights.credit, item.rights.license, item.rights.licenseURL, item.caption]
            words.append(JSONText.array(rights.map { JSONText.string($0) }) + ItemReport.json(item.columns))
        }
        return FNV1a.hash(words.joined(separator: ";"))
    }

    /// The maximum bytes of a pixel while it is encoded: coefficients, the file as it grows, a copy of it, a crop.
    func encodingBytes(of item: BatchItem) -> Int {
        let crop = fit == .cover ? PixelBuffer.bytesPerPixel : 0
        return crop + (possibleFormats(of: item) == [.jpeg] ? isProgressive ? 9 : 3 : 12)
    }

    func encoding(_ format: ResultFormat, _ fingerprint: Fingerprint) -> FilePlan.Encoding {
        let written: ImageEncoder.Format
        switch format {
        case .jpeg:
            var options = ImageEncoder.JPEGOptions()
            options.quality = quality
            options.isProgressive = isProgressive
            written = .jpeg(options)
        case .png: written = .png
        }
        return FilePlan.Encoding(
            written, comment: fingerprint.text, commentWithoutColor: fingerprint.lackingColor.text,
            background: background)
    }
}

/// A format that is written.
enum ResultFormat: String, Hashable, Sendable, CaseIterable {
    case jpeg
    case png

    /// The source's; of a format that is only read PNG with transparency or for FITS, else JPEG.
    init(like source: ImageFormat, hasAlpha: Bool) {
        self = ResultFormat(rawValue: source.rawValue) ?? (hasAlpha || source == .fits ? .png : .jpeg)
    }

    var fileExtension: String { self == .jpeg ? "jpg" : "png" }
}

package struct BatchServices: Sendable {
    package var decoder: ImageDecoder
    package var transport: any Transport
    package var clock: any Clock<Duration>
    package var bodyLimit: Int
    /// One-line messages, to which the command adds what to do.
    package var decodeMessage: @Sendable (CodecError) -> String = { $0.description }
    package var fetchMessage: @Sendable (FetchError) -> String = { $0.description }
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

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
        case webp
        case avif

        /// `nil` for `same`.
        var result: ResultFormat? { ResultFormat(rawValue: rawValue) }
    }

    package enum Quality: Hashable, Sendable {
        /// From 1 to 100, on the scale of each format.
        case level(Int)
        /// Exact pixels, for WebP only.
        case lossless
    }

    /// The metadata that results have of their source.
    package enum Keep: String, Hashable, Sendable, CaseIterable {
        case none
        /// EXIF without the position.
        case exif
        /// The colour profile, instead of pixels in sRGB.
        case icc
        case all

        var metadata: KeptMetadata {
            switch self {
            case .none: []
            case .exif: .exif
            case .icc: .profile
            case .all: [.exif, .profile, .position]
            }
        }
    }

    /// How an image fits its box.
    package enum Fit: String, Hashable, Sendable, CaseIterable {
        case contain
        case cover
        case fill
        /// The whole image inside the box, and the background around it.
        case pad

        var scaling: TargetSize.Fit { TargetSize.Fit(rawValue: rawValue) ?? .contain }
    }

    package enum Damaged: String, Hashable, Sendable, CaseIterable {
        case fail
        /// Makes a result of what there is.
        case make
    }

    /// At least one, no two equal.
    package var sizes: [OutputSize]
    package var fit = Fit.contain
    /// The part that `cover` keeps, unless the item has its own.
    package var focus = Focus.center
    package var allowsUpscaling = false
    package var filter = ResampleFilter.lanczos
    package var format = Format.same
    /// `nil` for the format's own.
    package var quality: Quality?
    /// How long a WebP or AVIF is encoded: from 0, fast, to 6, small; `nil` for `standardEffort`.
    package var effort: Int?
    package static let standardEffort = 4
    package var isProgressive = false
    package var keep = Keep.none
    package var template: NameTemplate?
    /// The colour behind transparent pixels of a JPEG, and around padded images; `nil`: white, and around images of formats
    /// with alpha nothing.
    package var background: RGBA?
    /// The treatment of an image of which parts are missing.
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
        (format(of: item).result ?? source.flatMap(ResultFormat.init(keeping:))).map { [$0] } ?? ResultFormat.kept
    }

    func target(of size: OutputSize) -> TargetSize { size.target(fit: fit.scaling, allowsUpscaling: allowsUpscaling) }

    /// `nil` for a size that is not a box.
    func filling(of size: OutputSize, _ item: BatchItem) -> BoxFilling? {
        guard let width = size.width, let height = size.height else { return nil }
        let box = PixelSize(width: width, height: height)
        return switch fit {
        case .contain, .fill: nil
        case .cover: .crop(box, item.focus ?? focus)
        case .pad: .pad(box, background ?? RGBA(0, 0, 0, 0))
        }
    }

    private var opaqueBackground: RGBA { background ?? RGBA(255, 255, 255) }

    /// A hash of all options that change the bytes of an output, which is stored in it.
    func optionsHash(
        of size: OutputSize, format: ResultFormat, stretch: Stretch, _ item: BatchItem
    ) -> UInt64 {
        var words = ["\(Self.resultVersion)", target(of: size).description, filter.rawValue, format.rawValue]
        if keep != .none { words.append("keep \(keep.rawValue)") }
        // Version 0.2 kept the source's size in EXIF.
        if keep.metadata.contains(.exif) { words.append("sized") }
        switch format {
        case .jpeg:
            words.append("\(level(of: format))")
            if isProgressive { words.append("progressive") }
            words.append(Self.text(of: opaqueBackground))
        case .png: break
        case .webp, .avif: words += [quality == .lossless ? "lossless" : "\(level(of: format))", "\(knownEffort)"]
        }
        switch filling(of: size, item) {
        case .crop(_, .center), nil: break
        case .crop(_, let focus): words.append("focus \(focus)")
        case .pad(_, let color): words.append("pad \(Self.text(of: color)) \(color.alpha)")
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

    private static func text(of color: RGBA) -> String { "\(color.red) \(color.green) \(color.blue)" }

    /// The quality as a number; the best for `lossless`.
    private func level(of format: ResultFormat) -> Int {
        switch quality {
        case .level(let level): level
        case .lossless: 100
        case nil: format.standardQuality
        }
    }

    private var knownEffort: Int { effort ?? Self.standardEffort }

    func encoding(_ format: ResultFormat, _ fingerprint: Fingerprint) -> FilePlan.Encoding {
        let written: FilePlan.Format
        switch format {
        case .jpeg: written = .jpeg(.init(quality: level(of: format), isProgressive: isProgressive))
        case .png: written = .png
        case .webp: written = .webp(quality: quality == .lossless ? nil : level(of: format), effort: knownEffort)
        case .avif: written = .avif(quality: level(of: format), effort: knownEffort)
        }
        return FilePlan.Encoding(
            written, comment: fingerprint.text, commentWithoutColor: fingerprint.lackingColor.text,
            background: opaqueBackground)
    }
}

/// A format that is written.
package enum ResultFormat: String, Hashable, Sendable, CaseIterable {
    case jpeg
    case png
    case webp
    case avif

    /// The formats that `--format same` writes.
    static let kept: [ResultFormat] = [.jpeg, .png]

    /// The source's; `nil` for a format that is written only on request, or never.
    init?(keeping source: ImageFormat) {
        guard let format = ResultFormat(rawValue: source.rawValue), Self.kept.contains(format) else { return nil }
        self = format
    }

    /// The source's; PNG with transparency or for FITS, else JPEG, where that is not kept.
    init(like source: ImageFormat, hasAlpha: Bool) {
        self = ResultFormat(keeping: source) ?? (hasAlpha || source == .fits ? .png : .jpeg)
    }

    var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// The quality without an option; each format has a scale of its own.
    package var standardQuality: Int {
        switch self {
        case .jpeg: 82
        case .png: 100
        case .webp: 80
        case .avif: 60
        }
    }
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

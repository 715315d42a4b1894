internal import SpyglassCaching
internal import SpyglassCodecs
internal import SpyglassPixels

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
    func optionsHash(of size: OutputSize, format: ResultFormat) -> UInt64 {
        var words = ["\(Self.resultVersion)", target(of: size).description, filter.rawValue, format.rawValue]
        if keepsMetadata { words.append("metadata") }
        if format == .jpeg {
            words.append("\(quality)")
            if isProgressive { words.append("progressive") }
            words.append("\(background.red) \(background.green) \(background.blue)")
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

internal import SpyglassCaching
internal import SpyglassCodecs
internal import SpyglassPixels

extension BatchJob {
    /// Raised whenever the same options begin to give other bytes: results of before are then out of date.
    private static let resultVersion = 1

    /// How an item's results are named.
    func template(of item: BatchItem) -> NameTemplate {
        item.template ?? template ?? .standard(sizeCount: item.sizes.isEmpty ? sizes.count : item.sizes.count)
    }

    /// What an item's results are written as: the ending of their names says it where no option does.
    func format(of item: BatchItem) -> Format { format == .same ? template(of: item).format ?? .same : format }

    /// What an item whose source has a format is written as.
    func resultFormat(of source: ImageFormat, _ item: BatchItem) -> ImageFormat {
        switch format(of: item) {
        case .same: source
        case .jpeg: .jpeg
        case .png: .png
        }
    }

    /// What results may be written as while the source is not known yet.
    func possibleFormats(of item: BatchItem) -> [ImageFormat] {
        switch format(of: item) {
        case .same: [.jpeg, .png]
        case .jpeg: [.jpeg]
        case .png: [.png]
        }
    }

    /// What decoders are asked for.
    func target(of size: OutputSize) -> TargetSize { size.target(fit: fit, allowsUpscaling: allowsUpscaling) }

    /// The size of a result that was decoded to `size`'s target: `cover` cuts off what sticks out of the box.
    func cropped(_ picture: PixelSize, of size: OutputSize) -> PixelSize {
        guard fit == .cover, let width = size.width, let height = size.height else { return picture }
        return PixelSize(width: min(width, picture.width), height: min(height, picture.height))
    }

    /// A hash of everything that changes the bytes of one result, besides its source.
    func optionsHash(of size: OutputSize, format: ImageFormat) -> UInt64 {
        var words = ["\(Self.resultVersion)", target(of: size).description, filter.rawValue, format.rawValue]
        if isExact { words.append("exact") }
        if keepsMetadata { words.append("metadata") }
        if format == .jpeg {
            words.append("\(quality)")
            if isProgressive { words.append("progressive") }
            words.append("\(background.red) \(background.green) \(background.blue)")
        }
        return FNV1a.hash(words.joined(separator: ";"))
    }

    /// What writes results, marked so that a later run knows them.
    func encoder(_ format: ImageFormat, mark: Fingerprint, exif: [UInt8]?) -> ImageEncoder {
        let written: ImageEncoder.Format
        switch format {
        case .jpeg:
            var options = ImageEncoder.JPEGOptions()
            options.quality = quality
            options.isProgressive = isProgressive
            written = .jpeg(options)
        case .png: written = .png
        }
        return ImageEncoder(written, comment: mark.text, exif: exif, background: background)
    }
}

extension ImageFormat {
    /// What the names of files end in, without the dot.
    var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .png: "png"
        }
    }
}

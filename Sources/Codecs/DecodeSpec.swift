internal import SpyglassPixels

/// What is to be made of one file's rows.
struct DecodeSpec {
    /// The sizes, which are for upright pictures.
    let targets: [TargetSize]
    let filter: ResampleFilter
    /// Whether a JPEG is decoded in full whatever the sizes are.
    let isExact: Bool
    /// Whether the file's EXIF is to be kept.
    let readsMetadata: Bool
    /// What a JPEG's DCT scale must leave for the resampler, as a factor; `nil` for what looks right.
    var minLeft: Double?

    /// One size, as previews have it.
    init(_ target: TargetSize, isExact: Bool) {
        self.init([target], .area, isExact: isExact, readsMetadata: false)
    }

    init(_ targets: [TargetSize], _ filter: ResampleFilter, isExact: Bool, readsMetadata: Bool) {
        self.targets = targets
        self.filter = filter
        self.isExact = isExact
        self.readsMetadata = readsMetadata
    }

    /// The sizes in pixels of the pictures as they are stored, held against the limits.
    func storedSizes(of info: ImageInfo, _ limits: ImageLimits) throws(CodecError) -> [PixelSize] {
        var sizes: [PixelSize] = []
        var pixels = 0
        for target in targets {
            let size = info.orientation.displayed(target.size(for: info.size))
            try limits.checkTarget(size)
            sizes.append(size)
            pixels += size.pixelCount
        }
        // All of them are made at once: together they may be no more than one.
        if sizes.count > 1 { try limits.checkTargets(pixels: pixels) }
        return sizes
    }
}

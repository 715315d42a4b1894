internal import SpyglassPixels

struct DecodeSpec {
    let targets: [TargetSize]
    let filter: ResampleFilter
    let isExact: Bool
    let readsMetadata: Bool
    /// The minimum ratio that a JPEG's DCT scale leaves to the resampler; `nil` for the default.
    var minLeft: Double?

    init(_ target: TargetSize, isExact: Bool) {
        self.init([target], .area, isExact: isExact, readsMetadata: false)
    }

    init(_ targets: [TargetSize], _ filter: ResampleFilter, isExact: Bool, readsMetadata: Bool) {
        self.targets = targets
        self.filter = filter
        self.isExact = isExact
        self.readsMetadata = readsMetadata
    }

    func storedSizes(of info: ImageInfo, _ limits: ImageLimits) throws(CodecError) -> [PixelSize] {
        var sizes: [PixelSize] = []
        var pixels = 0
        for target in targets {
            let size = info.orientation.displayed(target.size(for: info.size))
            try limits.checkTarget(size)
            sizes.append(size)
            pixels += size.pixelCount
        }
        // All are made in one pass, so their total must fit one limit.
        if sizes.count > 1 { try limits.checkTargets(pixels: pixels) }
        return sizes
    }
}

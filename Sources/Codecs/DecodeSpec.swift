internal import SpyglassPixels

struct DecodeSpec {
    let targets: [TargetSize]
    let filter: ResampleFilter
    let isExact: Bool
    let readsMetadata: Bool
    /// The minimum ratio that a JPEG's DCT scale leaves to the resampler; `nil` for the default.
    var minLeft: Double?
    /// Bytes of passes of an interlaced PNG that are kept rather than read again: up to 8 MiB of pixels are unpacked once.
    var keptPassBytes = 4 << 20

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
        // All are made at once, so together they must fit one limit.
        if sizes.count > 1 { try limits.checkTargets(pixels: pixels) }
        return sizes
    }
}

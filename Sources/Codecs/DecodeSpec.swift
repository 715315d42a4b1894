internal import SpyglassPixels
internal import SpyglassThreads

struct DecodeSpec {
    let targets: [TargetSize]
    let filter: ResampleFilter
    let isExact: Bool
    let readsMetadata: Bool
    var region = ImageRegion.whole
    /// The minimum ratio that a JPEG's DCT scale leaves to the resampler; `nil` for the default.
    var minLeft: Double?
    /// Bytes of passes of an interlaced PNG that are kept rather than read again: up to 8 MiB of pixels are unpacked once.
    var keptPassBytes = 4 << 20
    var memory: WorkMemory?
    var encodingBytes = 0

    init(_ target: TargetSize, isExact: Bool) { self.init([target], .area, isExact: isExact, readsMetadata: false) }

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
            let size = info.orientation.displayed(target.size(for: region.area(in: info.size).size))
            try limits.checkTarget(size)
            sizes.append(size)
            pixels += size.pixelCount
        }
        // All are made in one pass, so their total must fit one limit.
        if sizes.count > 1 { try limits.checkTargets(pixels: pixels) }
        return sizes
    }

    /// The region in stored pixels.
    func storedArea(of info: ImageInfo) -> PixelArea {
        info.orientation.stored(region.area(in: info.size), of: info.storedSize)
    }

    /// Reserves the images of a decode, `copies` of each, its rows, what its decoder needs (`work`), and `more`.
    func reserve(
        _ sizes: [PixelSize], of source: PixelSize, copies: Int, work: Int, more: Int = 0, within limits: ImageLimits,
        _ cancellation: Cancellation?
    ) throws(CodecError) -> WorkMemory.Share? {
        let bytes = try checkedBytes(sizes, of: source, copies: copies, work: work, more: more, within: limits)
        guard let memory, bytes >= WorkMemory.minBytes else { return nil }
        do throws(WorkMemory.Refusal) { return try memory.reserve(bytes, cancellation: cancellation) } catch {
            throw CodecError(error)
        }
    }

    /// Reserves what an animation holds for as long as it lives: it does not wait for decodes, nor they for it.
    func reserveToAnimate(
        _ sizes: [PixelSize], of source: PixelSize, copies: Int, work: Int, more: Int = 0, within limits: ImageLimits
    ) throws(CodecError) -> WorkMemory.Share? {
        let bytes = try checkedBytes(sizes, of: source, copies: copies, work: work, more: more, within: limits)
        guard let memory, bytes >= WorkMemory.minBytes else { return nil }
        if bytes > memory.limit { throw CodecError(.exceedsLimit(needed: bytes, limit: memory.limit)) }
        guard let share = memory.reserveIfFree(bytes) else { throw .outOfMemory(to: "animate") }
        return share
    }

    /// What all takes together, which is what the error names: with that as the limit, the image is decoded.
    @discardableResult
    func checkedBytes(
        _ sizes: [PixelSize], of source: PixelSize, copies: Int, work: Int, more: Int = 0, within limits: ImageLimits
    ) throws(CodecError) -> Int {
        let bytes =
            Self.byteCount(sizes, of: source, copies: copies) + work + more
            + encodingBytes * (sizes.map(\.pixelCount).max() ?? 0)
        if work > limits.workBytes { throw CodecError(.exceedsLimit(needed: bytes, limit: limits.workBytes)) }
        return bytes
    }

    static func byteCount(_ sizes: [PixelSize], of source: PixelSize, copies: Int) -> Int {
        sizes.reduce(0) { bytes, size in
            bytes + size.pixelCount * PixelBuffer.bytesPerPixel * copies + max(source.width, size.width) * rowBytes
        }
    }

    /// What a pixel of a row takes at most in codec and resampler: the rows under a Lanczos window, weights and sums.
    static let rowBytes = 128
}

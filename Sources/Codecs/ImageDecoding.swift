internal import SpyglassPixels
internal import SpyglassThreads

/// An opened file whose header is read.
protocol ImageDecoding: ~Copyable {
    var info: ImageInfo { get }
    var metadata: ImageMetadata { get }
    /// Bytes that decoding takes besides rows and outputs.
    func workBytes(_ spec: DecodeSpec) -> Int
    func decode(_ spec: DecodeSpec) throws(CodecError) -> DecodedImage
}

/// A decoder that passes stored rows on, from the first to the last; resampling and colours are the same for every format.
protocol RowDecoding: ImageDecoding, MetadataReader, ~Copyable {
    var input: ByteReader { get }
    var limits: ImageLimits { get }
    var colors: ImageColors { get }
    /// How a channel's value follows from light; sRGB unless the file states another curve.
    var transfer: TransferCurve { get }
    /// The colours of samples deeper than 8 bits that must be converted before they are rounded; `nil` for others.
    ///
    /// With them, rows have 16 bits a sample, in the machine's byte order.
    func deepColors(_ spec: DecodeSpec) -> CodePoints?

    /// Prepares for rows; their memory is reserved.
    func start() throws(CodecError) -> RowLayout
    /// Passes the rows of `area` to `take`, each as wide as the stored image; rows above it may be skipped.
    ///
    /// Throws if there are none. A file that ends early has the rows before its end.
    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead
}

/// How much of the wanted rows a file held.
struct RowsRead {
    var completeness = DecodedImage.Completeness.complete
    var warnings = 0
    /// In the library's words.
    var firstWarning: String?
}

extension ImageDecoding where Self: ~Copyable {
    func workBytes(_ spec: DecodeSpec) -> Int { 0 }
}

extension RowDecoding where Self: ~Copyable {
    var metadata: ImageMetadata { metadata(info) }
    var transfer: TransferCurve { .sRGB }
    func deepColors(_ spec: DecodeSpec) -> CodePoints? { nil }

    /// Returns what a file holds that ends after some rows; throws if there are none.
    func endEarly(after rows: Int) throws(CodecError) -> RowsRead {
        guard rows > 0 else { throw .corrupt(info.format, "the file ends before the first row") }
        return RowsRead(
            completeness: .truncated(rows: rows, of: info.storedSize.height), firstWarning: "the file ends early")
    }

    func decode(_ spec: DecodeSpec) throws(CodecError) -> DecodedImage {
        let sizes = try spec.storedSizes(of: info, limits)
        let deep = deepColors(spec).map(DeepColors.init)
        let color = deep == nil ? spec.conversion(of: profile(), for: colors) : .none
        let isPlain = color.transform == nil && info.orientation == .up
        let share = try spec.reserve(
            sizes, of: info.storedSize, copies: isPlain ? 1 : 2, work: workBytes(spec), within: limits)
        let layout = try start()
        let area = spec.storedArea(of: info)
        let resamplers = sizes.map {
            RowResampler(spec.filter, from: info.storedSize, part: area, to: $0, layout: layout, transfer: transfer)
        }
        let pixelBytes = layout.channels * (deep == nil ? 1 : 2)
        let columns = area.x * pixelBytes..<area.endX * pixelBytes
        var converted = [UInt8](repeating: 0, count: deep == nil ? 0 : area.size.width * layout.channels)
        let rows = try readRows(of: area, layout, spec) { row in
            let pixels = row.extracting(columns)
            guard let deep else {
                for resampler in resamplers { resampler.add(pixels) }
                return
            }
            deep.convert(pixels, layout, to: &converted)
            for resampler in resamplers { resampler.add(converted.span) }
        }
        return DecodedImage(
            buffers: resamplers.map { color.finished($0.finish(), of: info) }, info: info,
            completeness: rows.completeness, warnings: rows.warnings, firstWarning: rows.firstWarning,
            colorWarning: color.warning, exif: spec.readsMetadata ? exif() : nil, profile: color.kept
        ).holding(share)
    }
}

struct DecodeSpec {
    /// The sizes, perhaps with the files that are made of them.
    var plans: [FilePlan]
    var filter: ResampleFilter
    var isExact: Bool
    /// The metadata to read with the pixels.
    var keeps: KeptMetadata
    var readsMetadata: Bool { keeps.contains(.exif) }
    var region = ImageRegion.whole
    /// Grants the memory of the whole decode, before any of it is taken; `nil`: it is not limited.
    var grant: Grant?
    /// Copies of each output between a worker and the process that asked it.
    var sharedCopies = 0
    /// Bytes of the copies of the encoded image in the caller and its worker.
    var copiedBytes = 0
    /// Whether libheif decodes an AVIF, which takes more memory: libavif is missing or has refused it.
    var usesLibheif = false
    /// Whether a worker has crashed on the image, perhaps for want of memory.
    var hasCrashed = false

    typealias Grant = (_ bytes: Int) throws(CodecError) -> WorkMemory.Share?

    init(_ target: TargetSize, isExact: Bool) {
        self.init([FilePlan(target, encoding: nil)], .area, isExact: isExact, keeping: [])
    }

    init(_ plans: [FilePlan], _ filter: ResampleFilter, isExact: Bool, keeping kept: KeptMetadata) {
        (self.plans, self.filter, self.isExact, keeps) = (plans, filter, isExact, kept)
    }

    func conversion(of profile: EmbeddedProfile, for colors: ImageColors) -> ColorConversion {
        if keeps.contains(.profile), let kept = profile.kept(for: colors) { return ColorConversion(kept: kept) }
        return ColorTransforms.shared.conversion(of: profile, for: colors)
    }

    func storedSizes(of info: ImageInfo, _ limits: ImageLimits) throws(CodecError) -> [PixelSize] {
        guard plans.count <= DecodeRequest.maxPlans else {
            throw CodecError(.limit, "more than \(DecodeRequest.maxPlans) sizes")
        }
        var sizes: [PixelSize] = []
        var pixels = 0
        for plan in plans {
            let size = info.orientation.displayed(plan.target.size(for: region.area(in: info.size).size))
            try limits.checkTarget(size)
            sizes.append(size)
            pixels += size.pixelCount
        }
        for size in plans.compactMap(\.paddedSize) { try limits.checkTarget(size) }
        // All are made in one pass, so their total must fit one limit.
        if sizes.count > 1 { try limits.checkTargets(pixels: pixels) }
        return sizes
    }

    func storedArea(of info: ImageInfo) -> PixelArea {
        info.orientation.stored(region.area(in: info.size), of: info.storedSize)
    }

    func displayedSizes(of info: ImageInfo, _ limits: ImageLimits) throws(CodecError) -> [PixelSize] {
        try storedSizes(of: info, limits).map { info.orientation.displayed($0) }
    }

    /// Counts the copies that a worker and its caller need, so that a limit does not depend on the sandbox.
    mutating func countLikeWorker(_ input: ByteReader, _ limits: ImageLimits, isShared: Bool) {
        sharedCopies = Self.workerCopies
        copiedBytes = input.copiedBytes(limits, isShared: isShared)
    }

    /// The output in shared memory, and the caller's.
    static let workerCopies = 2

    /// Reserves the images of a decode, `copies` of each, its rows, and what its decoder needs (`work`).
    func reserve(
        _ sizes: [PixelSize], of source: PixelSize, copies: Int, work: Int, within limits: ImageLimits
    ) throws(CodecError) -> WorkMemory.Share? {
        // Checked also where nothing grants.
        let bytes = try checkedBytes(sizes, of: source, copies: copies, work: work, within: limits)
        return try grant?(bytes)
    }

    /// All that a decode needs together, which is what an error names: with that as the limit, the image is decoded.
    @discardableResult
    func checkedBytes(
        _ sizes: [PixelSize], of source: PixelSize, copies: Int, work: Int, within limits: ImageLimits
    ) throws(CodecError) -> Int {
        let bytes =
            Self.byteCount(sizes, of: source, copies: copies + sharedCopies, filter) + work + copiedBytes
            + (zip(plans, sizes).map { $0.encodingBytes(for: $1) }.max() ?? 0)
        if work > limits.workBytes { throw CodecError(.exceedsLimit(needed: bytes, limit: limits.workBytes)) }
        return bytes
    }

    static func byteCount(
        _ sizes: [PixelSize], of source: PixelSize, copies: Int, _ filter: ResampleFilter = .area
    ) -> Int {
        sizes.reduce(0) { bytes, size in
            let windowBytes = filter == .lanczos ? LanczosResampler.windowBytes(from: source, to: size) : 0
            let pixelBytes = size.pixelCount * PixelBuffer.bytesPerPixel * copies
            return bytes + pixelBytes + max(max(source.width, size.width) * rowBytes, windowBytes)
        }
    }

    /// The maximum bytes of a row's pixel in codec and resampler, if width and height shrink alike.
    static let rowBytes = 128
}

extension WorkMemory {
    /// Less than `minBytes` is not counted; waits until more is free.
    func grantToDecode(_ cancellation: Cancellation?) -> DecodeSpec.Grant {
        return { (bytes) throws(CodecError) in
            guard bytes >= Self.minBytes else { return nil }
            do throws(Refusal) { return try self.reserve(bytes, cancellation: cancellation) } catch {
                throw CodecError(error)
            }
        }
    }

    /// An animation holds its memory for as long as it lives: it does not wait for decodes, nor they for it.
    func grantToAnimate() -> DecodeSpec.Grant {
        return { (bytes) throws(CodecError) in
            guard bytes >= Self.minBytes else { return nil }
            if bytes > self.limit { throw CodecError(.exceedsLimit(needed: bytes, limit: self.limit)) }
            guard let share = self.reserveIfFree(bytes) else { throw .outOfMemory(to: "animate") }
            return share
        }
    }
}

public import SpyglassCodecs
internal import SpyglassCaching
internal import SpyglassFiles
public import SpyglassPixels
public import SpyglassThreads

/// Makes thumbnails of uploads: encoded images in, encoded images out.
///
///     DecodeWorker.runIfRequested()  // the first statement of the program
///     let thumbnailer = Thumbnailer(workers: .currentExecutable(count: 2))
///     let thumbnails = try await thumbnailer.thumbnails(of: .bytes(upload), [.fit(320, 320), .cover(96, 96)])
///
/// Thumbnails are upright, in sRGB, and without metadata. One decode makes all of them; WebP and AVIF together take two. Any number
/// of calls may be in progress: as many run as there are threads, within one budget of memory, and no call blocks Swift's
/// cooperative pool. A cancelled call ends within a few rows. Without workers, JPEG, PNG, GIF, BMP, FITS, PNM, QOI, ICO and RAW
/// are decoded in this process, and other formats are refused with an error that names them.
public struct Thumbnailer: Sendable {
    /// A thumbnail to make.
    public struct Variant: Hashable, Sendable {
        let target: TargetSize
        let crop: PixelSize?
        let format: Format

        /// The file format of a thumbnail.
        @nonexhaustive
        public enum Format: Hashable, Sendable {
            /// A JPEG, or a PNG if the image may have transparent pixels.
            case automatic
            /// A JPEG; transparent pixels become white.
            case jpeg(ImageEncoder.JPEGOptions = ImageEncoder.JPEGOptions())
            /// A PNG.
            case png
            /// A WebP of a quality from 1 to 100, others become the nearest; needs libwebp, in the workers if there are any.
            case webp(quality: Int)
            /// An AVIF of a quality from 1 to 100, others become the nearest; needs libavif, in the workers if there are any.
            case avif(quality: Int)
        }

        /// The whole image inside a box of so many pixels, with its aspect ratio; sides below 1 count as 1.
        ///
        /// - Parameters:
        ///   - width: the maximum width in pixels.
        ///   - height: the maximum height in pixels.
        ///   - enlarges: whether a smaller image grows until it touches the box.
        ///   - format: the file format.
        /// - Returns: the variant.
        public static func fit(
            _ width: Int, _ height: Int, enlarges: Bool = false, format: Format = .automatic
        ) -> Variant {
            let box = PixelSize(width: width, height: height)
            return Variant(target: TargetSize(box: box, allowsUpscaling: enlarges), crop: nil, format: format)
        }

        /// The centre of the image, scaled until it covers a box, and cut to the box; sides below 1 count as 1.
        ///
        /// - Parameters:
        ///   - width: the width in pixels.
        ///   - height: the height in pixels.
        ///   - enlarges: whether a smaller image grows; otherwise its thumbnail is smaller than the box.
        ///   - format: the file format.
        /// - Returns: the variant.
        public static func cover(
            _ width: Int, _ height: Int, enlarges: Bool = false, format: Format = .automatic
        ) -> Variant {
            let box = PixelSize(width: width, height: height)
            return Variant(
                target: TargetSize(box: box, fit: .cover, allowsUpscaling: enlarges), crop: box, format: format)
        }
    }

    /// A file that was made.
    public struct Thumbnail: Hashable, Sendable {
        /// Its width and height in pixels.
        public let size: PixelSize
        /// Its format.
        public let format: ImageFormat
        /// The whole file.
        public let bytes: [UInt8]
    }

    private let decoder: ImageDecoder
    private let threads: ThreadPool

    /// Makes a thumbnailer; starts nothing.
    ///
    /// - Parameters:
    ///   - limits: for each image; larger ones are refused.
    ///   - workers: the processes that decode; with workers no image can harm this process.
    ///   - concurrency: images in progress at a time; by default as many as this process may use processors.
    ///   - workMemory: the budget of all images in progress, which other thumbnailers and pipelines may share; by default a
    ///     quarter of what this process may use.
    public init(
        limits: ImageLimits = .upload, workers: WorkerPool? = nil, concurrency: Int? = nil,
        workMemory: WorkMemory? = nil
    ) {
        let memory = workMemory ?? WorkMemory(limit: MemoryBudget.current().workBytes)
        decoder = ImageDecoder(limits: limits, memory: memory, workers: workers)
        threads = ThreadPool(count: concurrency ?? ProcessorCount.usable)
    }

    /// Makes thumbnails of one image, in the order of the variants.
    ///
    /// - Parameters:
    ///   - image: the upload.
    ///   - variants: the thumbnails to make.
    ///   - acceptsPartial: whether the rest of a damaged image is enough; its missing rows are transparent, or white in a JPEG.
    /// - Returns: a file for each variant.
    /// - Throws: `ImageError.decode` with the reason; `ImageError.cancelled`.
    public func thumbnails(
        of image: EncodedImage, _ variants: [Variant], acceptsPartial: Bool = false
    ) async throws(ImageError) -> [Thumbnail] {
        do {
            return try await threads.run { [decoder] _ in
                try Self.make(variants, of: image, acceptsPartial, decoder)
            }
        } catch { throw ImageError(error, of: image.source) }
    }

    private static func make(
        _ variants: [Variant], of image: EncodedImage, _ acceptsPartial: Bool, _ decoder: ImageDecoder
    ) throws(CodecError) -> [Thumbnail] {
        guard !variants.isEmpty else { return [] }
        let needsHeader = variants.contains { $0.format == .automatic }
        let hasAlpha = needsHeader ? try decoder.probe(image).hasAlpha : false
        let formats = variants.map { variant -> FilePlan.Format in
            switch variant.format {
            case .automatic: hasAlpha ? .png : .jpeg(.init())
            case .jpeg(let options): .jpeg(options)
            case .png: .png
            case .webp(let quality): .webp(quality: min(max(quality, 1), 100), effort: defaultEffort)
            case .avif(let quality): .avif(quality: min(max(quality, 1), 100), effort: defaultEffort)
            }
        }
        let plans = zip(variants, formats).map { variant, format in
            FilePlan(
                variant.target, filling: variant.crop.map { .crop($0, .center) },
                encoding: FilePlan.Encoding(
                    format, comment: "", commentWithoutColor: "", background: RGBA(255, 255, 255)),
                isMadeOfDamage: acceptsPartial)
        }
        var thumbnails = [Thumbnail?](repeating: nil, count: plans.count)
        // A worker opens one library that encodes.
        let avif = plans.indices.filter { formats[$0].image == .avif }
        let others = plans.indices.filter { formats[$0].image != .avif }
        let hasWebP = others.contains { formats[$0].image == .webp }
        for part in hasWebP ? [others, avif] : [Array(plans.indices)] where !part.isEmpty {
            let made = try decoder.files(
                part.map { plans[$0] }, of: image, opened: nil, filter: .area, isExact: false, keeping: [])
            let files = made.files.compactMap(\.self)
            guard files.count == part.count else {
                throw CodecError(.corrupt, reason(made.image))
            }
            for (index, file) in zip(part, files) {
                thumbnails[index] = Thumbnail(size: file.size, format: formats[index].image, bytes: file.bytes)
            }
        }
        return thumbnails.compactMap(\.self)
    }

    /// Why a partial image is refused.
    private static func reason(_ image: DecodedImage) -> String {
        if case .truncated(let rows, let all) = image.completeness { return "truncated: \(rows) of \(all) rows" }
        return image.firstWarning ?? "the image is not complete"
    }

    private static let defaultEffort = 4
}

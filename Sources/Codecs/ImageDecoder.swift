public import SpyglassPixels
public import SpyglassThreads

/// Decodes image files straight to the needed size.
///
///     let decoder = ImageDecoder()
///     let image = try decoder.decode(.file("m31.jpg"), to: TargetSize(box: PixelSize(width: 80, height: 46)))
///
/// Rows stream from the file through the codec into the resampler, so memory follows the target; a progressive JPEG also
/// needs its coefficients, an interlaced PNG all its pixels. The first bytes tell the format. Input may be hostile: it ends
/// in an image or a `CodecError`, within limits of time and memory. WebP, AVIF, HEIC, TIFF and JPEG XL need `workers`; the pools
/// of `WorkerPool.currentExecutable` and `WorkerPool.init(executable:)` decode every format.
///
/// Stateless and thread-safe. Calls read files and compute; they block and belong on a thread of their own.
public struct ImageDecoder: Sendable {
    /// The limits for every file.
    public var limits: ImageLimits
    package var options = ReadingOptions()
    /// The budget that images of 1 MiB and more are decoded within; `nil` for none.
    package let memory: WorkMemory?
    /// The processes that decode; `nil`: this one does, and formats of foreign libraries are refused.
    public var workers: WorkerPool?
    /// Formats of the caller's own, asked before the others.
    public var formats: [any ImageFormatDecoding]

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - limits: for every file.
    ///   - windowBytes: the bytes of a JPEG that are read at a time, at least one; they do not affect the result.
    ///   - memory: the budget for images of 1 MiB and more; a call waits until there is room. `nil` for none.
    ///   - workers: the processes that decode.
    ///   - formats: formats of the caller's own.
    public init(
        limits: ImageLimits = ImageLimits(), windowBytes: Int = 64 * 1024, memory: WorkMemory? = nil,
        workers: WorkerPool? = nil, formats: [any ImageFormatDecoding] = []
    ) {
        (self.limits, self.memory, self.workers, self.formats) = (limits, memory, workers, formats)
        options.windowBytes = max(windowBytes, 1)
    }

    /// Reads the header only; asks `cancellation`, or else the task, whenever more bytes are needed.
    ///
    /// Costs a read of 16 KiB or more. A file of a custom format (`formats`) is decoded whole.
    ///
    /// - Throws: `CodecError`, as for decoding.
    public func probe(_ image: EncodedImage, cancellation: Cancellation? = .current) throws(CodecError) -> ImageInfo {
        try probe(ByteReader(image, limits, cancellation))
    }

    /// Reads the header of an open file only, or of `image` without one.
    package func probe(
        _ image: EncodedImage, opened number: Int32?, cancellation: Cancellation? = .current
    ) throws(CodecError) -> ImageInfo {
        try probe(ByteReader(image, limits, opened: number, cancellation))
    }

    func probe(_ input: ByteReader) throws(CodecError) -> ImageInfo {
        try inspection(of: input).metadata.info
    }

    /// Decodes an image, upright, in sRGB.
    ///
    /// A truncated file, or one that the library rejects after the first row, yields the rows before that. A failure within the
    /// scans of a progressive JPEG is an error.
    ///
    /// A region equals that part of the whole image at the same zoom, byte for byte if its edges are edges of target pixels.
    /// A JPEG decodes only the region's columns (`jpeg_crop_scanline`), and a file of one scan stops below it. Rows above it are
    /// entropy-decoded only; a PNG skips only their resampling. An interlaced PNG is decoded whole.
    ///
    /// - Parameters:
    ///   - image: the file's bytes, or its path.
    ///   - region: the part of the upright image that is decoded.
    ///   - target: the output size of that part.
    ///   - isExact: whether a JPEG is decoded at full resolution and averaged in linear light only, rather than partly
    ///     scaled by its inverse DCT. Between the two, the PSNR is 53 dB on average and 37 dB at worst. Costs about twice
    ///     as much.
    ///   - cancellation: asked after every few rows, and whenever more bytes are needed; it also ends the wait for work
    ///     memory. Without one, the task is asked, except while waiting.
    /// - Returns: the image and its completeness.
    /// - Throws: `CodecError` with the library's message; of kind `cancelled` once cancelled.
    public func decode(
        _ image: EncodedImage, region: ImageRegion = .whole, to target: TargetSize, isExact: Bool = false,
        cancellation: Cancellation? = .current
    ) throws(CodecError) -> DecodedImage {
        var spec = DecodeSpec(target, isExact: isExact)
        spec.region = region
        return try decode(ByteReader(image, limits, cancellation), spec).holding(nil)
    }

    /// Decodes an image once for several sizes, upright, in sRGB.
    ///
    ///     let image = try decoder.decode(.file("m31.jpg"), to: [.original, small], filter: .lanczos)
    ///
    /// Uses the finest DCT scale that any size needs, so the pixels of a JPEG depend on the set of sizes. Without sizes, only
    /// the file's other properties are read. Memory is that of all outputs and a few rows.
    ///
    /// `filter` combines source pixels, and `readsMetadata` returns the file's EXIF; the other parameters are as for one size.
    ///
    /// - Throws: `CodecError`, as for one size; of kind `limit` also if the outputs are too large together.
    public func decode(
        _ image: EncodedImage, to targets: [TargetSize], filter: ResampleFilter = .area, isExact: Bool = false,
        readsMetadata: Bool = false, cancellation: Cancellation? = .current
    ) throws(CodecError) -> DecodedImage {
        let plans = targets.map { FilePlan($0, encoding: nil) }
        let spec = DecodeSpec(plans, filter, isExact: isExact, keeping: readsMetadata ? .exif : [])
        return try decode(ByteReader(image, limits, cancellation), spec).holding(nil)
    }

    func decode(_ input: ByteReader, _ spec: DecodeSpec) throws(CodecError) -> DecodedImage {
        if let custom = custom(input) {
            var spec = spec
            spec.grant = memory?.grantToDecode(input.cancellation)
            return try CustomDecoding(custom, input, limits).decode(spec)
        }
        if let page = input.page, page != options.page { return try at(page: page).decode(input, spec) }
        let (format, pool) = try route(of: input)
        if let pool {
            guard let decoded = try pool.decode(input, DecodeRequest(format, self, spec), in: memory) else {
                throw CodecError(.library, "no image")
            }
            return decoded.image
        }
        var spec = spec
        spec.grant = memory?.grantToDecode(input.cancellation)
        if workers === WorkerPool.inProcess { spec.countLikeWorker(input, limits, isShared: true) }
        return try Self.decode(input, format, limits, options, spec)
    }

    /// Decodes in this process; falls back to libheif for files that libavif refuses, as workers do.
    static func decode(
        _ input: ByteReader, _ format: ImageFormat, _ limits: ImageLimits, _ options: ReadingOptions,
        _ spec: DecodeSpec
    ) throws(CodecError) -> DecodedImage {
        try format.naming { () throws(CodecError) in
            do throws(CodecError) { return try format.entry.open(input, limits, options).decode(spec) } catch {
                guard error == .needsLibheif else { throw error }
                var spec = spec
                spec.usesLibheif = true
                return try format.entry.open(ByteReader(again: input), limits, options).decode(spec)
            }
        }
    }

    /// This decoder for a page of files that have several, from 0.
    package func at(page: Int) -> ImageDecoder {
        var decoder = self
        decoder.options.page = page
        return decoder
    }

    /// Returns the format, and the workers that decode it; without them, this process does.
    ///
    /// Most RAW files begin like a TIFF; the process that decodes them reads the directory that distinguishes them.
    func route(of input: ByteReader) throws(CodecError) -> (format: ImageFormat, pool: WorkerPool?) {
        let format = try format(of: input)
        if let workers, workers !== WorkerPool.inProcess, format.needsWorker || workers.scope == .allFormats {
            return (format, workers)
        }
        let exact = format == .tiff && RAWFile.isRAW(input) ? .raw : format
        guard workers != nil || exact.entry.libraries == [.builtIn] else { throw WorkerPool.noLauncher }
        return (exact, nil)
    }

    /// Checks and reserves an image that the caller composes of others; a thread holds one share at most.
    package func reserve(_ size: PixelSize) throws(CodecError) -> WorkMemory.Share? {
        try limits.checkTarget(size)
        return try memory?.grantToDecode(.current)(DecodeSpec.byteCount([size], of: size, copies: 2))
    }

    package func format(of image: EncodedImage) throws(CodecError) -> ImageFormat {
        try format(of: ByteReader(image, limits, .current))
    }

    /// Returns the format by the first bytes, `tiff` for most RAW files.
    func format(of input: ByteReader) throws(CodecError) -> ImageFormat {
        let head = input.head
        return try FileKind.sniff(head.span).decodable()
    }

    /// Reads the header and the metadata before the image data; the position (GPS) is left out.
    ///
    /// Damaged metadata counts as missing. Costs what `probe` does: a read of 16 KiB or more and tens of microseconds.
    /// Asks `cancellation`, or else the task, whenever more bytes are needed.
    ///
    /// - Throws: `CodecError`, as for decoding.
    public func metadata(
        of image: EncodedImage, cancellation: Cancellation? = .current
    ) throws(CodecError) -> ImageMetadata {
        try inspection(of: ByteReader(image, limits, cancellation)).metadata
    }

    /// Counts the frames or pages of an image without decoding them; 1 for a still image.
    ///
    /// Reads a GIF up to frame `max`, and only the headers of other formats.
    package func frameCount(of image: EncodedImage, upTo max: Int = .max) throws(CodecError) -> Int {
        try inspection(of: ByteReader(image, limits, .current), maxFrames: max).frames
    }

    /// Reads the header and metadata, and counts frames unless `maxFrames` is 0.
    func inspection(of input: ByteReader, maxFrames: Int = 0) throws(CodecError) -> Inspection {
        if let custom = custom(input) {
            return Inspection(metadata: try CustomDecoding(custom, input, limits).metadata)
        }
        if let page = input.page, page != options.page {
            return try at(page: page).inspection(of: input, maxFrames: maxFrames)
        }
        let (format, pool) = try route(of: input)
        if let pool {
            let request = InspectRequest(format: format, limits: limits, maxFrames: maxFrames, page: options.page)
            return try pool.inspect(input, request)
        }
        let again = ByteReader(again: input)
        var options = options
        options.windowBytes = Self.headerWindow
        return try format.naming { () throws(CodecError) in
            var inspection = Inspection(metadata: try format.entry.open(input, limits, options).metadata)
            if maxFrames > 0, let count = format.entry.countFrames {
                inspection.frames = try count(again, limits, maxFrames)
            }
            return inspection
        }
    }

    /// Bytes read at a time: EXIF with a thumbnail has about as many.
    static let headerWindow = 16 << 10

    /// Decodes an image once, and encodes files of it; in a worker, if one decodes it.
    ///
    /// Reads the open file `number` instead of `image`, if it is given. Reserves the memory of encoding with that of the decode. An image
    /// that is not complete makes files only if the plans say so. All files have one format. Blocks.
    ///
    /// - Returns: the image without pixels, and the files.
    /// - Throws: `CodecError`, as for decoding and encoding.
    package func files(
        _ plans: [FilePlan], of image: EncodedImage, opened number: Int32?, filter: ResampleFilter, isExact: Bool,
        keeping kept: KeptMetadata
    ) throws(CodecError) -> EncodedFiles {
        let input = try ByteReader(image, limits, opened: number, .current)
        let spec = DecodeSpec(plans, filter, isExact: isExact, keeping: kept)
        let (format, pool) = try route(of: input)
        guard let pool else {
            let image = try decode(input, spec)
            return EncodedFiles(image: image.withoutPixels, files: try image.files(plans, keeping: kept))
        }
        var request = DecodeRequest(format, self, spec)
        request.makesFiles = true
        guard let (image, files) = try pool.decode(input, request, in: memory) else {
            throw CodecError(.library, "no image")
        }
        return EncodedFiles(image: image, files: files)
    }
}

/// How files are read, besides limits.
package struct ReadingOptions: Hashable, Sendable {
    /// Bytes of a JPEG passed to its library at a time; they do not affect the result.
    var windowBytes = 64 * 1024
    /// The page of a file that has several, from 0.
    package var page = 0
    /// The curve of astronomical images.
    package var stretch = Stretch.linear
}

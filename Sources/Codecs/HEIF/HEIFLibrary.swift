internal import SpyglassCAVIF
internal import SpyglassCHEIF
internal import SpyglassFiles
internal import SpyglassThreads

/// libheif, opened at run time, with its plugins.
///
/// `@unchecked Sendable`: the function table is only written before `sg_heif_open` returns.
struct HEIFLibrary: @unchecked Sendable {
    let functions: OpaquePointer

    static let system: Result<HEIFLibrary, CodecError> = Self.open("libheif.so.1")

    /// Decoders fail in ways of their own where the system allows less.
    private static let (minAddressSpace, threads) = (512 << 20, 4)

    static func open(_ name: String) -> Result<HEIFLibrary, CodecError> {
        if let limit = SystemMemory.addressSpace, limit < minAddressSpace {
            let needed = "HEIC and AVIF need \(minAddressSpace >> 20) MiB of address space"
            return .failure(CodecError(.limit, "\(needed) (raise `ulimit -v`)"))
        }
        guard let functions = sg_heif_open(name) else {
            return .failure(WorkerLibrary.missing("libheif1", for: "HEIC and AVIF need"))
        }
        // libde265 returns planes that a damaged file fills in part only.
        SystemMemory.clearNewBlocks()
        return .success(HEIFLibrary(functions: functions))
    }

    /// `heif_get_version`, such as 1.15.1.
    var version: String { String(libraryMessage: sg_heif_version(functions)) }

    /// Decodes the primary image, which has a type, whole, as stored.
    func decode(
        _ file: borrowing InputPrefix, _ format: ImageFormat, _ type: FourCC?, maxSide: Int, hasAlpha: Bool,
        isDeep: Bool
    ) throws(CodecError) -> HEIFImage {
        guard (try? SystemThreads.check(Self.threads)) != nil else {
            throw CodecError(.limit, "HEIC and AVIF need \(Self.threads) threads (raise `ulimit -u` or `-v`)")
        }
        var message = [CChar](repeating: 0, count: 256)
        guard
            let image = sg_heif_decode(
                functions, file.bytes, file.count, CInt(clamping: maxSide), hasAlpha, isDeep, &message,
                message.count)
        else {
            let reason = String(libraryMessage: message)
            guard let type, !Self.types.contains(type) else { throw .corrupt(format, reason) }
            throw .unsupported(format, "an image of type \(type) (libheif: \(reason))")
        }
        guard let decoded = HEIFImage(image, hasAlpha: hasAlpha) else {
            throw .corrupt(format, "an image without pixels")
        }
        return decoded
    }

    /// Types of images that every version knows.
    private static let types: [FourCC] = ["hvc1", "av01", "grid"]
}

/// A decoded image as RGB or RGBA; above 8 bits, samples have two bytes.
struct HEIFImage: ~Copyable {
    private let image: OpaquePointer
    private let pixels: UnsafePointer<UInt8>
    private let rowBytes: Int
    private let stride: Int
    let width: Int
    let height: Int
    let bits: Int
    let isPremultiplied: Bool

    /// Owns the image; `nil` unless it has pixels.
    fileprivate init?(_ image: OpaquePointer, hasAlpha: Bool) {
        var (width, height, stride) = (CInt(0), CInt(0), CInt(0))
        let pixels = sg_heif_pixels(image, &width, &height, &stride)
        bits = Int(sg_heif_bits(image))
        rowBytes = Int(width) * (hasAlpha ? 4 : 3) * (bits > 8 ? 2 : 1)
        guard let pixels, Int(stride) >= rowBytes, (8...16).contains(bits) else {
            sg_heif_image_destroy(image)
            return nil
        }
        (self.width, self.height, self.stride) = (Int(width), Int(height), Int(stride))
        (self.image, self.pixels) = (image, pixels)
        isPremultiplied = hasAlpha && sg_heif_is_premultiplied(image)
    }

    deinit { sg_heif_image_destroy(image) }

    func withRow(_ y: Int, _ body: (Span<UInt8>) -> Void) {
        precondition(y >= 0 && y < height, "outside the image")
        body(UnsafeBufferPointer(start: pixels + y * stride, count: rowBytes).span)
    }
}

/// libavif, opened at run time: decodes AVIF in a third of libheif's time and memory, on one thread.
///
/// `@unchecked Sendable`: the function table is only written before `sg_avif_open` returns.
struct AVIFLibrary: @unchecked Sendable {
    let functions: OpaquePointer

    /// `nil` if it is missing: libheif decodes AVIF then.
    static let system = Self.open("libavif.so.15")

    static func open(_ name: String) -> AVIFLibrary? { sg_avif_open(name).map { AVIFLibrary(functions: $0) } }

    /// `avifVersion`, such as 0.11.1.
    static var version: Result<String, CodecError> {
        guard let system else {
            return .failure(WorkerLibrary.missing("libavif15", for: "libheif decodes AVIF, faster with"))
        }
        return .success(String(libraryMessage: sg_avif_version(system.functions)))
    }

    /// The library, if it can also encode.
    static var encoder: Result<AVIFLibrary, CodecError> {
        guard let system else { return .failure(WorkerLibrary.missing("libavif15", for: "AVIF output needs")) }
        guard sg_avif_can_encode(system.functions) else {
            return .failure(CodecError(.unsupported, "AVIF output needs a libavif with libaom: apt install libavif15"))
        }
        return .success(system)
    }

    /// Whether this version (1.1 or later) reads all files with a grid or alpha.
    var readsGridsAndAlpha: Bool {
        let numbers = String(libraryMessage: sg_avif_version(functions)).split(separator: ".").compactMap { Int($0) }
        return !numbers.lexicographicallyPrecedes([1, 1])
    }

    /// Decodes the primary image, or the first frame of a sequence, whole, in planes of the library.
    func decode(_ file: borrowing InputPrefix, maxPixels: Int, isSequence: Bool) throws(CodecError) -> AVIFImage {
        var message = [CChar](repeating: 0, count: 256)
        let limit = UInt32(min(maxPixels, Self.maxPixels))
        guard
            let image = sg_avif_decode(functions, file.bytes, file.count, limit, isSequence, &message, message.count)
        else { throw .corrupt(.avif, String(libraryMessage: message)) }
        return AVIFImage(image: image)
    }

    /// `AVIF_DEFAULT_IMAGE_SIZE_LIMIT`, above which the library refuses to start.
    private static let maxPixels = 1 << 28
}

/// A decoded image in the library's planes, which are converted by rows.
struct AVIFImage: ~Copyable {
    fileprivate let image: OpaquePointer

    deinit { sg_avif_image_destroy(image) }

    var width: Int { Int(sg_avif_width(image)) }
    var height: Int { Int(sg_avif_height(image)) }

    /// Converts rows from `y` on, which is even, to as many rows of `width` pixels as `output` holds; false if it cannot.
    func convert(from y: Int, hasAlpha: Bool, isDeep: Bool, count: Int, to output: inout [UInt8]) -> Bool {
        let pixelBytes = (hasAlpha ? 4 : 3) * (isDeep ? 2 : 1)
        precondition(y % 2 == 0 && y >= 0 && count >= 0 && output.count >= count * width * pixelBytes, "room")
        return sg_avif_convert(image, UInt32(clamping: y), UInt32(clamping: count), hasAlpha, isDeep, &output)
    }
}

internal import SpyglassCAVIF

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
            let image = sg_avif_decode(
                functions, file.bytes, file.count, limit, isSequence, &message, message.count)
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
    func convert(from y: Int, hasAlpha: Bool, count: Int, to output: inout [UInt8]) -> Bool {
        precondition(y % 2 == 0 && y >= 0 && count >= 0 && output.count >= count * width * (hasAlpha ? 4 : 3), "room")
        return sg_avif_convert(image, UInt32(clamping: y), UInt32(clamping: count), hasAlpha, &output)
    }
}

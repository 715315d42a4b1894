internal import SpyglassCaching
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPixels
internal import SpyglassThreads

/// A complete image in a cache, and how long it is fresh.
package struct CachedImage: Sendable {
    let image: DecodedImage
    let madeAt: WallTime
    /// `nil` if it does not age, as in a recorded archive.
    let lifetime: FetchResponse.Lifetime?
    /// The hash of the encoded bytes (`XXHash64`); 0 if unknown.
    var bodyHash: UInt64 = 0

    /// True if the image may be shown without revalidation; false if the calendar was set back since.
    func isFresh(at now: WallTime, _ policy: ImageRequest.CachePolicy = .http) -> Bool {
        lifetime?.isFresh(at: now, madeAt: madeAt, policy) ?? true
    }

    /// True if the image may replace a response that did not arrive (RFC 9111 section 4.2.4).
    func isFallback(for error: FetchError) -> Bool {
        lifetime?.allowsStale == true && (error.kind == .unreachable || error.kind == .timedOut)
    }

    /// True if the image may replace the response of an unavailable server (RFC 9111 section 4.3.3).
    func isFallback(forStatus status: Int) -> Bool {
        lifetime?.allowsStale == true && RetryPolicy.isTransient(status: status)
    }
}

extension ImagePipeline {
    /// A cache of decoded images, which several pipelines may share; its cost is the bytes that they own.
    public struct Memory: Sendable {
        let images: MemoryCache<ImageKey, CachedImage>
        /// Encoded images, for `ImagePipeline.data`.
        let files: MemoryCache<ImageKey, [CachedFile]>

        /// Makes an empty cache; one entry may cost up to a tenth of the limit.
        ///
        /// - Parameters:
        ///   - totalCostLimit: in bytes; by default a share of the memory that this process may use. Encoded images may take an
        ///     eighth more.
        ///   - countLimit: maximum number of images.
        ///   - timeToLive: how long an image is there, whatever its response allows.
        public init(totalCostLimit: Int? = nil, countLimit: Int = .max, timeToLive: Duration? = nil) {
            images = MemoryCache(totalCostLimit: totalCostLimit, countLimit: countLimit, timeToLive: timeToLive) {
                $0.image.pixels.bytes.count + MemoryCache<ImageKey, CachedImage>.bytesPerEntry + Self.addressBytes
            }
            files = MemoryCache(
                totalCostLimit: images.totalCostLimit / 8, countLimit: countLimit, timeToLive: timeToLive
            ) { files in
                files.reduce(MemoryCache<ImageKey, [CachedFile]>.bytesPerEntry + Self.addressBytes) {
                    $0 + $1.bytes.count
                }
            }
        }

        /// An estimate for the strings of an address, each in a heap block of its own.
        private static let addressBytes = 256
    }
}

/// An encoded image in memory.
struct CachedFile: Sendable {
    let format: ImageEncoder.Format
    let bytes: [UInt8]
    /// Those of the image that was encoded.
    let madeAt: WallTime
    let lifetime: FetchResponse.Lifetime?

    func isFresh(at now: WallTime, _ policy: ImageRequest.CachePolicy) -> Bool {
        lifetime?.isFresh(at: now, madeAt: madeAt, policy) ?? true
    }
}

extension FetchResponse.Lifetime {
    fileprivate func isFresh(at now: WallTime, madeAt: WallTime, _ policy: ImageRequest.CachePolicy) -> Bool {
        switch policy {
        case .http, .reload: return madeAt <= now && now < freshUntil
        case .atLeast(let least):
            let age = madeAt.duration(to: now)
            return age >= .zero && age < least || isFresh(at: now, madeAt: madeAt, .http)
        case .immutable, .cacheOnly: return true
        }
    }
}

// A cached image as an entry of a byte store.
//
// Metadata, numbers in little-endian order: version, flags, format, orientation (a byte each); stored width and height, width and
// height in pixels (four bytes each); when it was made and until when it is fresh, in milliseconds since 1970 (eight each); the
// hash of the body (eight); the length of the colour description (a byte) and the description. Body: three bytes a pixel if it is opaque, else four.

extension CachedImage {
    /// To be raised with every change of the format, and of the pixels that decoding makes of a file.
    static let recordVersion: UInt8 = 3

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let isOpaque = Flags(rawValue: 1)
        static let isProgressive = Flags(rawValue: 2)
        static let fileHasAlpha = Flags(rawValue: 4)
        static let allowsStale = Flags(rawValue: 8)
        static let all: Flags = [.isOpaque, .isProgressive, .fileHasAlpha, .allowsStale]
    }

    private static let opaqueBytesPerPixel = 3

    /// `nil` if it does not age.
    var entry: CacheEntry? {
        guard let lifetime else { return nil }
        let isOpaque = image.pixels.isOpaque
        var flags: Flags = isOpaque ? .isOpaque : []
        if image.info.isProgressive { flags.insert(.isProgressive) }
        if image.info.hasAlpha { flags.insert(.fileHasAlpha) }
        if lifetime.allowsStale { flags.insert(.allowsStale) }
        var metadata = [
            Self.recordVersion, flags.rawValue, image.info.format.code, UInt8(image.info.orientation.rawValue),
        ]
        for size in [image.info.storedSize, image.pixels.size] {
            metadata.append(number: UInt32(clamping: size.width))
            metadata.append(number: UInt32(clamping: size.height))
        }
        metadata.append(number: madeAt.milliseconds)
        metadata.append(number: lifetime.freshUntil.milliseconds)
        metadata.append(number: bodyHash)
        let colors = image.info.colorDescription.utf8.prefix(Int(UInt8.max))
        metadata.append(UInt8(colors.count))
        metadata += colors
        let bytes = image.pixels.bytes
        let body =
            isOpaque ? Self.repacked(bytes, from: PixelBuffer.bytesPerPixel, to: Self.opaqueBytesPerPixel) : bytes
        return CacheEntry(metadata: metadata, body: body)
    }

    /// Drops the alpha of each pixel, or adds an opaque one.
    private static func repacked(_ source: [UInt8], from oldSize: Int, to newSize: Int) -> [UInt8] {
        let count = source.count / oldSize
        var target = [UInt8](repeating: .max, count: count * newSize)
        for pixel in 0..<count {
            for channel in 0..<opaqueBytesPerPixel {
                target[pixel * newSize + channel] = source[pixel * oldSize + channel]
            }
        }
        return target
    }

    /// `nil` unless it is an image of exactly the size that `target` requests; processors may have made another one.
    init?(_ entry: CacheEntry, target: TargetSize, isProcessed: Bool = false) {
        var bytes = entry.metadata[...]
        guard bytes.popFirst() == Self.recordVersion,
            let flags = bytes.popFirst().map(Flags.init(rawValue:)), flags.isSubset(of: .all),
            let code = bytes.popFirst(), let format = ImageFormat(code: code),
            let orientation = bytes.popFirst().flatMap({ Orientation(rawValue: Int($0)) }),
            let storedSize = bytes.popSize(), let size = bytes.popSize(),
            let madeAt = bytes.popNumber(Int64.self), let freshUntil = bytes.popNumber(Int64.self),
            let bodyHash = bytes.popNumber(UInt64.self), let length = bytes.popFirst(), bytes.count == Int(length),
            // The decoder writes printable ASCII.
            bytes.allSatisfy({ (0x20..<0x7f).contains($0) })
        else { return nil }
        let info = ImageInfo(
            format: format, storedSize: storedSize, orientation: orientation,
            isProgressive: flags.contains(.isProgressive), hasAlpha: flags.contains(.fileHasAlpha),
            colorDescription: String(decoding: bytes, as: UTF8.self))
        guard isProcessed || target.size(for: info.size) == size,
            let pixels = Self.pixels(entry.body, size, isOpaque: flags.contains(.isOpaque))
        else { return nil }
        self.init(
            image: DecodedImage(pixels: pixels, info: info), madeAt: WallTime(milliseconds: madeAt),
            lifetime: FetchResponse.Lifetime(
                freshUntil: WallTime(milliseconds: freshUntil), allowsStale: flags.contains(.allowsStale)),
            bodyHash: bodyHash)
    }

    private static func pixels(_ body: [UInt8], _ size: PixelSize, isOpaque: Bool) -> PixelBuffer? {
        let perPixel = isOpaque ? opaqueBytesPerPixel : PixelBuffer.bytesPerPixel
        guard body.count % perPixel == 0, body.count / perPixel == size.pixelCount else { return nil }
        let bytes = isOpaque ? repacked(body, from: perPixel, to: PixelBuffer.bytesPerPixel) : body
        return PixelBuffer(size: size, bytes: bytes)
    }
}

extension ImageFormat {
    /// The format's byte in an entry: its place; formats are only added at the end.
    fileprivate var code: UInt8 { UInt8(Self.allCases.firstIndex(of: self) ?? 0) }

    fileprivate init?(code: UInt8) {
        guard Int(code) < Self.allCases.count else { return nil }
        self = Self.allCases[Int(code)]
    }
}

extension [UInt8] {
    fileprivate mutating func append<Number: FixedWidthInteger>(number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func popNumber<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        let size = Number.bitWidth / UInt8.bitWidth
        guard count >= size else { return nil }
        defer { removeFirst(size) }
        return prefix(size).reversed().reduce(0) { $0 << UInt8.bitWidth | Number(truncatingIfNeeded: $1) }
    }

    fileprivate mutating func popSize() -> PixelSize? {
        guard let width = popNumber(UInt32.self), let height = popNumber(UInt32.self) else { return nil }
        return PixelSize(checking: Int(width), Int(height))
    }
}

/// Stores small decoded images, fresh as long as their responses: decoding is most of the cost of a cached list.
///
/// Images are written in the background. Those that a slow disk has no time for are dropped, and decoded again when they are needed.
struct ThumbnailCache: Sendable {
    private let stretch: Stretch
    private let store: any ByteStore
    private let threads: ThreadPool
    private let queue: WriteBehindQueue<Never, (name: String, image: CachedImage), Void>

    /// The largest image in bytes, 360x240 opaque pixels; reading a larger one costs as much as decoding it.
    private static let bodyLimit = 256 << 10
    /// Pending pixels: some eight hundred images of 24 columns.
    static let maxPendingBytes = 8 << 20

    init(_ store: any ByteStore, stretch: Stretch = .linear, threads: ThreadPool) {
        (self.store, self.stretch, self.threads) = (store, stretch, threads)
        // The priority is below that of every reader, a `FetchPriority`.
        queue = WriteBehindQueue((), on: threads, priority: -1) { pending, _ in
            if let entry = pending.image.entry { store.store(entry, for: pending.name) }
        }
    }

    /// `nil` also if the task is cancelled.
    func image(for key: ImageKey, _ control: FetchControl) async -> CachedImage? {
        guard let name = name(for: key) else { return nil }
        return try? await threads.run(control.workTicket) { _ in
            guard let entry = store.entry(for: name), !entry.isPartial else { return nil }
            return CachedImage(entry, target: key.target, isProcessed: !key.processors.isEmpty)
        }
    }

    private func name(for key: ImageKey) -> String? {
        key.thumbnailName.map { stretch == .linear ? $0 : "\($0) \(stretch)" }
    }

    /// Writes an image in the background, if it is small and flawless.
    func store(_ cached: CachedImage, for key: ImageKey) {
        let image = cached.image
        let size = image.pixels.bytes.count
        guard image.completeness == .complete, image.warnings == 0, image.colorWarning == nil, size <= Self.bodyLimit,
            let name = name(for: key)
        else { return }
        queue.withLock { state in
            guard state.byteCount + size <= Self.maxPendingBytes else { return }
            state.put((name, cached), byteCount: size)
        }
    }

    func remove(_ key: ImageKey) async {
        guard let name = name(for: key) else { return }
        // A pending one would come back.
        await queue.flush()
        _ = try? await threads.run { _ in store.remove(name) }
    }

    func flush() async { await queue.flush() }
    var pendingBytes: Int { queue.withLock(\.byteCount) }
}

internal import SpyglassCaching
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPixels

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

    // MARK: Writing

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
        return CacheEntry(metadata: metadata, body: isOpaque ? withoutAlpha : image.pixels.bytes)
    }

    private var withoutAlpha: [UInt8] {
        let source = image.pixels.bytes
        let count = image.pixels.size.pixelCount
        return [UInt8](unsafeUninitializedCapacity: count * Self.opaqueBytesPerPixel) { target, filled in
            for pixel in 0..<count {
                for channel in 0..<Self.opaqueBytesPerPixel {
                    target[pixel * Self.opaqueBytesPerPixel + channel] =
                        source[pixel * PixelBuffer.bytesPerPixel + channel]
                }
            }
            filled = count * Self.opaqueBytesPerPixel
        }
    }

    // MARK: Reading

    /// `nil` unless it is an image of exactly the size that `target` requests.
    init?(_ entry: CacheEntry, target: TargetSize) {
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
        guard target.size(for: info.size) == size,
            let pixels = Self.pixels(entry.body, size, isOpaque: flags.contains(.isOpaque))
        else { return nil }
        self.init(
            DecodedImage(pixels: pixels, info: info), madeAt: WallTime(milliseconds: madeAt),
            lifetime: FetchResponse.Lifetime(
                freshUntil: WallTime(milliseconds: freshUntil), allowsStale: flags.contains(.allowsStale)),
            bodyHash: bodyHash)
    }

    private static func pixels(_ body: [UInt8], _ size: PixelSize, isOpaque: Bool) -> PixelBuffer? {
        let perPixel = isOpaque ? opaqueBytesPerPixel : PixelBuffer.bytesPerPixel
        guard body.count % perPixel == 0, body.count / perPixel == size.pixelCount else { return nil }
        guard isOpaque else { return PixelBuffer(size: size, bytes: body) }
        let capacity = size.pixelCount * PixelBuffer.bytesPerPixel
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { target, filled in
            for pixel in 0..<size.pixelCount {
                for channel in 0..<perPixel {
                    target[pixel * PixelBuffer.bytesPerPixel + channel] = body[pixel * perPixel + channel]
                }
                target[pixel * PixelBuffer.bytesPerPixel + perPixel] = .max
            }
            filled = capacity
        }
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

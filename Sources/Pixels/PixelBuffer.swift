/// A picture in memory: rows from the top, pixels from the left, four bytes a pixel.
///
/// Shape: `size.height` rows of `size.width` pixels, no padding, so the stride is `size.width * 4` bytes.
/// A pixel is red, green, blue, alpha, eight bits each, sRGB-encoded (IEC 61966-2-1). Alpha is straight, not
/// premultiplied: 0 is transparent, 255 opaque. What decoders and resamplers make has zeros in every fully transparent pixel.
///
/// A value type over one array: copying is free until somebody writes.
public struct PixelBuffer: Hashable, Sendable {
    /// Width and height in pixels.
    public let size: PixelSize
    /// The bytes, `size.pixelCount * 4` of them.
    public private(set) var bytes: [UInt8]

    /// Bytes a pixel.
    public static let bytesPerPixel = 4

    /// Wraps bytes in the shape described above; a wrong count is a programming error and traps.
    public init(size: PixelSize, bytes: [UInt8]) {
        precondition(bytes.count == size.pixelCount * Self.bytesPerPixel, "four bytes a pixel, no padding")
        self.size = size
        self.bytes = bytes
    }

    /// A transparent picture.
    public init(size: PixelSize) {
        self.init(size: size, bytes: [UInt8](repeating: 0, count: size.pixelCount * Self.bytesPerPixel))
    }

    /// Bytes from one row to the next.
    public var stride: Int { size.width * Self.bytesPerPixel }

    /// The pixel in column `x` of row `y`, both from 0; outside the picture it traps.
    public subscript(x: Int, y: Int) -> RGBA {
        get {
            let at = offset(x, y)
            return RGBA(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3])
        }
        set {
            let at = offset(x, y)
            bytes[at] = newValue.red
            bytes[at + 1] = newValue.green
            bytes[at + 2] = newValue.blue
            bytes[at + 3] = newValue.alpha
        }
    }

    /// Gives the bytes of row `y`, from 0, to `body`; outside the picture it traps.
    public func withRow<Result, Failure>(
        _ y: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(y >= 0 && y < size.height, "outside the picture")
        return try body(bytes.span.extracting(y * stride..<(y + 1) * stride))
    }

    /// The middle of the picture: what a picture that covers a box shows in it.
    ///
    /// A side that is shorter than `size` stays as it is; where an odd number of pixels goes, one more goes at the right or the
    /// bottom. One copy of what is left, and free where nothing goes.
    public func croppedToCenter(_ size: PixelSize) -> PixelBuffer {
        let kept = PixelSize(width: min(size.width, self.size.width), height: min(size.height, self.size.height))
        guard kept != self.size else { return self }
        let left = (self.size.width - kept.width) / 2 * Self.bytesPerPixel
        let top = (self.size.height - kept.height) / 2
        var cropped: [UInt8] = []
        cropped.reserveCapacity(kept.pixelCount * Self.bytesPerPixel)
        for y in top..<top + kept.height {
            let start = y * stride + left
            cropped += bytes[start..<start + kept.width * Self.bytesPerPixel]
        }
        return PixelBuffer(size: kept, bytes: cropped)
    }

    /// Whether every pixel is opaque, which reads the whole picture.
    public var isOpaque: Bool {
        Swift.stride(from: 3, to: bytes.count, by: Self.bytesPerPixel).allSatisfy { bytes[$0] == 255 }
    }

    private func offset(_ x: Int, _ y: Int) -> Int {
        precondition(x >= 0 && x < size.width && y >= 0 && y < size.height, "outside the picture")
        return (y * size.width + x) * Self.bytesPerPixel
    }
}

/// One sRGB pixel with straight alpha, eight bits a channel.
public struct RGBA: Hashable, Sendable {
    /// Red, sRGB-encoded.
    public var red: UInt8
    /// Green, sRGB-encoded.
    public var green: UInt8
    /// Blue, sRGB-encoded.
    public var blue: UInt8
    /// 0 is transparent, 255 opaque.
    public var alpha: UInt8

    /// A pixel; opaque unless said otherwise.
    public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }
}

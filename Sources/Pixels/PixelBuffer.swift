/// An image in memory: rows from the top, pixels from the left, four bytes each.
///
/// Rows are not padded: the stride is `size.width * 4` bytes. A pixel is red, green, blue, alpha, eight bits each, sRGB-encoded
/// (IEC 61966-2-1). Alpha is straight: 0 is transparent, 255 opaque. Decoders and resamplers set fully transparent pixels to 0.
///
/// A value over one array: copies are free until written to.
public struct PixelBuffer: Hashable, Sendable {
    /// Width and height in pixels.
    public let size: PixelSize
    /// The `size.pixelCount * 4` bytes.
    public private(set) var bytes: [UInt8]

    /// Bytes a pixel.
    public static let bytesPerPixel = 4

    /// Wraps bytes of this layout; traps if their number is wrong.
    public init(size: PixelSize, bytes: [UInt8]) {
        precondition(bytes.count == size.pixelCount * Self.bytesPerPixel, "four bytes a pixel, no padding")
        self.size = size
        self.bytes = bytes
    }

    /// Makes a transparent image.
    public init(size: PixelSize) {
        self.init(size: size, bytes: [UInt8](repeating: 0, count: size.pixelCount * Self.bytesPerPixel))
    }

    /// Bytes from one row to the next.
    public var stride: Int { size.width * Self.bytesPerPixel }

    /// The pixel at column `x` of row `y`, from 0; traps outside the image.
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

    /// Calls `body` with the bytes of row `y`, from 0; traps outside the image.
    public func withRow<Result, Failure>(
        _ y: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(y >= 0 && y < size.height, "outside the image")
        return try body(bytes.span.extracting(y * stride..<(y + 1) * stride))
    }

    /// Calls `body` with the bytes of row `y`, from 0, to change them; traps outside the image.
    ///
    /// The first change of a copy copies all rows. The bytes of transparent pixels should stay 0.
    public mutating func withMutableRow<Result, Failure>(
        _ y: Int, _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(y >= 0 && y < size.height, "outside the image")
        let range = y * stride..<(y + 1) * stride
        var all = bytes.mutableSpan
        var row = all._mutatingExtracting(range)
        return try body(&row)
    }

    /// Returns the centre of the image, for images that cover a box.
    ///
    /// A side shorter than `size` stays as it is. An odd remainder is cut at the right or bottom. One copy, or none if
    /// nothing is cut.
    public func croppedToCenter(_ size: PixelSize) -> PixelBuffer {
        cropped(to: size, on: .center)
    }

    /// Returns a copy of an area inside the image.
    package func cropped(to area: PixelArea) -> PixelBuffer {
        var cropped: [UInt8] = []
        cropped.reserveCapacity(area.size.pixelCount * Self.bytesPerPixel)
        for y in area.y..<area.endY {
            let start = y * stride + area.x * Self.bytesPerPixel
            cropped += bytes[start..<start + area.size.width * Self.bytesPerPixel]
        }
        return PixelBuffer(size: area.size, bytes: cropped)
    }

    /// Whether every pixel is opaque; reads all of them.
    public var isOpaque: Bool {
        withWords(ofRows: 0..<size.height) { words in
            var common = UInt32.max
            for word in words { common &= UInt32(littleEndian: word) }
            return common >> 24 == 255
        }
    }

    /// Words have red in the lowest byte, alpha in the highest.
    package func withWords<Result>(ofRows rows: Range<Int>, _ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
        precondition(rows.lowerBound >= 0 && rows.upperBound <= size.height, "outside the image")
        // Arrays are 16-byte aligned, so every pixel is aligned to 4.
        return bytes.withUnsafeBytes { bytes in
            UnsafeRawBufferPointer(rebasing: bytes[rows.lowerBound * stride..<rows.upperBound * stride])
                .withMemoryRebound(to: UInt32.self, body)
        }
    }

    private func offset(_ x: Int, _ y: Int) -> Int {
        precondition(x >= 0 && x < size.width && y >= 0 && y < size.height, "outside the image")
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

    /// Makes a pixel, opaque by default.
    public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }
}

internal import SpyglassPixels

/// The rows of a picture laid on an opaque colour, in linear light.
struct OpaqueRows {
    let picture: PixelBuffer
    /// Whether the picture is opaque as it is.
    let isUnchanged: Bool
    /// Whether every row is grey.
    let isGray: Bool
    private let background: RGBA

    init(_ picture: PixelBuffer, over background: RGBA) {
        self.picture = picture
        self.background = background
        isUnchanged = picture.hasOpaqueWords
        let isGrayBackground = background.red == background.green && background.green == background.blue
        isGray = (isUnchanged || isGrayBackground) && picture.isGray(whereVisible: true)
    }

    /// Writes rows of four bytes a pixel; the fourth means nothing.
    func copy(_ rows: Range<Int>, into target: inout [UInt8]) {
        let first = rows.lowerBound * picture.stride
        let bytes = picture.bytes.span
        for at in stride(from: 0, to: rows.count * picture.stride, by: PixelBuffer.bytesPerPixel) {
            let alpha = bytes[first + at + 3]
            target[at] = Self.blended(bytes[first + at], background.red, alpha)
            target[at + 1] = Self.blended(bytes[first + at + 1], background.green, alpha)
            target[at + 2] = Self.blended(bytes[first + at + 2], background.blue, alpha)
        }
    }

    /// Writes rows of a byte a pixel, of a picture that is grey.
    func copyGray(_ rows: Range<Int>, into target: inout [UInt8]) {
        picture.withWords(ofRows: rows) { words in
            precondition(words.count <= target.count, "room for the rows")
            target.withUnsafeMutableBufferPointer { target in
                if isUnchanged {
                    for at in words.indices { target[at] = UInt8(truncatingIfNeeded: UInt32(littleEndian: words[at])) }
                } else {
                    for at in words.indices {
                        let pixel = UInt32(littleEndian: words[at])
                        let value = UInt8(truncatingIfNeeded: pixel)
                        target[at] = Self.blended(value, background.red, UInt8(truncatingIfNeeded: pixel >> 24))
                    }
                }
            }
        }
    }

    private static func blended(_ value: UInt8, _ background: UInt8, _ alpha: UInt8) -> UInt8 {
        if alpha == 255 { return value }
        let (front, back) = (Int(LinearLight.ofSRGB[Int(value)]), Int(LinearLight.ofSRGB[Int(background)]))
        return LinearLight.sRGB((front * Int(alpha) + back * (255 - Int(alpha)) + 127) / 255)
    }
}

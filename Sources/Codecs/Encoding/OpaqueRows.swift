internal import SpyglassPixels

/// The rows of an image over an opaque colour, in linear light.
struct OpaqueRows {
    let image: PixelBuffer
    let isUnchanged: Bool
    let isGray: Bool
    private let background: RGBA

    init(_ image: PixelBuffer, over background: RGBA) {
        self.image = image
        self.background = background
        isUnchanged = image.hasOpaqueWords
        let isGrayBackground = background.red == background.green && background.green == background.blue
        isGray = (isUnchanged || isGrayBackground) && image.isGray(whereVisible: true)
    }

    /// The fourth byte of a pixel is undefined.
    func copy(_ rows: Range<Int>, into target: inout [UInt8]) {
        let first = rows.lowerBound * image.stride
        let bytes = image.bytes.span
        for at in stride(from: 0, to: rows.count * image.stride, by: PixelBuffer.bytesPerPixel) {
            let alpha = bytes[first + at + 3]
            target[at] = Self.blended(bytes[first + at], background.red, alpha)
            target[at + 1] = Self.blended(bytes[first + at + 1], background.green, alpha)
            target[at + 2] = Self.blended(bytes[first + at + 2], background.blue, alpha)
        }
    }

    func copyGray(_ rows: Range<Int>, into target: inout [UInt8]) {
        image.withWords(ofRows: rows) { words in
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

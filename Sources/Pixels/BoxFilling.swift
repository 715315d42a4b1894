/// How an image that was scaled to a box fills it.
package enum BoxFilling: Hashable, Sendable {
    /// Cuts longer sides to the box.
    case crop(PixelSize, Focus)
    /// Centres the image in a box of one colour, at least as large as the image.
    case pad(PixelSize, RGBA)

    /// Returns the size of the result.
    package func size(of image: PixelSize) -> PixelSize {
        switch self {
        case .crop(let box, _): PixelSize(width: min(image.width, box.width), height: min(image.height, box.height))
        case .pad(let box, _): PixelSize(width: max(image.width, box.width), height: max(image.height, box.height))
        }
    }

    package func applied(to image: PixelBuffer) -> PixelBuffer {
        switch self {
        case .crop(let box, let focus): image.cropped(to: box, on: focus)
        case .pad(_, let color):
            // An odd remainder is right or below.
            image.padded(to: size(of: image.size), color, isCentred: true)
        }
    }
}

extension PixelBuffer {
    /// Returns the image in a box of one colour, at its upper left or centred; the box must be at least as large as the image.
    package func padded(to size: PixelSize, _ color: RGBA, isCentred: Bool) -> PixelBuffer {
        guard size != self.size else { return self }
        let left = isCentred ? (size.width - self.size.width) / 2 : 0
        let top = isCentred ? (size.height - self.size.height) / 2 : 0
        let (leftBytes, endBytes) = (left * Self.bytesPerPixel, left * Self.bytesPerPixel + stride)
        let pixel = [color.red, color.green, color.blue, color.alpha]
        let line = Array(repeatElement(pixel, count: size.width).joined())
        var padded: [UInt8] = []
        padded.reserveCapacity(size.pixelCount * Self.bytesPerPixel)
        for y in -top..<size.height - top {
            guard (0..<self.size.height).contains(y) else {
                padded += line
                continue
            }
            padded += line[..<leftBytes]
            padded += bytes[y * stride..<(y + 1) * stride]
            padded += line[endBytes...]
        }
        return PixelBuffer(size: size, bytes: padded)
    }
}

/// How to turn a stored image upright: the values of EXIF tag 274 (0x0112).
public enum Orientation: Int, Hashable, Sendable, CaseIterable {
    /// As stored.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Rotated by 180°.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Mirrored along the main diagonal.
    case leftMirrored = 5
    /// Needs a quarter turn clockwise.
    case right = 6
    /// Mirrored along the other diagonal.
    case rightMirrored = 7
    /// Needs a quarter turn counter-clockwise.
    case left = 8

    /// Whether width and height are exchanged.
    package var swapsAxes: Bool { rawValue >= 5 }

    /// The displayed size of an image stored at `size`.
    package func displayed(_ size: PixelSize) -> PixelSize { swapsAxes ? size.transposed : size }

    /// The stored pixels of a part of the upright image, which is stored at `size`.
    package func stored(_ area: PixelArea, of size: PixelSize) -> PixelArea {
        let part = displayed(area.size)
        let (x, y) = swapsAxes ? (area.y, area.x) : (area.x, area.y)
        let isFromRight = [.upMirrored, .down, .rightMirrored, .left].contains(self)
        let isFromBottom = [.down, .downMirrored, .right, .rightMirrored].contains(self)
        return PixelArea(
            x: isFromRight ? size.width - x - part.width : x, y: isFromBottom ? size.height - y - part.height : y,
            size: part)
    }
}

extension PixelBuffer {
    /// Returns the image turned upright, in one pass over its pixels; `up` is free.
    public func oriented(_ orientation: Orientation) -> PixelBuffer {
        guard orientation != .up else { return self }
        let target = orientation.displayed(size)
        let (lastX, lastY) = (size.width - 1, size.height - 1)
        // The stored index of the first displayed pixel, and the offsets to its right and lower neighbours.
        let (startX, startY, right, down): (Int, Int, Int, Int) =
            switch orientation {
            case .up: (0, 0, 1, size.width)
            case .upMirrored: (lastX, 0, -1, size.width)
            case .down: (lastX, lastY, -1, -size.width)
            case .downMirrored: (0, lastY, 1, -size.width)
            case .leftMirrored: (0, 0, size.width, 1)
            case .right: (0, lastY, -size.width, 1)
            case .rightMirrored: (lastX, lastY, -size.width, -1)
            case .left: (lastX, 0, size.width, -1)
            }
        let start = startY * size.width + startX
        let turned = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            let output = UnsafeMutableRawBufferPointer(buffer)
            bytes.withUnsafeBytes { input in
                var at = 0
                for y in 0..<target.height {
                    var from = start + y * down
                    for _ in 0..<target.width {
                        let pixel = input.loadUnaligned(fromByteOffset: from * Self.bytesPerPixel, as: UInt32.self)
                        output.storeBytes(of: pixel, toByteOffset: at, as: UInt32.self)
                        at += Self.bytesPerPixel
                        from += right
                    }
                }
            }
            count = bytes.count
        }
        return PixelBuffer(size: target, bytes: turned)
    }
}

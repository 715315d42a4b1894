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

    /// Whether the displayed columns, or rows if they are exchanged, run from the right of the stored image.
    fileprivate var isFromRight: Bool { [.upMirrored, .down, .rightMirrored, .left].contains(self) }
    fileprivate var isFromBottom: Bool { [.down, .downMirrored, .right, .rightMirrored].contains(self) }

    /// The displayed size of an image stored at `size`.
    package func displayed(_ size: PixelSize) -> PixelSize { swapsAxes ? size.transposed : size }

    /// The stored pixels of a part of the upright image, which is stored at `size`.
    package func stored(_ area: PixelArea, of size: PixelSize) -> PixelArea {
        let part = displayed(area.size)
        let (x, y) = swapsAxes ? (area.y, area.x) : (area.x, area.y)
        return PixelArea(
            x: isFromRight ? size.width - x - part.width : x, y: isFromBottom ? size.height - y - part.height : y,
            size: part)
    }
}

extension PixelBuffer {
    /// Returns the image turned upright, in one pass over its pixels; `up` is free.
    public func oriented(_ orientation: Orientation) -> PixelBuffer {
        guard orientation != .up else { return self }
        var turned = PixelBuffer(size: orientation.displayed(size))
        let (isTurned, isFromRight, isFromBottom) = (
            orientation.swapsAxes, orientation.isFromRight, orientation.isFromBottom
        )
        for y in 0..<turned.size.height {
            for x in 0..<turned.size.width {
                let (column, row) = isTurned ? (y, x) : (x, y)
                turned[x, y] =
                    self[isFromRight ? size.width - 1 - column : column, isFromBottom ? size.height - 1 - row : row]
            }
        }
        return turned
    }
}

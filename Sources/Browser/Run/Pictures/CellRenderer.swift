internal import SpyglassPixels
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// Converts pixels to cells.
///
/// Thread-safe; the lock guards the palette's table of nearest colours.
final class CellRenderer: Sendable {
    private let blocks: Mutex<SymbolEncoder>
    private let pixelAspect: Double

    init(_ traits: TerminalTraits) {
        blocks = Mutex(
            SymbolEncoder(depth: traits.depth, glyphs: traits.glyphs, background: traits.background ?? .black))
        pixelAspect = traits.aspect.halfBlockPixel
    }

    func cells(of pixels: PixelBuffer) -> CellImage { blocks.withLock { $0.cells(of: pixels) } }

    /// The size to decode to for a box; a large image is enlarged to fill it.
    func target(for box: CellSize, fills: Bool) -> TargetSize {
        TargetSize(box: SymbolSet.half.pixelBox(for: box), allowsUpscaling: fills, pixelAspect: pixelAspect)
    }

    func enlarged(_ small: PixelBuffer, for box: CellSize) -> CellImage {
        let room = SymbolSet.half.pixelBox(for: box)
        let factor = min(Double(room.width) / Double(small.size.width), Double(room.height) / Double(small.size.height))
        guard factor > 1 else { return cells(of: small) }
        let size = PixelSize(
            width: min(max(Int((Double(small.size.width) * factor).rounded()), 1), room.width),
            height: min(max(Int((Double(small.size.height) * factor).rounded()), 1), room.height))
        return cells(of: small.enlarged(to: size))
    }
}

extension PixelBuffer {
    /// Bilinear between pixel centres, on encoded values, since it is shown briefly.
    func enlarged(to size: PixelSize) -> PixelBuffer {
        var result = PixelBuffer(size: size)
        let columns = (0..<size.width).map { Self.neighbours($0, from: self.size.width, to: size.width) }
        for y in 0..<size.height {
            let row = Self.neighbours(y, from: self.size.height, to: size.height)
            for (x, column) in columns.enumerated() {
                let above = self[column.first, row.first].mixed(with: self[column.second, row.first], column.share)
                let below = self[column.first, row.second].mixed(with: self[column.second, row.second], column.share)
                result[x, y] = above.mixed(with: below, row.share)
            }
        }
        return result
    }

    /// The two source pixels around a new one, and the share of the second, of 256.
    private static func neighbours(_ index: Int, from old: Int, to new: Int) -> (first: Int, second: Int, share: Int) {
        let exact = max((Double(index) + 0.5) * Double(old) / Double(new) - 0.5, 0)
        let first = min(Int(exact), old - 1)
        return (first, min(first + 1, old - 1), Int((exact - Double(first)) * 256))
    }
}

extension RGBA {
    fileprivate func mixed(with other: RGBA, _ share: Int) -> RGBA {
        func mix(_ one: UInt8, _ two: UInt8) -> UInt8 {
            UInt8(clamping: (Int(one) * (256 - share) + Int(two) * share) / 256)
        }
        return RGBA(mix(red, other.red), mix(green, other.green), mix(blue, other.blue), mix(alpha, other.alpha))
    }
}

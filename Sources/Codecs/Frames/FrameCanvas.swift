internal import SpyglassPixels

/// The pixels that frames are drawn on, transparent at first: RGBA with straight alpha.
struct FrameCanvas {
    let size: PixelSize
    /// Empty until the first frame is drawn.
    private var pixels: [UInt32] = []
    private var saved: [UInt32] = []

    init(_ size: PixelSize) { self.size = size }

    /// Bytes of the canvas and of an area to restore.
    var workBytes: Int { 2 * size.pixelCount * PixelBuffer.bytesPerPixel }

    /// Makes all pixels transparent.
    mutating func clear() {
        pixels.removeAll(keepingCapacity: true)
        pixels += repeatElement(0, count: size.pixelCount)
    }

    /// What of an area is inside; `nil` if nothing is.
    func clipped(_ area: PixelArea) -> PixelArea? {
        guard area.x < size.width, area.y < size.height else { return nil }
        let part = PixelSize(checking: min(area.endX, size.width) - area.x, min(area.endY, size.height) - area.y)
        return part.map { PixelArea(x: area.x, y: area.y, size: $0) }
    }

    /// Makes an area transparent.
    mutating func clear(_ area: PixelArea) {
        for y in area.y..<area.endY {
            let start = y * size.width + area.x
            for at in start..<start + area.size.width { pixels[at] = 0 }
        }
    }

    /// Keeps an area, to be restored.
    mutating func save(_ area: PixelArea) {
        saved.removeAll(keepingCapacity: true)
        for y in area.y..<area.endY {
            let start = y * size.width + area.x
            saved += pixels[start..<start + area.size.width]
        }
    }

    /// Restores the area that was kept last.
    mutating func restore(_ area: PixelArea) {
        let width = area.size.width
        for y in area.y..<area.endY {
            let (start, from) = (y * size.width + area.x, (y - area.y) * width)
            pixels.replaceSubrange(start..<start + width, with: saved[from..<from + width])
        }
    }

    /// Draws colours, RGBA in the order of memory, from column `x` of row `y` on; those that are 0 leave what is there.
    mutating func draw(_ indices: Span<UInt8>, in colors: [UInt32], x: Int, y: Int, count: Int) {
        let start = y * size.width + x
        var pixels = pixels.mutableSpan
        let colors = colors.span
        for column in 0..<count {
            let color = colors[Int(indices[column])]
            if color != 0 { pixels[start + column] = color }
        }
    }

    func withRow(_ y: Int, _ body: (Span<UInt8>) -> Void) {
        pixels.withUnsafeBytes { bytes in
            let stride = size.width * PixelBuffer.bytesPerPixel
            body(
                UnsafeRawBufferPointer(rebasing: bytes[y * stride..<(y + 1) * stride])
                    .assumingMemoryBound(to: UInt8.self).span)
        }
    }
}

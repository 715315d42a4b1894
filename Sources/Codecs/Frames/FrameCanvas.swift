internal import SpyglassPixels

/// The pixels that frames are drawn on, transparent at first: RGBA with straight alpha.
struct FrameCanvas {
    let size: PixelSize
    /// Empty until the first frame is drawn.
    private var pixels: [UInt32] = []
    private var saved: [UInt32] = []
    private var last: (Disposal, PixelArea)?

    /// The treatment of a frame's area before the next frame is drawn.
    enum Disposal: Int {
        case keep
        /// It becomes transparent.
        case clear
        /// It becomes what it was before the frame.
        case restore
    }

    init(_ size: PixelSize) { self.size = size }

    /// Bytes of the canvas and of an area to restore.
    var workBytes: Int { 2 * size.pixelCount * PixelBuffer.bytesPerPixel }

    mutating func clear() {
        last = nil
        pixels.removeAll(keepingCapacity: true)
        pixels += repeatElement(0, count: size.pixelCount)
    }

    /// Returns the part of an area that is inside; `nil` if none is.
    func clipped(_ area: PixelArea) -> PixelArea? {
        guard area.x < size.width, area.y < size.height else { return nil }
        let part = PixelSize(checking: min(area.endX, size.width) - area.x, min(area.endY, size.height) - area.y)
        return part.map { PixelArea(x: area.x, y: area.y, size: $0) }
    }

    /// Prepares for the next frame, in an area inside; undoes the one before, as it has asked for.
    mutating func begin(_ area: PixelArea?, _ disposal: Disposal) {
        if let (disposal, area) = last, disposal != .keep {
            for y in area.y..<area.endY {
                let (start, from) = (y * size.width + area.x, (y - area.y) * area.size.width)
                for x in 0..<area.size.width { pixels[start + x] = disposal == .clear ? 0 : saved[from + x] }
            }
        }
        last = area.map { (disposal, $0) }
        guard let area, disposal == .restore else { return }
        saved.removeAll(keepingCapacity: true)
        for y in area.y..<area.endY {
            let start = y * size.width + area.x
            saved += pixels[start..<start + area.size.width]
        }
    }

    /// Draws indices of 256 colours, RGBA in memory order, from column `x` of row `y` on; 0 leaves the canvas unchanged.
    mutating func draw(_ indices: Span<UInt8>, in colors: [UInt32], x: Int, y: Int, count: Int) {
        let start = y * size.width + x
        var pixels = pixels.mutableSpan
        let colors = colors.span
        precondition(colors.count == 256 && start >= 0 && indices.count >= count && pixels.count - start >= count)
        // An index is below 256, and a column below `count`: all are inside.
        for column in 0..<count {
            let color = colors[unchecked: Int(indices[unchecked: column])]
            pixels[unchecked: start &+ column] = color == 0 ? pixels[unchecked: start &+ column] : color
        }
    }

    /// Draws decoded pixels from column `x` of row `y` on, which replace the canvas or are blended with it.
    mutating func draw(_ row: Span<UInt8>, _ layout: RowLayout, x: Int, y: Int, count: Int, isBlended: Bool) {
        let start = y * size.width + x
        var pixels = pixels.mutableSpan
        for column in 0..<count {
            let at = column * layout.channels
            let isGray = layout.channels < 3
            let color = RGBA(
                row[at], row[isGray ? at : at + 1], row[isGray ? at : at + 2],
                layout.hasAlpha ? row[at + layout.channels - 1] : 255)
            let below = isBlended && color.alpha < 255 ? RGBA(pixels[start + column]) : nil
            pixels[start + column] = (below.map(color.drawn) ?? color).word
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

extension RGBA {
    fileprivate init(_ word: UInt32) {
        let word = UInt32(littleEndian: word)
        func byte(_ place: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: word >> place) }
        self.init(byte(0), byte(8), byte(16), byte(24))
    }

    /// The bytes in the order of memory.
    var word: UInt32 { (UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | UInt32(alpha) << 24).littleEndian }

    /// Alpha blending without premultiplication (PNG specification, third edition, section 11.3.7.2).
    fileprivate func drawn(over below: RGBA) -> RGBA {
        let (above, rest) = (Int(alpha) * 255, (255 - Int(alpha)) * Int(below.alpha))
        let sum = above + rest
        guard sum > 0 else { return RGBA(0, 0, 0, 0) }
        func mean(_ one: UInt8, _ other: UInt8) -> UInt8 {
            UInt8((Int(one) * above + Int(other) * rest + sum / 2) / sum)
        }
        return RGBA(mean(red, below.red), mean(green, below.green), mean(blue, below.blue), UInt8((sum + 127) / 255))
    }
}

/// Draws the frames of an animation on one canvas, one after the other; not thread-safe.
///
/// Creating one reads the header only. Memory holds the canvas and one frame, however many there are.
protocol FrameDecoding: AnyObject {
    /// The header; `storedSize` is the canvas.
    var info: ImageInfo { get }
    /// How often all frames are shown; `nil` for ever. It may change while frames are read.
    var plays: Int? { get }
    /// Bytes of the canvas and all else that drawing takes.
    var workBytes: Int { get }
    var colors: ImageColors { get }
    var transfer: TransferCurve { get }
    func profile() -> EmbeddedProfile

    /// Draws the next frame; returns how long it is shown, or `nil` after the last, which may lack rows in a truncated file.
    func nextFrame() throws(CodecError) -> Duration?
    func restart()
    /// Calls `body` with row `y` of the canvas as it is now: RGBA, straight alpha.
    func withRow(_ y: Int, _ body: (Span<UInt8>) -> Void)
}

extension FrameDecoding {
    var colors: ImageColors { .rgb }
    var transfer: TransferCurve { .sRGB }
    func profile() -> EmbeddedProfile { .none }
}

enum FrameTime {
    /// Browsers show frames of 0 and 10 ms for 100 ms: authors mean "as fast as possible" by them.
    static func shown(milliseconds: Int) -> Duration { .milliseconds(milliseconds > 10 ? milliseconds : 100) }
}

struct FrameCount {
    let limits: ImageLimits
    private var frames = 0
    private var pixels = 0

    init(_ limits: ImageLimits) { self.limits = limits }

    var isEmpty: Bool { frames == 0 }
    /// Whether none was added before the last one.
    var isFirst: Bool { frames == 1 }

    /// Adds a frame of at most 2^32 pixels.
    mutating func add(_ pixelCount: Int) throws(CodecError) {
        frames += 1
        pixels += pixelCount
        try limits.check(frames: frames, pixels: pixels)
    }
}

internal import SpyglassPixels

/// A decoder of an animation, which draws one frame after the other on one canvas.
///
/// Creating one reads the header only. Memory holds the canvas and one frame, however many there are. Not thread-safe.
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
    /// Goes back to the first frame.
    func restart()
    /// Calls `body` with row `y` of the canvas as it is now: RGBA, straight alpha.
    func withRow(_ y: Int, _ body: (Span<UInt8>) -> Void)
}

extension FrameDecoding {
    var colors: ImageColors { .rgb }
    var transfer: TransferCurve { .sRGB }
    func profile() -> EmbeddedProfile { .none }
}

/// How frames are timed, in every format.
enum FrameTime {
    /// Browsers show frames of 0 and 10 ms for 100 ms: authors mean "as fast as possible" by them.
    static func shown(milliseconds: Int) -> Duration { .milliseconds(milliseconds > 10 ? milliseconds : 100) }
}

/// Counts frames against the limits.
struct FrameCount {
    let limits: ImageLimits
    private var frames = 0
    private var pixels = 0

    init(_ limits: ImageLimits) { self.limits = limits }

    /// Whether none was added before the last one.
    var isFirst: Bool { frames == 1 }

    /// Adds a frame of at most 2^32 pixels.
    mutating func add(_ pixelCount: Int) throws(CodecError) {
        frames += 1
        pixels += pixelCount
        try limits.check(frames: frames, pixels: pixels)
    }
}

public import SpyglassPixels
public import SpyglassThreads

/// One frame of an animation, composited with those before it.
public struct AnimationFrame: Sendable {
    /// The canvas as it looks while the frame is shown, at the target size: upright, in sRGB.
    public let pixels: PixelBuffer
    /// How long the frame is shown: 20 ms or more; what files state as 0 or 10 ms counts as 100.
    public let duration: Duration

    package init(pixels: PixelBuffer, duration: Duration) { (self.pixels, self.duration) = (pixels, duration) }
}

/// The frames of an animated image, one after the other.
///
///     guard let animation = try decoder.animation(of: .file("globe.gif"), to: target) else { return }
///     while let frame = try animation.next() { show(frame.pixels, for: frame.duration) }
///
/// Holds the canvas, one frame and, where frames restore what they covered, that area: memory does not follow the number of
/// frames. It is reserved while the animation lives. For one thread at a time; calls read files and compute.
public final class Animation {
    /// The file's header; its size is the canvas's.
    public let info: ImageInfo
    private let source: any AnimationSource

    package init(_ source: any AnimationSource) { (info, self.source) = (source.info, source) }

    /// How often all frames are to be shown; `nil` for ever.
    ///
    /// Final when `next` has returned `nil`.
    public var plays: Int? { source.plays }

    /// Draws the next frame.
    ///
    /// - Returns: the frame; `nil` after the last one. A truncated file has the frames and rows before its end.
    /// - Throws: `CodecError`; of kind `limit` if there are more frames than allowed.
    public func next() throws(CodecError) -> AnimationFrame? { try source.next() }

    /// Draws the next frame without resampling it, for frames that are dropped; returns its duration.
    package func skip() throws(CodecError) -> Duration? { try source.skip() }

    /// Goes back to the first frame.
    public func restart() { source.restart() }
}

package protocol AnimationSource: AnyObject {
    var info: ImageInfo { get }
    var plays: Int? { get }
    func next() throws(CodecError) -> AnimationFrame?
    func skip() throws(CodecError) -> Duration?
    func restart()
}

extension ImageDecoder {
    /// Opens an image's frames.
    ///
    /// Reads the header, and enough to know whether there are several frames.
    ///
    /// Frames show `region` of the upright canvas at the size `target`. Asks `cancellation`, or else the task, whenever more
    /// bytes are needed, as long as the animation lives.
    ///
    /// - Returns: the frames; `nil` for a still image.
    /// - Throws: `CodecError`, as for decoding; of kind `outOfMemory` if the budget has no room now.
    public func animation(
        of image: EncodedImage, region: ImageRegion = .whole, to target: TargetSize,
        cancellation: Cancellation? = .current
    ) throws(CodecError) -> Animation? {
        let input = try ByteReader(image, limits, cancellation)
        guard custom(input) == nil, try format(of: input).mayMove else { return nil }
        let (format, pool) = try route(of: input)
        guard let openFrames = format.entry.openFrames else { return nil }
        var spec = DecodeSpec(target, isExact: false)
        spec.region = region
        if let pool {
            return try pool.animation(input, DecodeRequest(format, self, spec), in: memory).map { Animation($0) }
        }
        spec.grant = memory?.grantToAnimate()
        if workers === WorkerPool.inProcess { spec.countLikeWorker(input, limits, isShared: false) }
        guard let frames = try format.naming({ () throws(CodecError) in try openFrames(input, limits) }) else {
            return nil
        }
        return Animation(try ResampledFrames(frames, spec, limits))
    }
}

/// Frames of a decoder in this process.
final class ResampledFrames: AnimationSource {
    private let frames: any FrameDecoding
    private let area: PixelArea
    /// The target size as stored, before the image is turned upright.
    private let size: PixelSize
    private let color: ColorConversion
    private let share: WorkMemory.Share?

    init(_ frames: any FrameDecoding, _ spec: DecodeSpec, _ limits: ImageLimits) throws(CodecError) {
        let info = frames.info
        size = try spec.storedSizes(of: info, limits)[0]
        area = spec.storedArea(of: info)
        color = ColorTransforms.shared.conversion(of: frames.profile(), for: frames.colors)
        share = try spec.reserve([size], of: info.storedSize, copies: 2, work: frames.workBytes, within: limits)
        self.frames = frames
    }

    var info: ImageInfo { frames.info }
    var plays: Int? { frames.plays }
    func skip() throws(CodecError) -> Duration? { try nextFrame() }

    private func nextFrame() throws(CodecError) -> Duration? {
        try info.format.naming { () throws(CodecError) in try frames.nextFrame() }
    }
    func restart() { frames.restart() }

    func next() throws(CodecError) -> AnimationFrame? {
        guard let duration = try nextFrame() else { return nil }
        let resampler = RowResampler(
            .area, from: info.storedSize, part: area, to: size, layout: .rgba, transfer: frames.transfer)
        let columns = area.x * RowLayout.rgba.channels..<area.endX * RowLayout.rgba.channels
        for y in area.y..<area.endY { frames.withRow(y) { resampler.add($0.extracting(columns)) } }
        return AnimationFrame(pixels: color.finished(resampler.finish(), of: info), duration: duration)
    }
}

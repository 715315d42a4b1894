package import SpyglassCodecs
package import SpyglassPixels
internal import SpyglassThreads

/// The frames of an animation, for a player whose reads move between threads.
///
/// Thread-safe; a lock guards the decoder. Releasing it releases the canvas.
package final class AnimationReader: Sendable {
    fileprivate struct State {
        let animation: Animation
        var loops: Int?
        /// Frames of the current loop.
        var count = 0
        /// Loops that have ended.
        var endedLoops = 0
    }

    /// A frame to show, and when.
    struct Step {
        let pixels: PixelBuffer
        let moment: Duration
        let schedule: FrameSchedule
    }

    /// The file's header; its size is that of the canvas.
    package let info: ImageInfo
    private let state: Mutex<State>

    /// Creates a reader at the first frame.
    package init(_ animation: sending Animation) {
        info = animation.info
        state = Mutex(State(animation: animation))
    }

    /// Opens an image.
    ///
    /// `nil` for a still one. Blocks for a header.
    package convenience init?(
        opening image: EncodedImage, region: ImageRegion = .whole, to target: TargetSize, by decoder: ImageDecoder
    ) throws(CodecError) {
        // The task that opens it ends before it is played.
        guard let animation = try decoder.animation(of: image, region: region, to: target, cancellation: nil)
        else { return nil }
        self.init(animation)
    }

    /// Returns frame `number`, from 1, as the canvas looks then.
    ///
    /// Blocks for the time of all frames before it.
    /// - Returns: the frame, or `nil` with the number of frames if there are fewer.
    package func frame(_ number: Int) throws(CodecError) -> (pixels: PixelBuffer?, count: Int) {
        try state.withLock { (state) throws(CodecError) in
            state.animation.restart()
            for count in 0..<max(number - 1, 0) {
                if Cancellation.current.isCancelled { throw CodecError(.cancelled, "cancelled") }
                guard try state.animation.skip() != nil else { return (nil, count) }
            }
            guard let frame = try state.animation.next() else { return (nil, number - 1) }
            return (frame.pixels, number)
        }
    }

    /// Goes back to the first frame, to play `loops` times; `nil`: as often as the file states.
    func begin(loops: Int?) {
        state.withLock { state in
            state.animation.restart()
            (state.loops, state.count, state.endedLoops) = (loops, 0, 0)
        }
    }

    /// Returns the next frame that is not late; `nil` after the end of the last loop.
    ///
    /// The last frame of all stays on the screen, so it is returned even if it is late.
    func read(_ schedule: FrameSchedule, _ now: () -> Duration) throws -> Step? {
        try state.withLock { state in
            var schedule = schedule
            var late: PixelBuffer?
            while true {
                try Cancellation.check()
                guard let frame = try state.next() else {
                    return late.map { Step(pixels: $0, moment: now(), schedule: schedule) }
                }
                switch schedule.next(lasting: frame.duration, at: now()) {
                case .show(let moment): return Step(pixels: frame.pixels, moment: moment, schedule: schedule)
                case .skip: late = frame.pixels
                }
            }
        }
    }
}

extension AnimationReader.State {
    /// The next frame, also of the next loop.
    fileprivate mutating func next() throws(CodecError) -> AnimationFrame? {
        if let frame = try animation.next() {
            count += 1
            return frame
        }
        // Known only now: a file may state the number of loops behind its frames.
        guard count > 1, (loops ?? animation.plays).map({ endedLoops + 1 < $0 }) ?? true else { return nil }
        animation.restart()
        endedLoops += 1
        count = 0
        guard let frame = try animation.next() else { return nil }
        count = 1
        return frame
    }
}

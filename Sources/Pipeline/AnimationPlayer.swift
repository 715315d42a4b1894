package import SpyglassCodecs
package import SpyglassFetching
package import SpyglassPixels
package import SpyglassThreads

/// Plays an animation: decodes each frame on a thread while the one before is shown, and delivers it when it is due.
///
///     let player = AnimationPlayer(threads: threads, clock: ElapsedClock(ContinuousClock()))
///     try await player.play(animation) { try renderer.image(of: $0) } show: { screen.draw($0) }
///
/// Frames are skipped when they are late. Memory is that of the animation, one frame and what `render` makes of it.
package struct AnimationPlayer: Sendable {
    private let threads: ThreadPool
    private let clock: ElapsedClock

    /// Creates a player that decodes on `threads`, after the visible images that wait for them.
    package init(threads: ThreadPool, clock: ElapsedClock) {
        self.threads = threads
        self.clock = clock
    }

    /// Plays until the end of the last frame, or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - animation: the frames; nothing else reads them meanwhile.
    ///   - loops: how often to play; `nil`: as often as the file states. A single frame is shown once.
    ///   - render: makes of a frame what is shown; runs on the threads, not for skipped frames.
    ///   - show: gets the frame when it is due; must return immediately.
    /// - Throws: the error of a frame or of `render`; `CancellationError`.
    package func play<Value: Sendable>(
        _ animation: AnimationReader, loops: Int? = nil,
        _ render: @escaping @Sendable (PixelBuffer) throws -> Value, show: (Value) -> Void
    ) async throws {
        animation.begin(loops: loops)
        while true {
            let next = try await threads.run(priority: FetchPriority.near.rawValue) { [clock] _ in
                try animation.next(clock.now).map { (moment: $0.moment, value: try render($0.pixels)) }
            }
            guard let next else { break }
            try await clock.sleep(next.moment)
            try Task.checkCancellation()
            show(next.value)
        }
        if let end = animation.end { try await clock.sleep(end) }
    }

    /// Waits on the player's clock; throws `CancellationError`.
    package func wait(_ duration: Duration) async throws { try await clock.sleep(clock.now() + duration) }

    /// Decodes all frames without waiting, and how often they are to be played; `nil` for ever.
    ///
    /// - Returns: what `render` makes of the frames and their numbers, from 1; `nil` if that takes more than `maxBytes`.
    /// - Throws: the error of a frame or of `render`; `CancellationError`.
    package func frames<Value: Sendable>(
        of animation: AnimationReader, maxBytes: Int,
        _ render: @escaping @Sendable (AnimationFrame, Int) throws -> (value: Value, bytes: Int)
    ) async throws -> (frames: [Value], plays: Int?)? {
        animation.begin(loops: 1)
        var (values, bytes) = ([Value](), 0)
        while true {
            let next = try await threads.run(priority: FetchPriority.near.rawValue) { [number = values.count + 1] _ in
                try animation.next().map { try render($0, number) }
            }
            guard let next else { return (values, animation.plays) }
            bytes += next.bytes
            guard bytes <= maxBytes else { return nil }
            values.append(next.value)
        }
    }
}

/// When the frames of an animation are due; a pure value, times are durations since some start.
///
/// A frame whose time has passed is skipped. If decoding is slower than the animation, or the program was stopped, the
/// animation goes on from the frame that is decoded: something is shown every `maxGap`.
struct FrameSchedule: Sendable {
    /// The longest time without a frame, beyond the time of the frame on the screen.
    static let maxGap = Duration.milliseconds(250)

    /// When the next frame is due; `nil` before the first.
    private(set) var due: Duration?
    private var lastShown = Duration.zero

    /// Takes the next frame, which lasts for `duration` and is decoded at `now`; returns when to show it, or `nil` to skip it.
    mutating func next(lasting duration: Duration, at now: Duration) -> Duration? {
        let start = due ?? now
        let end = start + duration
        if end <= now, now - lastShown < Self.maxGap {
            due = end
            return nil
        }
        // Beyond its end nothing before it counts any more.
        let moment = max(start, now)
        due = end > now ? end : now + duration
        lastShown = moment
        return moment
    }
}

/// The frames of an animation, for a player whose reads move between threads.
///
/// Thread-safe; a lock guards the decoder. Releasing it releases the canvas.
package final class AnimationReader: Sendable {
    fileprivate struct State {
        let animation: Animation
        var loops: Int?
        /// Frames of the current loop.
        var count = 0
        var endedLoops = 0
        var schedule = FrameSchedule()
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
            state = State(animation: state.animation, loops: loops)
        }
    }

    /// Returns the next frame of the current loop.
    fileprivate func next() throws -> AnimationFrame? {
        try Cancellation.check()
        return try state.withLock { try $0.animation.next() }
    }

    /// How often all frames are to be shown, once the last one has been returned; `nil` for ever.
    fileprivate var plays: Int? { state.withLock { $0.animation.plays } }

    /// When the last returned frame ends.
    var end: Duration? { state.withLock { $0.schedule.due } }

    /// Returns the next frame that is not late, and when it is due; `nil` after the end of the last loop.
    ///
    /// The last frame of all stays on the screen, so it is returned even if it is late.
    func next(_ now: () -> Duration) throws -> (pixels: PixelBuffer, moment: Duration)? {
        try state.withLock { state in
            var late: PixelBuffer?
            while true {
                try Cancellation.check()
                guard let frame = try state.next() else { return late.map { ($0, now()) } }
                let moment = state.schedule.next(lasting: frame.duration, at: now())
                if let moment { return (frame.pixels, moment) }
                late = frame.pixels
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
        // Known only now: a file may state the number of loops after its frames.
        guard count > 1, (loops ?? animation.plays).map({ endedLoops + 1 < $0 }) ?? true else { return nil }
        animation.restart()
        endedLoops += 1
        count = 0
        guard let frame = try animation.next() else { return nil }
        count = 1
        return frame
    }
}

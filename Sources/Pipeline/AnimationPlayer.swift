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

    /// Creates a player that decodes on `threads`, behind the visible images that wait for them.
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
        var schedule = FrameSchedule()
        while true {
            let next = try await threads.run(priority: FetchPriority.near.rawValue) { [schedule, clock] _ in
                try animation.read(schedule, clock.now).map { step in
                    (schedule: step.schedule, moment: step.moment, value: try render(step.pixels))
                }
            }
            guard let next else { break }
            schedule = next.schedule
            try await clock.sleep(next.moment)
            try Task.checkCancellation()
            show(next.value)
        }
        if let end = schedule.due { try await clock.sleep(end) }
    }
}

/// When the frames of an animation are due; a pure value, times are durations since some start.
///
/// A frame whose time has passed is skipped. If decoding is slower than the animation, or the program was stopped, the
/// animation goes on from the frame that is decoded: something is shown every `maxGap`.
struct FrameSchedule: Sendable {
    enum Step: Hashable, Sendable {
        case show(at: Duration)
        case skip
    }

    /// The longest time without a frame, beyond the time of the frame on the screen.
    static let maxGap = Duration.milliseconds(250)

    /// When the next frame is due; `nil` before the first.
    private(set) var due: Duration?
    private var lastShown = Duration.zero

    /// Takes the next frame, which lasts for `duration` and is decoded at `now`.
    mutating func next(lasting duration: Duration, at now: Duration) -> Step {
        let start = due ?? now
        let end = start + duration
        if end <= now, now - lastShown < Self.maxGap {
            due = end
            return .skip
        }
        // Beyond its end nothing before it counts any more.
        let moment = max(start, now)
        due = end > now ? end : now + duration
        lastShown = moment
        return .show(at: moment)
    }
}

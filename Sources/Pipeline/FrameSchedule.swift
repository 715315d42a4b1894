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

internal import Glibc

/// A calendar time in milliseconds since 1970 in UTC, as in HTTP dates and file times.
///
/// The calendar clock jumps; measure durations with a `Clock`.
package struct WallTime: Comparable, Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted (POSIX time).
    package var milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// A time in seconds since 1970; clamped to the range.
    package init(seconds: Int64) {
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        milliseconds = overflows ? (seconds < 0 ? .min : .max) : product
    }

    /// Whole seconds since 1970, rounded down.
    package var seconds: Int64 { milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0) }

    package var sinceEpoch: Duration { .milliseconds(milliseconds) }

    /// The current time (`clock_gettime`, `CLOCK_REALTIME`).
    package static func now() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// A later time; clamped to the range.
    package func advanced(by duration: Duration) -> WallTime {
        let (seconds, attoseconds) = duration.components
        let (whole, wholeOverflows) = milliseconds.addingReportingOverflow(WallTime(seconds: seconds).milliseconds)
        guard !wholeOverflows else { return WallTime(milliseconds: seconds < 0 ? .min : .max) }
        let (sum, overflows) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return WallTime(milliseconds: overflows ? (attoseconds < 0 ? .min : .max) : sum)
    }

    /// The duration to `other`; negative if it is earlier.
    package func duration(to other: WallTime) -> Duration {
        let (difference, overflows) = other.milliseconds.subtractingReportingOverflow(milliseconds)
        return .milliseconds(overflows ? (other < self ? .min : .max) : difference)
    }

    package static func < (left: WallTime, right: WallTime) -> Bool { left.milliseconds < right.milliseconds }
}

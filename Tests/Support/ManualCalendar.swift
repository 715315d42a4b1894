package import SpyglassCaching
internal import SpyglassThreads

/// A calendar that only tests change.
package final class ManualCalendar: Sendable {
    private let time: Mutex<WallTime>

    /// Creates a calendar at a time.
    package init(_ start: WallTime = WallTime(seconds: 1_800_000_000)) { time = Mutex(start) }

    /// The current time.
    package var now: WallTime {
        get { time.withLock(\.self) }
        set { time.withLock { $0 = newValue } }
    }

    /// Returns the current time.
    package var clock: @Sendable () -> WallTime { { self.now } }

    /// Moves the time, also backwards.
    package func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
}

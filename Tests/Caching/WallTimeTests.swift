import SpyglassCaching
import Testing

@Suite("WallTime")
struct WallTimeTests {
    @Test("Durations are exact to the millisecond, in both directions")
    func durations() {
        let start = WallTime(seconds: 1_000_000_000)
        let end = start.advanced(by: .milliseconds(1_500))
        #expect(start.duration(to: end) == .milliseconds(1_500))
        #expect(end.duration(to: start) == .milliseconds(-1_500))
        #expect(start < end)
    }

    @Test("Seconds are rounded down, also before 1970")
    func seconds() {
        #expect(WallTime(milliseconds: 1_999).seconds == 1)
        #expect(WallTime(milliseconds: -1).seconds == -1)
        #expect(WallTime(milliseconds: -1_000).seconds == -1)
    }

    @Test("Values out of range are clamped")
    func clamping() {
        #expect(WallTime(seconds: .max).milliseconds == .max)
        #expect(WallTime(milliseconds: .max).advanced(by: .seconds(1)).milliseconds == .max)
        #expect(WallTime(milliseconds: .max).advanced(by: .milliseconds(1)).milliseconds == .max)
        #expect(WallTime(milliseconds: .min).advanced(by: .milliseconds(-1)).milliseconds == .min)
        #expect(WallTime(milliseconds: .min).seconds == -9_223_372_036_854_776)
        #expect(WallTime(milliseconds: .min).duration(to: WallTime(milliseconds: .max)) == .milliseconds(Int64.max))
    }
}

import Testing

@testable import SpyglassPipeline

@Suite("FrameSchedule")
struct FrameScheduleTests {
    private func at(_ milliseconds: Int) -> Duration { .milliseconds(milliseconds) }

    @Test("Each frame is due when the one before ends, however early it is decoded")
    func onTime() {
        var schedule = FrameSchedule()
        #expect(schedule.next(lasting: at(100), at: at(1000)) == .show(at: at(1000)))
        #expect(schedule.next(lasting: at(40), at: at(1001)) == .show(at: at(1100)))
        #expect(schedule.next(lasting: at(100), at: at(1101)) == .show(at: at(1140)))
        #expect(schedule.due == at(1240))
    }

    @Test("A frame is shown late within its time, and skipped after it")
    func late() {
        var schedule = FrameSchedule()
        #expect(schedule.next(lasting: at(100), at: at(0)) == .show(at: at(0)))
        #expect(schedule.next(lasting: at(100), at: at(199)) == .show(at: at(199)))
        #expect(schedule.next(lasting: at(100), at: at(300)) == .skip)
        #expect(schedule.next(lasting: at(100), at: at(300)) == .show(at: at(300)))
        // The delays do not add up.
        #expect(schedule.due == at(400))
    }

    @Test("If all frames are late, one is shown every 250 ms")
    func slow() {
        var schedule = FrameSchedule()
        var now = 0
        var shown: [Int] = []
        for _ in 0..<20 {
            if case .show(let moment) = schedule.next(lasting: at(20), at: at(now)) {
                #expect(moment == at(now))
                shown.append(now)
            }
            now += 50
        }
        #expect(shown == [0, 250, 500, 750])
    }

    @Test("After a stop it goes on with the frame that is next")
    func stopped() {
        var schedule = FrameSchedule()
        _ = schedule.next(lasting: at(100), at: at(0))
        #expect(schedule.next(lasting: at(100), at: at(3_600_000)) == .show(at: at(3_600_000)))
        #expect(schedule.next(lasting: at(100), at: at(3_600_001)) == .show(at: at(3_600_100)))
    }
}

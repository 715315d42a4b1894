import SpyglassFetching
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassCodecs
@testable import SpyglassPipeline

@Suite("AnimationPlayer", .timeLimit(.minutes(10)))
struct AnimationPlayerTests {
    private let clock = ManualClock()
    private let log = WatchedValue<[String]>([])

    /// Three frames of 100 ms, or others.
    private func frames(_ milliseconds: [Int] = [100, 100, 100], plays: Int? = 1) -> FakeFrames {
        FakeFrames(milliseconds.map { .milliseconds($0) }, plays: plays)
    }

    private func player(_ clock: any Clock<Duration>) -> AnimationPlayer {
        AnimationPlayer(threads: ThreadPool(count: 1), clock: ElapsedClock(clock))
    }

    /// Plays to the end on a clock that moves to each deadline; returns the frames shown.
    private func shown(_ frames: FakeFrames, loops: Int? = nil, on clock: TickingClock) async throws -> [Int] {
        var shown: [Int] = []
        try await player(clock).play(AnimationReader(Animation(frames)), loops: loops) {
            FakeFrames.number(of: $0)
        } show: {
            shown.append($0)
        }
        return shown
    }

    @Test("Frames come at their times, and the last one stays for its own")
    func times() async throws {
        let clock = TickingClock()
        #expect(try await shown(frames([100, 40, 300]), on: clock) == [0, 1, 2])
        #expect(clock.sleeps == [.zero, .milliseconds(100), .milliseconds(40), .milliseconds(300)])
    }

    @Test(
        "An animation plays as often as its file states, or as asked",
        arguments: [(1, nil, 3), (2, nil, 6), (2, 1, 3), (nil, 3, 9), (0, nil, 3)] as [(Int?, Int?, Int)])
    func loops(plays: Int?, loops: Int?, count: Int) async throws {
        let shown = try await shown(frames(plays: plays), loops: loops, on: TickingClock())
        #expect(shown == (0..<count).map { $0 % 3 })
    }

    @Test("All frames come at once for a terminal that plays them, unless they take too much memory")
    func collected() async throws {
        let reader = AnimationReader(Animation(frames([100, 40, 300], plays: 7)))
        func collect(_ maxBytes: Int) async throws -> (frames: [String], plays: Int?)? {
            try await player(ManualClock()).frames(of: reader, maxBytes: maxBytes) { frame, number in
                ("\(number): \(FakeFrames.number(of: frame.pixels)) \(frame.duration)", 10)
            }
        }
        for _ in 0..<2 {
            let all = try #require(try await collect(30))
            #expect(all.frames == ["1: 0 0.1 seconds", "2: 1 0.04 seconds", "3: 2 0.3 seconds"] && all.plays == 7)
        }
        #expect(try await collect(29) == nil)
    }

    @Test("A single frame is shown once, also if it repeats for ever")
    func single() async throws {
        #expect(try await shown(frames([100], plays: nil), on: TickingClock()) == [0])
        #expect(try await shown(frames([], plays: nil), on: TickingClock()).isEmpty)
    }

    @Test("Frames that are late are skipped, but the last one is shown")
    func late() async throws {
        // Each reading of the time takes longer than a frame lasts.
        let clock = TickingClock(step: .milliseconds(60))
        let shown = try await shown(frames([Int](repeating: 20, count: 30)), on: clock)
        #expect(shown.count < 20 && shown.first == 0 && shown.last == 29 && shown == shown.sorted())
    }

    @Test("The next frame is decoded before it is due; a cancelled player releases the canvas")
    func release() async throws {
        weak var released: FakeFrames?
        let task: Task<Void, any Error>
        do {
            let frames = frames(plays: nil)
            released = frames
            let reader = AnimationReader(Animation(frames))
            task = Task { [clock, log] in
                try await player(clock).play(reader) {
                    "\(FakeFrames.number(of: $0))"
                } show: { number in
                    log.change { $0.append(number) }
                }
            }
        }
        await log.wait { $0 == ["0"] }
        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(100))
        await log.wait { $0 == ["0", "1"] }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await waitUntil { released == nil }
        #expect(log.value == ["0", "1"])
    }

    @Test("An error of a frame ends the animation")
    func failed() async throws {
        await #expect(throws: CodecError(.corrupt, "a damaged frame")) {
            try await shown(FakeFrames([.milliseconds(100)], plays: nil, failure: 0), on: TickingClock())
        }
        await #expect(throws: CodecError.self) {
            let durations = [Duration](repeating: .milliseconds(100), count: 3)
            _ = try await shown(FakeFrames(durations, plays: nil, failure: 2), on: TickingClock())
        }
    }

    @Test("A frame is found by its number, from 1; beyond the last their number is told")
    func numbered() throws {
        let reader = AnimationReader(Animation(frames()))
        #expect(try reader.frame(1).pixels.map { FakeFrames.number(of: $0) } == 0)
        #expect(try reader.frame(3).pixels.map { FakeFrames.number(of: $0) } == 2)
        let missing = try reader.frame(9)
        #expect(missing.pixels == nil && missing.count == 3)
        let cancellation = Cancellation()
        cancellation.cancel()
        #expect(throws: CodecError.self) { try cancellation.run { try reader.frame(3) } }
    }
}

/// Frames of one pixel, the red of which is their number.
///
/// `@unchecked Sendable`: used under the reader's lock only.
private final class FakeFrames: AnimationSource, @unchecked Sendable {
    private let durations: [Duration]
    private var position = 0
    let plays: Int?
    /// The frame that is damaged.
    private let failure: Int?
    let info = ImageInfo(format: .png, storedSize: PixelSize(width: 1, height: 1), colorDescription: "RGB")

    init(_ durations: [Duration], plays: Int?, failure: Int? = nil) {
        self.failure = failure
        self.durations = durations
        self.plays = plays
    }

    static func number(of pixels: PixelBuffer) -> Int { Int(pixels[0, 0].red) }

    func next() throws(CodecError) -> AnimationFrame? {
        let number = position
        guard let duration = try skip() else { return nil }
        var pixels = PixelBuffer(size: info.size)
        pixels[0, 0] = RGBA(UInt8(number), 0, 0, 255)
        return AnimationFrame(pixels: pixels, duration: duration)
    }

    func skip() throws(CodecError) -> Duration? {
        guard position < durations.count else { return nil }
        if position == failure { throw CodecError(.corrupt, "a damaged frame") }
        position += 1
        return durations[position - 1]
    }

    func restart() { position = 0 }
}

@Suite("FrameSchedule")
struct FrameScheduleTests {
    private func at(_ milliseconds: Int) -> Duration { .milliseconds(milliseconds) }

    @Test("If all frames are late, one is shown every 250 ms")
    func slow() {
        var schedule = FrameSchedule()
        var now = 0
        var shown: [Int] = []
        for _ in 0..<20 {
            if let moment = schedule.next(lasting: at(20), at: at(now)) {
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
        let moments = [3_600_000, 3_600_001].map { schedule.next(lasting: at(100), at: at($0)) }
        #expect(moments == [at(3_600_000), at(3_600_100)])
    }
}

import Testing

@testable import SpyglassBrowser

@Suite("FrameGate")
struct FrameGateTests {
    @Test("A terminal that never replied blocks only while it takes bytes")
    func unknown() {
        var gate = FrameGate()
        #expect(gate.isOpen(isWriting: false))
        gate.sent(bytes: 0, at: .zero)
        #expect(gate.isOpen(isWriting: false))
        #expect(!gate.isOpen(isWriting: true))
    }

    @Test("An unknown terminal gets 2 KB, more after a reply or a second")
    func trial() {
        var gate = FrameGate()
        gate.sent(bytes: 1500, at: .seconds(5))
        #expect(gate.isOpen(isWriting: false))
        gate.sent(bytes: 1500, at: .seconds(5))
        #expect(!gate.isOpen(isWriting: false))
        #expect(gate.deadline == .seconds(6))
        var answered = gate
        _ = answered.replied()
        #expect(!answered.isOpen(isWriting: false))
        _ = answered.replied()
        #expect(answered.isOpen(isWriting: false))
        let isOver = gate.giveUp(at: .seconds(6))
        #expect(isOver && gate.isSilent)
        gate.sent(bytes: 20_000, at: .seconds(6))
        #expect(gate.isOpen(isWriting: false))
    }

    @Test("After the first reply each frame waits for the previous one's")
    func answering() {
        var gate = FrameGate()
        var isLast: Bool
        gate.sent(bytes: 0, at: .zero)
        isLast = gate.replied()
        #expect(isLast)
        #expect(gate.isOpen(isWriting: false))
        gate.sent(bytes: 0, at: .seconds(1))
        #expect(!gate.isOpen(isWriting: false))
        #expect(gate.deadline == .seconds(4))
        isLast = gate.replied()
        #expect(isLast)
        #expect(gate.isOpen(isWriting: false))
    }

    @Test("A reply to an earlier frame does not count for the last")
    func lateAnswers() {
        var gate = FrameGate()
        var isLast: Bool
        for second in 0..<3 { gate.sent(bytes: 0, at: .seconds(second)) }
        isLast = gate.replied()
        #expect(!isLast)
        #expect(!gate.isOpen(isWriting: false))
        isLast = gate.replied()
        #expect(!isLast)
        isLast = gate.replied()
        #expect(isLast)
        #expect(gate.isOpen(isWriting: false))
    }

    @Test("After three seconds without a reply the gate opens until the next")
    func silence() {
        var gate = FrameGate()
        gate.sent(bytes: 0, at: .zero)
        _ = gate.replied()
        gate.sent(bytes: 0, at: .seconds(1))
        gate.giveUp(at: .milliseconds(3_999))
        #expect(!gate.isOpen(isWriting: false))
        gate.giveUp(at: .seconds(4))
        #expect(gate.isOpen(isWriting: false))
        gate.sent(bytes: 0, at: .seconds(5))
        #expect(gate.isOpen(isWriting: false))
        _ = gate.replied()
        gate.sent(bytes: 0, at: .seconds(6))
        #expect(!gate.isOpen(isWriting: false))
    }

    @Test("A slow line that buffers everything gets the time its bytes need")
    func bufferedLine() {
        var gate = FrameGate()
        gate.sent(bytes: 100, at: .zero)
        _ = gate.replied()
        gate.sent(bytes: 8192, at: .zero)
        gate.giveUp(at: .milliseconds(4_100))
        #expect(!gate.isOpen(isWriting: false))
        gate.giveUp(at: .seconds(11))
        #expect(gate.isOpen(isWriting: false))
    }

    @Test("Frames sent before the first reply are waited for, 30 s at most")
    func manyBefore() {
        var gate = FrameGate()
        for _ in 0..<4 { gate.sent(bytes: 8192, at: .zero) }
        _ = gate.replied()
        #expect(gate.deadline == .seconds(30))
    }

    @Test("Replies without a query do no harm")
    func strayAnswers() {
        var gate = FrameGate()
        for _ in 0..<5 { _ = gate.replied() }
        #expect(gate.isOpen(isWriting: false))
        gate.sent(bytes: 0, at: .zero)
        #expect(!gate.isOpen(isWriting: false))
    }
}

@Suite("BandwidthEstimator")
struct BandwidthEstimatorTests {
    /// 120x40.
    private let cells = 4800

    @Test("An unknown terminal gets chunks, a fast one whole frames")
    func pieces() {
        var clock = BandwidthEstimator(fidelity: .auto)
        #expect(clock.byteLimit == BandwidthEstimator.firstChunkBytes)
        clock.sent(bytes: 8000, at: .zero)
        clock.arrived(at: .milliseconds(1), cells: cells)
        #expect(clock.byteLimit == nil)
        #expect(clock.tolerance == 0)
    }

    @Test("A slow line makes frames fast, a quick one exact, with hysteresis")
    func hysteresis() {
        var clock = BandwidthEstimator(fidelity: .auto)
        // 2 KB/s.
        clock.sent(bytes: 8192, at: .zero)
        clock.arrived(at: .seconds(4), cells: cells)
        #expect(clock.isSlow)
        #expect(clock.tolerance == BandwidthEstimator.fastTolerance)
        // 0.6 s at this speed.
        #expect(clock.byteLimit == 1228)
        var now = Duration.seconds(4)
        // 320 KB/s: a repaint takes 150 ms, neither slow nor quick.
        for _ in 0..<20 {
            clock.sent(bytes: 8192, at: now)
            now += .microseconds(25_600)
            clock.arrived(at: now, cells: cells)
        }
        #expect(clock.isSlow)
        #expect(clock.byteLimit == BandwidthEstimator.chunkBytes)
        for _ in 0..<20 {
            clock.sent(bytes: 8192, at: now)
            now += .milliseconds(8)
            clock.arrived(at: now, cells: cells)
        }
        #expect(!clock.isSlow)
    }

    @Test("A chunk takes less than a second, and measures the recovery")
    func smallPieces() throws {
        var clock = BandwidthEstimator(fidelity: .auto)
        clock.sent(bytes: BandwidthEstimator.firstChunkBytes, at: .zero)
        clock.arrived(at: .milliseconds(768), cells: cells)
        #expect(clock.byteLimit == 1200)
        var now = Duration.seconds(1)
        for _ in 0..<20 where clock.isSlow {
            // Chunks have whole rows, so they are shorter than their limit.
            let bytes = try #require(clock.byteLimit) / 2
            clock.sent(bytes: bytes, at: now)
            now += .microseconds(bytes)
            clock.arrived(at: now, cells: cells)
        }
        #expect(!clock.isSlow)
    }

    @Test("High latency is not low bandwidth")
    func delay() {
        var clock = BandwidthEstimator(fidelity: .auto)
        clock.sent(bytes: 40, at: .zero)
        clock.arrived(at: .milliseconds(800), cells: cells)
        clock.sent(bytes: 8192, at: .seconds(1))
        clock.arrived(at: .milliseconds(1_810), cells: cells)
        #expect(!clock.isSlow)
    }

    @Test("Latency that is learned later is not low bandwidth")
    func delayLearnedLater() {
        var clock = BandwidthEstimator(fidelity: .auto)
        clock.sent(bytes: 8192, at: .zero)
        clock.arrived(at: .seconds(1), cells: cells)
        #expect(clock.isSlow)
        clock.sent(bytes: 40, at: .seconds(1))
        clock.arrived(at: .seconds(2), cells: cells)
        #expect(!clock.isSlow)
        #expect(clock.byteLimit == nil)
    }

    @Test("Growing latency is not low bandwidth")
    func delayGrows() {
        var clock = BandwidthEstimator(fidelity: .auto)
        var now = Duration.zero
        func send(_ bytes: Int, _ time: Duration) {
            clock.sent(bytes: bytes, at: now)
            now += time
            clock.arrived(at: now, cells: cells)
        }
        for _ in 0..<5 {
            send(40, .milliseconds(1))
            send(5000, .milliseconds(2))
        }
        for _ in 0..<10 {
            send(40, .milliseconds(80))
            send(5000, .milliseconds(81))
        }
        #expect(!clock.isSlow)
    }

    @Test("Noise does not make the parts of animations smaller and smaller")
    func noise() {
        var clock = BandwidthEstimator(fidelity: .auto)
        var now = Duration.zero
        // 5 Mbit/s.
        func send(_ bytes: Int, late: Int) {
            clock.sent(bytes: bytes, at: now)
            now += .microseconds(bytes * 8 / 5) + .milliseconds(100 + late)
            clock.arrived(at: now, cells: cells)
        }
        send(40, late: 0)
        send(8192, late: 0)
        for _ in 0..<50 {
            send(40, late: 0)
            send(clock.animationBytes, late: 10)
        }
        #expect(!clock.isSlow)
        #expect((4800...16 << 10).contains(clock.animationBytes))
    }

    @Test("Exact and fast ignore all measurements")
    func fixed() {
        for (fidelity, tolerance) in [(Fidelity.exact, UInt8(0)), (.fast, 8)] {
            var clock = BandwidthEstimator(fidelity: fidelity)
            #expect(clock.tolerance == tolerance)
            clock.sent(bytes: 8192, at: .zero)
            clock.arrived(at: .seconds(4), cells: cells)
            #expect(clock.tolerance == tolerance)
            #expect(!clock.sharpens)
        }
    }

    @Test("A frame for a key does not wait for one of an animation; others wait for both")
    func animation() {
        var gate = FrameGate()
        var isLast: Bool
        gate.sent(bytes: 0, at: .zero)
        isLast = gate.replied()
        gate.sent(bytes: 0, at: .zero, isAnimation: true)
        #expect(!gate.isOpen(isWriting: false, isAnimation: true))
        #expect(gate.isOpen(isWriting: true))
        gate.sent(bytes: 0, at: .zero)
        #expect(!gate.isOpen(isWriting: false) && !gate.isOpen(isWriting: false, isAnimation: true))
        isLast = gate.replied()
        #expect(!isLast && !gate.isOpen(isWriting: false))
        isLast = gate.replied()
        #expect(isLast && gate.isOpen(isWriting: false, isAnimation: true))
        #expect(!gate.isOpen(isWriting: true))
    }
}

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
}

@Suite("BandwidthEstimator")
struct BandwidthEstimatorTests {
    /// 120x40.
    private let cells = 4800

    @Test("An unknown terminal gets chunks, a fast one whole frames")
    func pieces() {
        var clock = BandwidthEstimator()
        #expect(clock.byteLimit == BandwidthEstimator.firstChunkBytes)
        clock.sent(bytes: 8000, at: .zero)
        clock.arrived(at: .milliseconds(1), cells: cells)
        #expect(clock.byteLimit == nil)
    }

    @Test("A line is slow until it is quick: hysteresis")
    func hysteresis() {
        var clock = BandwidthEstimator()
        // 2 KB/s.
        clock.sent(bytes: 8192, at: .zero)
        clock.arrived(at: .seconds(4), cells: cells)
        #expect(clock.isSlow)
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

    @Test("High latency is not low bandwidth")
    func delay() {
        var clock = BandwidthEstimator()
        clock.sent(bytes: 40, at: .zero)
        clock.arrived(at: .milliseconds(800), cells: cells)
        clock.sent(bytes: 8192, at: .seconds(1))
        clock.arrived(at: .milliseconds(1_810), cells: cells)
        #expect(!clock.isSlow)
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

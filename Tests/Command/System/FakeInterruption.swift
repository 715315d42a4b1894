import SpyglassThreads

@testable import spyglass

/// Signals sent by a test.
final class FakeInterruption: Interruption {
    private let gate = AsyncStream<Int32>.makeStream()
    private let signals = Mutex<[Int32]>([])
    let received: Int32?

    /// `received` is a signal that has arrived and not been delivered.
    init(received: Int32? = nil) { self.received = received }

    var terminations: [Int32] { signals.withLock { $0 } }

    func send(_ signal: Int32) { gate.continuation.yield(signal) }

    func signal() async -> Int32 {
        for await signal in gate.stream { return signal }
        return 0
    }

    func terminate(bySignal signal: Int32) { signals.withLock { $0.append(signal) } }
}

import SpyglassThreads

@testable import spyglass

/// Signals sent by a test.
final class FakeInterruption: Interruption {
    private let gate = AsyncStream<Int32>.makeStream()
    private let signals = Mutex<[Int32]>([])
    private let arrived: Mutex<Int32?>

    /// `received` is a signal that has arrived and not been delivered.
    init(received: Int32? = nil) { arrived = Mutex(received) }

    var received: Int32? { arrived.withLock { $0 } }

    var terminations: [Int32] { signals.withLock { $0 } }

    func send(_ signal: Int32) {
        arrived.withLock { $0 = signal }
        gate.continuation.yield(signal)
    }

    func signal() async -> Int32 {
        for await signal in gate.stream { return signal }
        return 0
    }

    func terminate(bySignal signal: Int32) { signals.withLock { $0.append(signal) } }
}

import SpyglassTestSupport
import Testing

@testable import SpyglassThreads

@Suite("Cancellation", .timeLimit(.minutes(10)))
struct CancellationTests {
    private let cancellation = Cancellation()
    private let calls = CallRecorder<String>()

    @Test("Cancelling calls each action once")
    func actions() {
        let first = cancellation.onCancel { calls.record("first") }
        let second = cancellation.onCancel { calls.record("second") }
        #expect(!cancellation.isCancelled && calls.values.isEmpty)
        cancellation.cancel()
        cancellation.cancel()
        #expect(cancellation.isCancelled)
        #expect(calls.values.sorted() == ["first", "second"])
        withExtendedLifetime((first, second)) {}
    }

    @Test("An action that comes too late is called at once")
    func late() {
        cancellation.cancel()
        _ = cancellation.onCancel { calls.record("late") }
        #expect(calls.values == ["late"])
    }

    @Test("A released registration is not called, and keeps nothing of its action")
    func released() {
        var object: CallRecorder<String>? = calls
        weak let held = object
        var registration: Cancellation.Registration? = cancellation.onCancel { [object] in object?.record("released") }
        #expect(registration != nil)
        registration = nil
        object = nil
        cancellation.cancel()
        #expect(calls.values.isEmpty && held != nil)
    }

    @Test("An action may register and release others")
    func reentrant() {
        let registration = cancellation.onCancel { [cancellation, calls] in
            _ = cancellation.onCancel { calls.record("inner") }
        }
        cancellation.cancel()
        #expect(calls.values == ["inner"])
        withExtendedLifetime(registration) {}
    }

    @Test("Work on a thread pool finds its own cancellation; other code has none")
    func current() async throws {
        #expect(Cancellation.current == nil)
        let threads = ThreadPool(count: 1)
        let (isCurrent, isOurs) = try await threads.run { [cancellation] own in
            (own === Cancellation.current, own === cancellation)
        }
        #expect(isCurrent && !isOurs)
        #expect(Cancellation.current == nil)
    }

    @Test("Without a cancellation the task is asked")
    func task() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try Cancellation.check()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(throws: CancellationError.self) {
            cancellation.cancel()
            try cancellation.run { try Cancellation.check() }
        }
    }
}

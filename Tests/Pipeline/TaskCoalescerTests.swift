import SpyglassFetching
@testable import SpyglassPipeline
import Testing

@Suite("TaskCoalescer", .timeLimit(.minutes(10)))
struct SharedWorkTests {
    /// Calls back when it is released, like the end of a stream.
    private final class Farewell: Sendable {
        private let say: @Sendable () -> Void
        init(_ say: @escaping @Sendable () -> Void) { self.say = say }
        deinit { say() }
    }

    @Test("A listener may call back when it is released, on cancel and at the end")
    func release() async throws {
        let work = TaskCoalescer<Int, Int, Int>()
        for isCancelled in [true, false] {
            let (ends, end) = AsyncStream<Void>.makeStream()
            let farewells = AsyncStream<Int>.makeStream()
            let share = {
                let last = Farewell { farewells.continuation.yield(work.counts.works) }
                let share = work.join(1, priority: .visible) { _ in
                    for await _ in ends {}
                    return 1
                }
                share.listen { _ in _ = last }
                return share
            }()
            if isCancelled { share.cancel() }
            end.finish()
            for await works in farewells.stream {
                #expect(works == 0)
                break
            }
            await work.waitForTasks()
        }
    }
}

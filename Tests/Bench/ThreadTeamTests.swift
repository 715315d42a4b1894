import Glibc
import SpyglassThreads
import Testing

@testable import SpyglassBench

@Suite("ThreadTeam", .timeLimit(.minutes(10)))
struct ThreadTeamTests {
    /// Records the steps of threads.
    private final class Record: Sendable {
        enum Step { case began, isAwake, started, ended }

        let steps = Mutex<[Step]>([])

        func add(_ step: Step) { steps.withLock { $0.append(step) } }

        func count(_ step: Step) -> Int { steps.withLock { $0.count { $0 == step } } }
    }

    /// A routine with its record.
    private final class RecordedRoutine {
        let record: Record
        let routine: ThreadTeam.Routine
        let context: UnsafeMutableRawPointer

        init(_ record: Record, _ routine: @escaping ThreadTeam.Routine, _ context: UnsafeMutableRawPointer) {
            (self.record, self.routine, self.context) = (record, routine, context)
        }

        /// Starts threads that record their steps, and fails after `maxCount`.
        static func starting(_ record: Record, maxCount: Int = .max) -> ThreadTeam.Start {
            var started = 0
            return { thread, routine, context in
                guard started < maxCount else { return EAGAIN }
                started += 1
                let recorded = Unmanaged.passRetained(RecordedRoutine(record, routine, context))
                return pthread_create(
                    thread, nil,
                    { context in
                        guard let context else { return nil }
                        let recorded = Unmanaged<RecordedRoutine>.fromOpaque(context).takeRetainedValue()
                        recorded.record.add(.began)
                        _ = recorded.routine(recorded.context)
                        recorded.record.add(.ended)
                        return nil
                    }, recorded.toOpaque())
            }
        }
    }

    @Test("Every thread runs its part once a run", arguments: [1, 2, 5])
    func parts(count: Int) throws {
        let team = try ThreadTeam(count)
        let numbers = Mutex<[Int]>([])
        for run in 1...100 {
            team.run { number in numbers.withLock { $0.append(number) } }
            #expect(numbers.withLock { $0.suffix(count).sorted() } == Array(0..<count))
            #expect(numbers.withLock { $0.count } == run * count)
        }
    }

    @Test("A run starts when all threads are awake, and they end with the team")
    func together() throws {
        let (count, runs) = (4, 50)
        let record = Record()
        do {
            let team = try ThreadTeam(
                count, start: RecordedRoutine.starting(record),
                onWaking: { number in
                    // One thread is late in each run.
                    if number == 1 {
                        while record.count(.isAwake) % count != count - 1 { sched_yield() }
                        for _ in 0..<100 { sched_yield() }
                    }
                    record.add(.isAwake)
                })
            for _ in 0..<runs { team.run { _ in record.add(.started) } }
        }
        let run = Array(repeating: Record.Step.isAwake, count: count) + Array(repeating: .started, count: count)
        let steps = record.steps.withLock { $0.filter { $0 == .isAwake || $0 == .started } }
        #expect(steps == Array(repeating: run, count: runs).flatMap { $0 })
        #expect(record.count(.began) == count - 1)
        #expect(record.count(.ended) == count - 1)
    }

    @Test("If a thread cannot start, the others end")
    func failure() {
        let record = Record()
        let error = #expect(throws: BenchError.self) {
            try ThreadTeam(4, start: RecordedRoutine.starting(record, maxCount: 2))
        }
        #expect(error?.description == "cannot start thread 4 of 4: Resource temporarily unavailable")
        #expect(record.count(.began) == 2)
        #expect(record.count(.ended) == 2)
    }

    @Test("A run releases its closure")
    func release() throws {
        final class Guest: Sendable {}
        let team = try ThreadTeam(3)
        weak var guest: Guest?
        do {
            let visitor = Guest()
            guest = visitor
            team.run { _ in withExtendedLifetime(visitor) {} }
        }
        #expect(guest == nil)
    }
}

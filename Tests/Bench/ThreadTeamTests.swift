import Glibc
import SpyglassThreads
import Testing

@testable import SpyglassBench

@Suite("Threads that begin together", .timeLimit(.minutes(10)))
struct ThreadTeamTests {
    /// What a thread passes on its way, around that of the team.
    private final class Way: Sendable {
        enum Step { case isThere, isAwake, started, hasEnded }

        let steps = Mutex<[Step]>([])

        func pass(_ step: Step) { steps.withLock { $0.append(step) } }

        func count(_ step: Step) -> Int { steps.withLock { $0.count { $0 == step } } }
    }

    /// What a thread of the team is given, with its way.
    private final class Escort {
        let way: Way
        let routine: ThreadTeam.Routine
        let context: UnsafeMutableRawPointer

        init(_ way: Way, _ routine: @escaping ThreadTeam.Routine, _ context: UnsafeMutableRawPointer) {
            (self.way, self.routine, self.context) = (way, routine, context)
        }

        /// Starts threads that tell their way, but for the last ones of so many.
        static func starting(_ way: Way, atMost most: Int = .max) -> ThreadTeam.Start {
            var started = 0
            return { thread, routine, context in
                guard started < most else { return EAGAIN }
                started += 1
                let escort = Unmanaged.passRetained(Escort(way, routine, context))
                return pthread_create(
                    thread, nil,
                    { context in
                        guard let context else { return nil }
                        let escort = Unmanaged<Escort>.fromOpaque(context).takeRetainedValue()
                        escort.way.pass(.isThere)
                        _ = escort.routine(escort.context)
                        escort.way.pass(.hasEnded)
                        return nil
                    }, escort.toOpaque())
            }
        }
    }

    @Test("Every thread does its part once a run", arguments: [1, 2, 5])
    func parts(count: Int) throws {
        let team = try ThreadTeam(count)
        let numbers = Mutex<[Int]>([])
        for run in 1...100 {
            team.run { number in numbers.withLock { $0.append(number) } }
            #expect(numbers.withLock { $0.suffix(count).sorted() } == Array(0..<count))
            #expect(numbers.withLock { $0.count } == run * count)
        }
    }

    @Test("Nobody started a run before all are awake, and all have ended when the team is gone")
    func together() throws {
        let (count, runs) = (4, 50)
        let way = Way()
        do {
            let team = try ThreadTeam(
                count, start: Escort.starting(way),
                onWaking: { number in
                    // One is late in each run: it lets the others go first as long as they can.
                    if number == 1 {
                        while way.count(.isAwake) % count != count - 1 { sched_yield() }
                        for _ in 0..<100 { sched_yield() }
                    }
                    way.pass(.isAwake)
                })
            for _ in 0..<runs { team.run { _ in way.pass(.started) } }
        }
        let run = Array(repeating: Way.Step.isAwake, count: count) + Array(repeating: .started, count: count)
        let steps = way.steps.withLock { $0.filter { $0 == .isAwake || $0 == .started } }
        #expect(steps == Array(repeating: run, count: runs).flatMap { $0 })
        #expect(way.count(.isThere) == count - 1)
        #expect(way.count(.hasEnded) == count - 1)
    }

    @Test("A thread that cannot be made is an error, and those that were made have ended")
    func failure() {
        let way = Way()
        let error = #expect(throws: BenchError.self) { try ThreadTeam(4, start: Escort.starting(way, atMost: 2)) }
        #expect(error?.description == "thread 4 of 4 cannot be made: Resource temporarily unavailable")
        #expect(way.count(.isThere) == 2)
        #expect(way.count(.hasEnded) == 2)
    }

    @Test("What a run was given is let go of when it ends")
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

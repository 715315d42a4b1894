import Glibc
import SpyglassThreads
import Testing

@testable import SpyglassBench

@Suite("Threads that begin together", .timeLimit(.minutes(10)))
struct ThreadTeamTests {
    /// What a thread passes on its way, around that of the team.
    private final class Way: Sendable {
        enum Step { case isThere, begins, hasEnded }

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

    @Test("Nobody begins before all are there, and all have ended when the team is gone")
    func together() throws {
        let way = Way()
        do {
            let team = try ThreadTeam(4, start: Escort.starting(way))
            for _ in 1...3 { team.run { _ in way.pass(.begins) } }
        }
        #expect(way.steps.withLock { $0.prefix(3) } == [.isThere, .isThere, .isThere])
        #expect(way.count(.begins) == 12)
        #expect(way.count(.hasEnded) == 3)
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

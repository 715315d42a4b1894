internal import Glibc
internal import SpyglassThreads
internal import Synchronization

/// Threads that begin the same work together, as often as it is given.
///
///     let team = try ThreadTeam(2)
///     team.run { number in findAll(keys[number]) }
///
/// The threads are made once, with the team, and sleep between two runs. A run makes no thread; it wakes those that sleep, which takes
/// some 50 µs: 1 % of a sample of 5 ms. Nobody begins before all are awake: each that is counts itself in and spins until all have.
/// A team of one has no thread but the caller's and wakes nobody.
///
/// One run at a time; the threads end with the team.
final class ThreadTeam {
    /// What a thread of a number does, from 0, which is the caller's.
    typealias Part = @Sendable (_ number: Int) -> Void
    /// Starts a thread as `pthread_create` does: 0, or the error's number.
    typealias Start = (
        _ thread: UnsafeMutablePointer<pthread_t>, _ routine: @escaping Routine, _ context: UnsafeMutableRawPointer
    ) -> CInt
    typealias Routine = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?

    private let meeting: Meeting
    private let onWaking: Part
    private var threads: [pthread_t] = []

    /// Makes all threads but the first, which is the caller's.
    ///
    /// - Parameters:
    ///   - count: how many threads there are, the caller's among them; at least one.
    ///   - start: starts one.
    ///   - onWaking: told by each thread that it is awake, before it counts itself in.
    /// - Throws: `BenchError` with the system's words when one cannot be made (`EAGAIN`); those that were have ended by then.
    init(
        _ count: Int, start: Start = { pthread_create($0, nil, $1, $2) }, onWaking: @escaping Part = { _ in }
    ) throws(BenchError) {
        meeting = Meeting(of: max(count, 1))
        self.onWaking = onWaking
        for number in 1..<max(count, 1) {
            var thread = pthread_t()
            let member = Unmanaged.passRetained(Member(number, meeting, onWaking))
            let code = start(
                &thread,
                { context in
                    guard let context else { return nil }
                    Unmanaged<Member>.fromOpaque(context).takeRetainedValue().work()
                    return nil
                }, member.toOpaque())
            guard code == 0 else {
                member.release()
                end()
                throw BenchError("thread \(number + 1) of \(count) cannot be made: \(String(cString: strerror(code)))")
            }
            threads.append(thread)
        }
    }

    deinit { end() }

    private func end() {
        meeting.close()
        for thread in threads { pthread_join(thread, nil) }
        threads = []
    }

    /// Has every member do the part of its number, and returns when all are done and have let go of it.
    func run(_ part: @escaping Part) {
        let start = meeting.begin(part)
        onWaking(0)
        meeting.waitUntilAllAreAwake(start)
        part(0)
        meeting.finish()
    }

    /// One thread: what it is given, on its way through a C pointer.
    private final class Member: Sendable {
        let number: Int
        let meeting: Meeting
        let onWaking: Part

        init(_ number: Int, _ meeting: Meeting, _ onWaking: @escaping Part) {
            self.number = number
            self.meeting = meeting
            self.onWaking = onWaking
        }

        func work() {
            while doNextPart() { meeting.finish() }
        }

        private func doNextPart() -> Bool {
            guard let (part, start) = meeting.nextPart() else { return false }
            onWaking(number)
            meeting.waitUntilAllAreAwake(start)
            part(number)
            return true
        }
    }

    /// Where members wait until all are there (a barrier), again and again, unless it is closed.
    ///
    /// `pthread_barrier_t` is not used since nothing wakes who waits there for members that will never come.
    private final class Meeting: Sendable {
        private struct State {
            var waitingCount = 0
            /// How often all were there.
            var round = 0
            var part: Part?
            /// How often something was brought.
            var starts = 0
            var isClosed = false
        }

        private let size: Int
        private let state = Monitor(State())
        /// How often somebody was awake, in all starts together.
        private let awakeCount = Atomic(0)

        /// How often a thread looks whether all are awake before it lets others have the processor: about 10 µs.
        private static let maxLooks = 4096

        init(of size: Int) { self.size = size }

        /// Brings what everybody is to do, and waits until all are here; answers which start it is, from 1.
        func begin(_ part: @escaping Part) -> Int {
            let start = state.withLock { state in
                state.part = part
                state.starts += 1
                return state.starts
            }
            waitForAll()
            return start
        }

        /// Waits until all are here, and answers what was brought and which start it is; `nil` when the meeting is closed.
        func nextPart() -> (part: Part, start: Int)? {
            waitForAll()
            return state.withLock { state in
                guard !state.isClosed, let part = state.part else { return nil }
                return (part, state.starts)
            }
        }

        /// Counts one more in who is awake, and spins until all are: whoever comes last wakes the others, which takes each its time.
        ///
        /// Where there are more threads than processors, some are still to be given one, so that the processor is let go of
        /// (`sched_yield`) after a while.
        func waitUntilAllAreAwake(_ start: Int) {
            awakeCount.add(1, ordering: .acquiringAndReleasing)
            var looks = 0
            while awakeCount.load(ordering: .acquiring) < size * start {
                looks += 1
                if looks > Self.maxLooks { sched_yield() }
            }
        }

        /// Waits until all are done; what they did is forgotten then.
        func finish() { waitForAll { $0.part = nil } }

        /// Waits until all are here or the meeting is closed; the last one does something first.
        private func waitForAll(_ asLast: (inout State) -> Void = { _ in }) {
            var round: Int?
            state.wait { state -> Void? in
                if round == nil {
                    round = state.round
                    state.waitingCount += 1
                    if state.waitingCount == size {
                        asLast(&state)
                        state.waitingCount = 0
                        state.round += 1
                        self.state.wakeAll()
                    }
                }
                return state.round != round || state.isClosed ? () : nil
            }
        }

        /// Lets everybody go who waits, and who comes later.
        func close() {
            state.withLock { $0.isClosed = true }
            state.wakeAll()
        }
    }
}

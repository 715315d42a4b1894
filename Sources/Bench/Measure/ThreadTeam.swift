internal import Glibc

/// Threads that begin the same work together, as often as it is given.
///
///     let team = try ThreadTeam(2)
///     team.run { number in findAll(keys[number]) }
///
/// The threads are made once, with the team, and sleep between two runs. A run makes no thread; it wakes those that sleep, which takes
/// some 50 µs: 1 % of a sample of 5 ms. Nobody begins before all are awake. A team of one has no thread but the caller's and
/// wakes nobody.
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
    private var threads: [pthread_t] = []

    /// Makes all threads but the first, which is the caller's.
    ///
    /// - Throws: `BenchError` with the system's words when one cannot be made (`EAGAIN`); those that were have ended by then.
    init(_ count: Int, start: Start = { pthread_create($0, nil, $1, $2) }) throws(BenchError) {
        meeting = Meeting(of: max(count, 1))
        for number in 1..<max(count, 1) {
            var thread = pthread_t()
            let member = Unmanaged.passRetained(Member(number, meeting))
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
        meeting.begin(part)
        part(0)
        meeting.finish()
    }

    /// One thread: what it is given, on its way through a C pointer.
    private final class Member: Sendable {
        let number: Int
        let meeting: Meeting

        init(_ number: Int, _ meeting: Meeting) {
            self.number = number
            self.meeting = meeting
        }

        func work() {
            while doNextPart() { meeting.finish() }
        }

        private func doNextPart() -> Bool {
            guard let part = meeting.nextPart() else { return false }
            part(number)
            return true
        }
    }

    /// Where members wait until all are there (a barrier), again and again, unless it is closed.
    ///
    /// `pthread_barrier_t` is not used since nothing wakes who waits there for members that will never come.
    ///
    /// `@unchecked Sendable`: `state` is touched only between `pthread_mutex_lock` and `pthread_mutex_unlock`; the pointers never
    /// change.
    private final class Meeting: @unchecked Sendable {
        private struct State {
            var waitingCount = 0
            /// How often all were there.
            var round = 0
            var part: Part?
            var isClosed = false
        }

        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        private let size: Int
        private var state = State()

        init(of size: Int) {
            self.size = size
            mutex.initialize(to: pthread_mutex_t())
            changed.initialize(to: pthread_cond_t())
            pthread_mutex_init(mutex, nil)
            pthread_cond_init(changed, nil)
        }

        deinit {
            pthread_cond_destroy(changed)
            pthread_mutex_destroy(mutex)
            changed.deallocate()
            mutex.deallocate()
        }

        /// Brings what everybody is to do, and waits until all are here.
        func begin(_ part: @escaping Part) {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            state.part = part
            waitForAll()
        }

        /// Waits until all are here, and answers what was brought; `nil` when the meeting is closed.
        func nextPart() -> Part? {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            waitForAll()
            return state.isClosed ? nil : state.part
        }

        /// Waits until all are done; what they did is forgotten then.
        func finish() {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            waitForAll { state.part = nil }
        }

        /// Waits, under the lock, until all are here or the meeting is closed; the last one does something first.
        private func waitForAll(_ asLast: () -> Void = {}) {
            let round = state.round
            state.waitingCount += 1
            if state.waitingCount == size {
                asLast()
                state.waitingCount = 0
                state.round += 1
                pthread_cond_broadcast(changed)
            }
            while state.round == round, !state.isClosed { pthread_cond_wait(changed, mutex) }
        }

        /// Lets everybody go who waits, and who comes later.
        func close() {
            pthread_mutex_lock(mutex)
            state.isClosed = true
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
        }
    }
}

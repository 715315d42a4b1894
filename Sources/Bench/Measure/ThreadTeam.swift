internal import Glibc
internal import SpyglassThreads
internal import Synchronization

/// Threads that start the same work together, repeatedly.
///
/// They sleep between runs; waking takes about 50 µs, 1 % of a sample. No thread starts before all are awake. One run at a time.
final class ThreadTeam {
    typealias Part = @Sendable (_ number: Int) -> Void
    /// Starts a thread as `pthread_create` does: 0, or the error's number.
    typealias Start = (
        _ thread: UnsafeMutablePointer<pthread_t>, _ routine: @escaping Routine, _ context: UnsafeMutableRawPointer
    ) -> CInt
    typealias Routine = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?

    private let shared: Shared
    private var threads: [pthread_t] = []

    init(
        _ count: Int, start: Start = { pthread_create($0, nil, $1, $2) }, onWaking: @escaping Part = { _ in }
    ) throws(BenchError) {
        shared = Shared(size: max(count, 1), onWaking)
        for number in 1..<max(count, 1) {
            var thread = pthread_t()
            let member = Unmanaged.passRetained(Member(number, shared))
            let code = start(
                &thread,
                { context in
                    guard let context else { return nil }
                    let member = Unmanaged<Member>.fromOpaque(context).takeRetainedValue()
                    member.shared.work(as: member.number)
                    return nil
                }, member.toOpaque())
            guard code == 0 else {
                member.release()
                end()
                throw BenchError("cannot start thread \(number + 1) of \(count): \(String(cString: strerror(code)))")
            }
            threads.append(thread)
        }
    }

    deinit { end() }

    private func end() {
        shared.close()
        for thread in threads { pthread_join(thread, nil) }
        threads = []
    }

    /// Runs the part of every thread, and returns when all are done and have released it.
    func run(_ part: @escaping Part) { shared.run(part) }

    private final class Member: Sendable {
        let number: Int
        let shared: Shared

        init(_ number: Int, _ shared: Shared) { (self.number, self.shared) = (number, shared) }
    }

    /// The state that the threads share; not `pthread_barrier_t`, which a failed start could not release.
    private final class Shared: Sendable {
        private struct State {
            var part: Part?
            var run = 0
            /// Threads, besides the caller's, that have not finished the run.
            var runningCount = 0
            var isClosed = false
        }

        private let size: Int
        private let onWaking: Part
        private let state = Monitor(State())
        private let awakeCount = Atomic(0)

        /// How often a thread checks whether all are awake before it yields: about 10 µs.
        private static let maxSpins = 4096

        init(size: Int, _ onWaking: @escaping Part) { (self.size, self.onWaking) = (size, onWaking) }

        func run(_ part: @escaping Part) {
            let run = state.withLock { state in
                state.part = part
                state.run += 1
                state.runningCount = size - 1
                return state.run
            }
            state.wakeAll()
            execute(part, 0, run)
            state.wait { state -> Void? in
                guard state.runningCount == 0 else { return nil }
                state.part = nil
                return ()
            }
        }

        func work(as number: Int) {
            var done = 0
            while executeNext(number, after: &done) {
                let isLast = state.withLock { state in
                    state.runningCount -= 1
                    return state.runningCount == 0
                }
                if isLast { state.wakeAll() }
            }
        }

        /// A function of its own, so that the part is released before the thread counts as done.
        private func executeNext(_ number: Int, after done: inout Int) -> Bool {
            let last = done
            let next = state.wait { state -> (part: Part, run: Int)?? in
                if state.isClosed { return .some(nil) }
                guard state.run != last, let part = state.part else { return nil }
                return (part, state.run)
            }
            guard let next else { return false }
            done = next.run
            execute(next.part, number, next.run)
            return true
        }

        /// Spins until all threads are awake, then runs the part; yields after a while, for machines with fewer processors.
        private func execute(_ part: Part, _ number: Int, _ run: Int) {
            onWaking(number)
            awakeCount.add(1, ordering: .acquiringAndReleasing)
            var spins = 0
            while awakeCount.load(ordering: .acquiring) < size * run {
                spins += 1
                if spins > Self.maxSpins { sched_yield() }
            }
            part(number)
        }

        func close() {
            state.withLock { $0.isClosed = true }
            state.wakeAll()
        }
    }
}

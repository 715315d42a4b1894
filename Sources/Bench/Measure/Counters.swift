internal import Glibc
internal import SpyglassCBench

/// What the processor counts of this program's own code (`perf_event_open`): of the thread that made it, and of the threads that
/// it starts from then on.
package final class Counters {
    /// Counts since a start that does not matter.
    struct Counts: Hashable, Sendable {
        var instructions: UInt64
        var cycles: UInt64
    }

    private var handle: sg_bench_counters

    /// Why nothing is counted here, in the system's words.
    package struct Refusal: Error, Hashable, Sendable {
        package let reason: String
    }

    /// Opens them for the calling thread.
    ///
    /// - Throws: `Refusal`, where the system does not let this process count, or the processor does not.
    package init() throws(Refusal) {
        var handle = sg_bench_counters()
        let code = sg_bench_counters_open(&handle)
        guard code == 0 else { throw Refusal(reason: String(cString: strerror(code))) }
        self.handle = handle
    }

    deinit { sg_bench_counters_close(&handle) }

    /// What was counted so far; `nil` when nothing was.
    func read() -> Counts? {
        var counts = sg_bench_counts()
        guard sg_bench_counters_read(&handle, &counts) else { return nil }
        return Counts(instructions: counts.instructions, cycles: counts.cycles)
    }
}

internal import Glibc
internal import SpyglassCBench

/// What the processor counts of this program's own code (`perf_event_open`): of the thread that made it, and of the threads that
/// it starts from then on.
package final class Counters {
    /// What was counted up to one moment.
    struct Counts: Hashable, Sendable {
        var instructions: Count
        var cycles: Count
    }

    /// What one counter counted up to one moment.
    ///
    /// The processor has fewer places than there may be counters; where they take turns, a counter runs for a part of the time only.
    struct Count: Hashable, Sendable {
        var value: UInt64
        /// Nanoseconds for which it was wanted.
        var enabled: UInt64
        /// Nanoseconds for which it counted.
        var running: UInt64

        /// What was counted since an earlier moment, scaled up to the time for which it was wanted.
        ///
        /// `nil` when it never ran in between.
        /// Totals must not be scaled before they are subtracted: their shares differ, and the later one may come out smaller.
        func since(_ earlier: Count) -> Double? {
            guard running > earlier.running, enabled >= earlier.enabled, value >= earlier.value else { return nil }
            let share = Double(enabled - earlier.enabled) / Double(running - earlier.running)
            // Both times are read one after the other, and may differ a little where the counter always ran.
            return Double(value - earlier.value) * max(share, 1)
        }
    }

    private var handle: sg_bench_counters

    /// Opens them for the calling thread.
    ///
    /// - Throws: `BenchError` with the system's message, where the system does not let this process count, or the processor does not.
    package init() throws(BenchError) {
        var handle = sg_bench_counters()
        let code = sg_bench_counters_open(&handle)
        guard code == 0 else { throw BenchError(String(cString: strerror(code))) }
        self.handle = handle
    }

    deinit { sg_bench_counters_close(&handle) }

    /// What was counted so far; `nil` when it cannot be read.
    func read() -> Counts? {
        var counts = sg_bench_counts()
        guard sg_bench_counters_read(&handle, &counts) else { return nil }
        return Counts(instructions: Count(counts.instructions), cycles: Count(counts.cycles))
    }
}

extension Counters.Count {
    fileprivate init(_ count: sg_bench_count) {
        self.init(value: count.value, enabled: count.enabled, running: count.running)
    }
}

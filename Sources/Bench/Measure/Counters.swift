internal import Glibc
internal import SpyglassCBench

/// Counts user-space code of this thread and those it starts (`perf_event_open`).
package final class Counters {
    package struct Counts: Hashable, Sendable {
        var instructions: Count
        var cycles: Count
    }

    /// One counter, which runs only part of the time where the processor has too few.
    struct Count: Hashable, Sendable {
        var value: UInt64
        /// Nanoseconds since it was enabled.
        var enabled: UInt64
        /// Nanoseconds during which it counted.
        var running: UInt64

        /// The count since an earlier moment; `nil` if it never ran in between.
        ///
        /// Scaling totals before subtracting would be wrong: their shares differ.
        func since(_ earlier: Count) -> Double? {
            guard running > earlier.running, enabled >= earlier.enabled, value >= earlier.value else { return nil }
            let share = Double(enabled - earlier.enabled) / Double(running - earlier.running)
            // The two times are read one after the other, so that they may differ slightly.
            return Double(value - earlier.value) * max(share, 1)
        }
    }

    private var handle: sg_bench_counters

    package init() throws(BenchError) {
        var handle = sg_bench_counters()
        let code = sg_bench_counters_open(&handle)
        guard code == 0 else { throw BenchError(String(cString: strerror(code))) }
        self.handle = handle
    }

    deinit { sg_bench_counters_close(&handle) }

    package func read() -> Counts? {
        var counts = sg_bench_counts()
        guard sg_bench_counters_read(&handle, &counts) else { return nil }
        func count(_ found: sg_bench_count) -> Count {
            Count(value: found.value, enabled: found.enabled, running: found.running)
        }
        return Counts(instructions: count(counts.instructions), cycles: count(counts.cycles))
    }
}

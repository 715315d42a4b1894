internal import SpyglassCaching
internal import SpyglassFetching

/// The part of a batch that one process runs, by the FNV-1a 64 hash of an item's id modulo the count.
package struct Shard: Hashable, Sendable {
    package let index: Int
    package let count: Int
    /// The count, for engines that do not set one; for Kubernetes it must be the Job's `completions`.
    package static let countVariable = "SPYGLASS_SHARDS"
    private static let countLimit = 1_000_000

    /// Parses `I/N`, or `auto` for the variables of Kubernetes (which sets no count: see `countVariable`), AWS Batch or Slurm.
    package init(parsing text: String, environment: (String) -> String?) throws(BatchError) {
        guard text != "auto" else {
            self = try Self.ofEngine(environment)
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = Self.number(parts[0]), let count = Self.number(parts[1]) else {
            throw BatchError(.usage, "\(text.quoted) is not a shard; use I/N, such as 0/8, or auto")
        }
        try self.init(index, of: count)
    }

    private init(_ index: Int, of count: Int) throws(BatchError) {
        guard (1...Self.countLimit).contains(count) else {
            throw BatchError(.usage, "\(count) shards; use 1 to \(Self.countLimit)")
        }
        guard index < count else {
            throw BatchError(.usage, "no shard \(index) of \(count): shards count from 0 to \(count - 1)")
        }
        self.index = index
        self.count = count
    }

    package func contains(_ id: String) -> Bool { FNV1a.hash(id) % UInt64(count) == UInt64(index) }

    private static func number(_ text: some StringProtocol) -> Int? {
        (1...9).contains(text.utf8.count) ? text.decimal : nil
    }

    private static func ofEngine(_ environment: (String) -> String?) throws(BatchError) -> Shard {
        func value(_ name: String) throws(BatchError) -> Int? {
            guard let text = environment(name), !text.isEmpty else { return nil }
            guard let value = number(text) else {
                throw BatchError(.usage, "the variable \(name) is not a number: \(text.quoted)")
            }
            return value
        }
        func required(_ name: String, _ why: String) throws(BatchError) -> Int {
            guard let value = try value(name) else {
                throw BatchError(.usage, "--shard auto needs the variable \(name): \(why)")
            }
            return value
        }
        if let index = try value("JOB_COMPLETION_INDEX") {
            let why = "the Job's completions, which Kubernetes does not set"
            return try Shard(index, of: required(countVariable, why))
        }
        if let index = try value("AWS_BATCH_JOB_ARRAY_INDEX") {
            let size = try value("AWS_BATCH_JOB_ARRAY_SIZE")
            if let size { return try Shard(index, of: size) }
            return try Shard(
                index, of: required(countVariable, "the array's size, which AWS_BATCH_JOB_ARRAY_SIZE lacks"))
        }
        if let task = try value("SLURM_ARRAY_TASK_ID") {
            let first = try required("SLURM_ARRAY_TASK_MIN", "the first task's number")
            let last = try required("SLURM_ARRAY_TASK_MAX", "the last task's number")
            let count = try required("SLURM_ARRAY_TASK_COUNT", "the number of tasks")
            let step = max(1, try value("SLURM_ARRAY_TASK_STEP") ?? 1)
            // The index of a task of --array=1,5,7 is unknown.
            guard task >= first, task <= last, (task - first) % step == 0, (last - first) / step + 1 == count else {
                throw BatchError(.usage, "--shard auto needs a regular Slurm array, such as --array=0-7")
            }
            return try Shard((task - first) / step, of: count)
        }
        throw BatchError(
            .usage,
            "--shard auto needs one of JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX and SLURM_ARRAY_TASK_ID;"
                + " or use --shard I/N")
    }
}

internal import SpyglassCaching

/// One part of a batch of which each machine does another: part `index` of `count`.
///
/// An item's part follows from its id alone (FNV-1a 64 of the UTF-8, modulo the count), so that it stays the same whatever else the batch
/// holds and in whatever order.
package struct Shard: Hashable, Sendable {
    /// From 0, below `count`.
    package let index: Int
    /// At least 1.
    package let count: Int

    /// The variable that says how many parts there are where the engine does not.
    package static let countVariable = "SPYGLASS_SHARDS"
    /// More parts than any engine starts.
    private static let countLimit = 1_000_000

    /// Reads `I/N`, or `auto` for what the engine's variables say.
    ///
    /// `auto` looks for Kubernetes' `JOB_COMPLETION_INDEX`, AWS Batch's `AWS_BATCH_JOB_ARRAY_INDEX` and Slurm's `SLURM_ARRAY_TASK_ID`, in this
    /// order. AWS and Slurm say how many there are; an indexed Job does not, so `SPYGLASS_SHARDS` must hold its `completions`.
    ///
    /// - Throws: `BatchError` of kind `usage`, which names what is missing.
    package init(parsing text: String, environment: (String) -> String?) throws(BatchError) {
        guard text != "auto" else {
            self = try Self.ofEngine(environment)
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = Self.number(parts[0]), let count = Self.number(parts[1]) else {
            throw BatchError(.usage, "a shard is I/N, as in 0/8, or auto; \(text.quoted) is neither")
        }
        try self.init(index, of: count)
    }

    private init(_ index: Int, of count: Int) throws(BatchError) {
        guard (1...Self.countLimit).contains(count) else {
            throw BatchError(.usage, "there are 1 to \(Self.countLimit) shards, not \(count)")
        }
        guard index < count else {
            throw BatchError(
                .usage, "of \(count) shards the last is \(count - 1): they count from 0; there is no \(index)")
        }
        self.index = index
        self.count = count
    }

    /// Whether an item belongs to this part.
    package func takes(_ id: String) -> Bool { FNV1a.hash(id) % UInt64(count) == UInt64(index) }

    private static func number(_ text: some StringProtocol) -> Int? {
        guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    private static func ofEngine(_ environment: (String) -> String?) throws(BatchError) -> Shard {
        func given(_ name: String) throws(BatchError) -> Int? {
            guard let text = environment(name), !text.isEmpty else { return nil }
            guard let value = number(text) else {
                throw BatchError(.usage, "the variable \(name) is \(text.quoted), which is no number")
            }
            return value
        }
        func needed(_ name: String, _ why: String) throws(BatchError) -> Int {
            guard let value = try given(name) else {
                throw BatchError(.usage, "--shard auto needs the variable \(name): \(why)")
            }
            return value
        }
        if let index = try given("JOB_COMPLETION_INDEX") {
            let why = "the Job's completions, which Kubernetes tells no container"
            return try Shard(index, of: needed(countVariable, why))
        }
        if let index = try given("AWS_BATCH_JOB_ARRAY_INDEX") {
            let size = try given("AWS_BATCH_JOB_ARRAY_SIZE")
            if let size { return try Shard(index, of: size) }
            return try Shard(
                index, of: needed(countVariable, "the array's size, which AWS_BATCH_JOB_ARRAY_SIZE does not say"))
        }
        if let task = try given("SLURM_ARRAY_TASK_ID") {
            let first = try needed("SLURM_ARRAY_TASK_MIN", "the first task's number")
            let last = try needed("SLURM_ARRAY_TASK_MAX", "the last task's number")
            let count = try needed("SLURM_ARRAY_TASK_COUNT", "how many tasks there are")
            let step = max(1, try given("SLURM_ARRAY_TASK_STEP") ?? 1)
            // Of --array=1,5,7 nobody but Slurm knows which task is the second.
            guard task >= first, task <= last, (task - first) % step == 0, (last - first) / step + 1 == count else {
                throw BatchError(.usage, "--shard auto needs an even Slurm array, such as --array=0-7")
            }
            return try Shard((task - first) / step, of: count)
        }
        throw BatchError(
            .usage,
            "--shard auto finds none of the variables JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX and SLURM_ARRAY_TASK_ID;"
                + " write --shard I/N")
    }
}

import SpyglassFetching
import Testing

@testable import SpyglassBatch

@Suite("Shard")
struct ShardTests {
    @Test("Every id belongs to one shard")
    func partition() throws {
        for count in [1, 2, 7, 64] {
            let shards = try (0..<count).map { try Shard(parsing: "\($0)/\(count)") { _ in nil } }
            for id in (0..<200).map({ "photo \($0)" }) { #expect(shards.filter { $0.contains(id) }.count == 1) }
            #expect(shards.allSatisfy { shard in (0..<1000).contains { shard.contains("\($0)") } })
        }
    }

    @Test("An id's shard is FNV-1a 64 of its UTF-8, on every machine")
    func stable() throws {
        // The published value of "foobar" is 85944171f73967e8.
        let hash: UInt64 = 0x8594_4171_f739_67e8
        #expect(try Shard(parsing: "\(hash % 1000)/1000") { _ in nil }.contains("foobar"))
    }

    @Test(
        "Other texts are rejected",
        arguments: [
            "", "1", "/", "1/", "/2", "2/2", "0/0", "-1/2", "+1/2", "1/2/3", "a/b", "0/1000001", " 0/1", "٠/١", "Auto",
        ])
    func refused(_ text: String) {
        #expect(batchError { try Shard(parsing: text) { _ in "0" } }?.kind == .usage)
    }

    @Test(
        "auto uses the engine's variables",
        arguments: [
            (["JOB_COMPLETION_INDEX": "3", "SPYGLASS_SHARDS": "8"], "3/8"),
            (["AWS_BATCH_JOB_ARRAY_INDEX": "0", "AWS_BATCH_JOB_ARRAY_SIZE": "5"], "0/5"),
            (["AWS_BATCH_JOB_ARRAY_INDEX": "4", "SPYGLASS_SHARDS": "5"], "4/5"),
            (
                [
                    "SLURM_ARRAY_TASK_ID": "12", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_MAX": "13",
                    "SLURM_ARRAY_TASK_COUNT": "4",
                ], "2/4"
            ),
            (
                [
                    "SLURM_ARRAY_TASK_ID": "20", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "30",
                    "SLURM_ARRAY_TASK_COUNT": "4",
                    "SLURM_ARRAY_TASK_STEP": "10",
                ], "2/4"
            ),
        ])
    func engines(_ variables: [String: String], _ expected: String) throws {
        #expect(try Shard(parsing: "auto") { variables[$0] } == Shard(parsing: expected) { _ in nil })
    }

    @Test(
        "A missing variable is named",
        arguments: [
            ([:], "JOB_COMPLETION_INDEX"), (["JOB_COMPLETION_INDEX": "3"], "SPYGLASS_SHARDS"),
            (["JOB_COMPLETION_INDEX": ""], "SLURM_ARRAY_TASK_ID"),
            (["JOB_COMPLETION_INDEX": "x", "SPYGLASS_SHARDS": "8"], "JOB_COMPLETION_INDEX"),
            (["JOB_COMPLETION_INDEX": "8", "SPYGLASS_SHARDS": "8"], "8"),
            (["AWS_BATCH_JOB_ARRAY_INDEX": "3"], "AWS_BATCH_JOB_ARRAY_SIZE"),
            (["SLURM_ARRAY_TASK_ID": "3"], "SLURM_ARRAY_TASK_MIN"),
            (
                [
                    "SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "7",
                    "SLURM_ARRAY_TASK_COUNT": "3",
                ], "regular"
            ),
        ])
    func missing(_ variables: [String: String], _ named: String) {
        let error = batchError { try Shard(parsing: "auto") { variables[$0] } }
        #expect(error?.kind == .usage && error?.reason.containsBytes(of: named) == true)
    }
}

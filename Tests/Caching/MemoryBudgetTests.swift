import SpyglassCaching
import SpyglassTestSupport
import Testing

@Suite("MemoryBudget")
struct MemoryBudgetTests {
    @Test(
        "The smallest limit of a process's control groups, of either version, and of the machine's memory counts",
        arguments: [
            ([:], 8 << 30),
            (["proc/self/cgroup": "0::/user.slice/job\n", "user.slice/job/memory.max": "1073741824\n"], 1 << 30),
            (
                [
                    "proc/self/cgroup": "0::/a/b/c\n", "a/memory.max": "300000000\n", "a/b/memory.max": "200000000\n",
                    "a/b/c/memory.max": "max\n",
                ], 200_000_000
            ),
            // Above this limit the kernel slows a group down.
            (
                ["proc/self/cgroup": "0::/a\n", "a/memory.max": "300000000\n", "a/memory.high": "250000000\n"],
                250_000_000
            ),
            (
                [
                    "proc/self/cgroup": "12:cpu,cpuacct:/x\n4:memory:/docker/abc\n1:name=systemd:/x\n",
                    "memory/memory.limit_in_bytes": "9223372036854771712\n",
                    "memory/docker/memory.limit_in_bytes": "500000000\n",
                    "memory/docker/abc/memory.limit_in_bytes": "600000000\n",
                ], 500_000_000
            ),
            (
                [
                    "proc/self/cgroup": "4:memory:/\n0::/\n",
                    "memory/memory.limit_in_bytes": "9223372036854771712\n", "memory.max": "17179869184\n",
                ], 8 << 30
            ),
            (
                [
                    "proc/self/cgroup": "4:memory:/a\n0::/a\n", "memory/a/memory.limit_in_bytes": "500000000\n",
                    "unified/a/memory.max": "400000000\n",
                ], 400_000_000
            ),
            // A path that leaves the mount is not followed.
            (["proc/self/cgroup": "0::/../../proc\n", "proc/memory.max": "1\n", "x": ""], 8 << 30),
        ] as [([String: String], Int)])
    func limits(files: [String: String], bytes: Int) throws {
        var all = ["proc/meminfo": Self.machineOf8GiB]
        for (name, text) in files { all[name.hasPrefix("proc/") ? name : "sys/fs/cgroup/\(name)"] = text }
        #expect(try Self.budget(all) == bytes)
    }

    @Test(
        "In a container the mounted group counts, whatever its outer path",
        arguments: ["0::/\n", "0::/kubepods/pod1/abc\n", "0::/../../abc\n", "0::/a:b\n"])
    func container(groups: String) throws {
        let budget = try Self.budget(["proc/self/cgroup": groups, "sys/fs/cgroup/memory.max": "134217728\n"])
        #expect(budget == 128 << 20)
    }

    @Test(
        "A value that is not a number is ignored",
        arguments: ["max\n", "", "\n", "-1\n", "99999999999999999999999\n", "12 MB\n", "\u{0}", "0x10\n"])
    func nonsense(limit: String) throws {
        let budget = try Self.budget([
            "proc/meminfo": Self.machineOf8GiB, "proc/self/cgroup": "0::/\nnonsense\n::\n",
            "sys/fs/cgroup/memory.max": limit,
        ])
        #expect(budget == 8 << 30)
    }

    @Test(
        "Without readable files, 512 MiB are assumed",
        arguments: ["", "MemTotal:\n", "MemTotal: 9223372036854775807 kB\n"])
    func nothing(meminfo: String) throws { #expect(try Self.budget(["proc/meminfo": meminfo]) == 512 << 20) }

    @Test("A cache gets a twentieth: 16 to 256 MiB, and at most a quarter")
    func cacheBytes() {
        let sizes = [2 << 30, 100 << 20, 64 << 30, 32 << 20, 0, -1].map { MemoryBudget(bytes: $0).cacheBytes }
        #expect(sizes == [(2 << 30) / 20, 16 << 20, 256 << 20, 8 << 20, 0, 0])
    }

    @Test("The budget of this process is known")
    func thisProcess() {
        #expect(MemoryBudget.current().bytes > 0)
        #expect(MemoryCache<Int, Int> { $0 }.totalCostLimit == MemoryBudget.current().cacheBytes)
    }

    private static let machineOf8GiB = "MemTotal:        8388608 kB\nMemFree:         1000000 kB\n"

    private static func budget(_ files: [String: String]) throws -> Int {
        let root = try TemporaryFolder()
        for (name, text) in files { try root.write(name, text) }
        return MemoryBudget.current(root: root.path).bytes
    }
}

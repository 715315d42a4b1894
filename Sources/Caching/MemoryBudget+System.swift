internal import Glibc

extension MemoryBudget {
    /// The budget by the files of the kernel: the smallest limit of this process's control groups and all groups around them, or the
    /// machine's memory where none is smaller.
    ///
    /// What cannot be read or understood is no limit; 512 MiB are assumed where nothing at all can be read. Reads about ten small files,
    /// which takes a tenth of a millisecond.
    ///
    /// - Parameter root: the root of the file system: a folder of a test, or the real one.
    /// - Returns: the budget, as it is now.
    public static func current(root: String = "") -> MemoryBudget {
        let limits = groupLimits(root) + [machineMemory(root)].compactMap { $0 }
        return limits.min().map(MemoryBudget.init(bytes:)) ?? unknown
    }

    /// Where nothing says how much there is: what the smallest hosted machines have.
    private static var unknown: MemoryBudget { MemoryBudget(bytes: 512 << 20) }

    /// `MemTotal` of proc_meminfo(5), in bytes.
    private static func machineMemory(_ root: String) -> Int? {
        guard let line = lines("\(root)/proc/meminfo").first(where: { $0.hasPrefix("MemTotal:") }),
            let kibibytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        let (bytes, overflows) = kibibytes.multipliedReportingOverflow(by: 1024)
        return overflows ? nil : bytes
    }

    /// Every limit that proc_pid_cgroup(5) leads to.
    private static func groupLimits(_ root: String) -> [Int] {
        lines("\(root)/proc/self/cgroup").flatMap { line -> [Int] in
            // hierarchy:controllers:path, and a path may contain colons.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return [] }
            if fields[0] == "0", fields[1].isEmpty {
                // `memory.high` counts too: the kernel slows down whatever is above it. `unified` is where version 2 stands beside 1.
                return ["", "/unified"].flatMap {
                    limits("\(root)/sys/fs/cgroup\($0)", fields[2], files: ["memory.max", "memory.high"])
                }
            }
            guard fields[1].split(separator: ",").contains("memory") else { return [] }
            return limits("\(root)/sys/fs/cgroup/memory", fields[2], files: ["memory.limit_in_bytes"])
        }
    }

    /// The limits of a group and of those around it, up to what is mounted.
    ///
    /// In a container the path may be the host's while the container's own group is what is mounted: groups that are not there have no limit, and
    /// the outermost one is always asked.
    private static func limits(_ mount: String, _ path: Substring, files: [String]) -> [Int] {
        var folders = [mount]
        let names = path.split(separator: "/")
        // A path outside the namespace (cgroup_namespaces(7)) starts with these, and nothing below the mount is meant.
        if !names.contains("..") {
            for name in names { folders.append("\(folders.last ?? mount)/\(name)") }
        }
        // `max` and what else is no number is no limit.
        return folders.flatMap { folder in
            files.compactMap { file in lines("\(folder)/\(file)").first.flatMap { Int($0) } }
        }
        .filter { $0 >= 0 }
    }

    /// The lines of a small text file; none where it cannot be read.
    private static func lines(_ path: String) -> [Substring] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        // A group's path is 4,096 bytes at most (PATH_MAX), once for each of some fifteen hierarchies.
        let text = String(unsafeUninitializedCapacity: 64 << 10) { buffer in
            var count = 0
            while count < buffer.count {
                let part = read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
                if part < 0, errno == EINTR { continue }
                guard part > 0 else { break }
                count += part
            }
            return count
        }
        return text.split(separator: "\n")
    }
}

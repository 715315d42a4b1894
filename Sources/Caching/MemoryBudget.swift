internal import SpyglassFiles

/// The memory that this process may use: the limit of its control groups or of its address space, or the machine's memory.
///
///     MemoryBudget.current().cacheBytes
///
/// Includes control groups of version 1 and 2 and nested ones (cgroup-v1/memory.rst and cgroup-v2.rst): a container above its limit
/// is killed.
package struct MemoryBudget: Hashable, Sendable {
    package let bytes: Int

    /// A budget in bytes; negative counts as zero.
    package init(bytes: Int) { self.bytes = max(0, bytes) }

    /// Size of a memory cache: 5 % of the budget, from 16 to 256 MiB, at most a quarter of the budget.
    ///
    /// 16 MiB are four screens of 1024x1024 pixels, 256 MiB eight of 3840x2160.
    package var cacheBytes: Int { min(max(bytes / 20, Self.minCacheBytes), Self.maxCacheBytes, bytes / 4) }
    /// Maximum of decoders and bodies in flight together: a quarter.
    package var workBytes: Int { bytes / 4 }
    private static let minCacheBytes = 16 << 20
    private static let maxCacheBytes = 256 << 20
}

extension MemoryBudget {
    /// Returns the smallest limit of this process's control groups, of those around them and of its address space (`RLIMIT_AS`), or the
    /// machine's memory.
    ///
    /// Unreadable files do not limit; without any, 512 MiB are assumed. Reads ten small files in 0.1 ms.
    ///
    /// - Parameter root: the root of the file system, or a test's folder.
    /// - Returns: the current budget.
    package static func current(root: String = "") -> MemoryBudget {
        let limits = groupLimits(root) + [SystemMemory.addressSpace, machineMemory(root)].compactMap { $0 }
        // Else the memory of the smallest hosted machines.
        return MemoryBudget(bytes: limits.min() ?? 512 << 20)
    }

    /// `MemTotal` of proc_meminfo(5), in bytes.
    private static func machineMemory(_ root: String) -> Int? {
        guard let line = lines("\(root)/proc/meminfo").first(where: { $0.hasPrefix("MemTotal:") }),
            let kibibytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        let (bytes, overflows) = kibibytes.multipliedReportingOverflow(by: 1024)
        return overflows ? nil : bytes
    }

    private static func groupLimits(_ root: String) -> [Int] {
        lines("\(root)/proc/self/cgroup").flatMap { line -> [Int] in
            // hierarchy:controllers:path; a path may contain colons.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return [] }
            if fields[0] == "0", fields[1].isEmpty {
                // The kernel throttles processes above `memory.high`. `unified` has version 2 where version 1 is mounted, too.
                return ["", "/unified"].flatMap {
                    limits("\(root)/sys/fs/cgroup\($0)", fields[2], files: ["memory.max", "memory.high"])
                }
            }
            guard fields[1].split(separator: ",").contains("memory") else { return [] }
            return limits("\(root)/sys/fs/cgroup/memory", fields[2], files: ["memory.limit_in_bytes"])
        }
    }

    /// Missing groups do not limit: in a container the path may be the host's, so the mount is always checked.
    private static func limits(_ mount: String, _ path: Substring, files: [String]) -> [Int] {
        var folders = [mount]
        let names = path.split(separator: "/")
        // A path outside the namespace starts with `..` (cgroup_namespaces(7)).
        if !names.contains("..") { for name in names { folders.append("\(folders.last ?? mount)/\(name)") } }
        // `max` is unlimited.
        return folders.flatMap { folder in
            files.compactMap { file in lines("\(folder)/\(file)").first.flatMap { Int($0) } }
        }
        .filter { $0 >= 0 }
    }

    private static func lines(_ path: String) -> [Substring] {
        // A path has at most 4,096 bytes (PATH_MAX), in each of some fifteen hierarchies.
        let bytes = (try? Folder.working.read(path, limit: 64 << 10)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
}

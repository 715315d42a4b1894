public import Glibc

/// What the kernel says of the process that the tests run in (proc(5)).
public enum ThisProcess {
    /// How many descriptors are open, one for the look at them included.
    public static var descriptorCount: Int { names(in: "/proc/self/fd").count }

    /// Whether there is a thread of a name, of which the kernel keeps 15 bytes.
    public static func hasThread(named name: String) -> Bool {
        names(in: "/proc/self/task").contains { thread in
            // One that has ended meanwhile has no file.
            guard let file = fopen("/proc/self/task/\(thread)/comm", "r") else { return false }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 32)
            guard fgets(&line, 31, file) != nil else { return false }
            return line.prefix { $0 != 0 }.elementsEqual("\(name)\n".utf8CString.dropLast())
        }
    }

    /// Closes, in a process that is begun with these actions, whatever is open here now, whoever opened it.
    ///
    /// To close what has been closed meanwhile is no mistake (`posix_spawn`).
    public static func closeDescriptors(above last: Int32, in actions: inout posix_spawn_file_actions_t) {
        for descriptor in names(in: "/proc/self/fd").compactMap({ Int32($0) }) where descriptor > last {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
    }

    private static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}

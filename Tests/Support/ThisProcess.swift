public import Glibc

/// The process of the tests, by proc(5).
public enum ThisProcess {
    /// The number of open descriptors, including one for this query.
    public static var descriptorCount: Int { TestData.names(in: "/proc/self/fd").count }

    /// The path of a program of this package, which is next to the tests; `nil` if it is not built.
    public static func program(_ name: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard readlink("/proc/self/exe", &buffer, buffer.count - 1) > 0 else { return nil }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        var parts = String(decoding: bytes, as: UTF8.self).split(separator: "/", omittingEmptySubsequences: false)
        parts[parts.count - 1] = Substring(name)
        let path = parts.joined(separator: "/")
        return TestData.exists(path) ? path : nil
    }

    /// Whether a thread has this name, of which the kernel keeps 15 bytes.
    public static func hasThread(named name: String) -> Bool {
        TestData.names(in: "/proc/self/task").contains { thread in
            // The thread may have ended.
            guard let file = fopen("/proc/self/task/\(thread)/comm", "r") else { return false }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 32)
            guard fgets(&line, 31, file) != nil else { return false }
            return line.prefix { $0 != 0 }.elementsEqual("\(name)\n".utf8CString.dropLast())
        }
    }

    /// Closes all current descriptors above `last` in a process spawned with these actions.
    ///
    /// Closing a closed descriptor is not an error (`posix_spawn`).
    public static func closeDescriptors(above last: Int32, in actions: inout posix_spawn_file_actions_t) {
        for descriptor in TestData.names(in: "/proc/self/fd").compactMap({ Int32($0) }) where descriptor > last {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
    }
}

internal import Glibc

/// A file named `.spyglass-<pid>-<n>.tmp`, locked (`flock`) while it is open.
///
/// Killed processes leave theirs unlocked, and `sweep` removes them.
package struct TemporaryFile: ~Copyable, Sendable {
    package let file: FileDescriptor
    package let name: String

    package static let prefix = ".spyglass-"
    private static let suffix = ".tmp"
    private static let maxTries = 100

    package static func newName() -> String {
        "\(prefix)\(getpid())-\(UInt64.random(in: 0...UInt64.max))\(suffix)"
    }

    /// `nil` if the name is taken or a sweep was faster than the lock.
    package static func create(
        _ name: String, in folder: borrowing Folder, permissions: UInt32 = 0o666
    ) throws(FileError) -> TemporaryFile? {
        let file: FileDescriptor
        do throws(FileError) {
            file = try folder.open(name, O_WRONLY | O_CREAT | O_EXCL, permissions: permissions)
        } catch {
            guard error.code == EEXIST else { throw error }
            return nil
        }
        // Without locks the process number decides.
        guard file.lock() != .isHeldElsewhere, try file.status.linkCount > 0 else { return nil }
        return TemporaryFile(file: file, name: name)
    }

    /// Creates a file in the folder of `path`.
    package static func create(
        in folder: borrowing Folder, beside path: String = "", permissions: UInt32 = 0o666
    ) throws(FileError) -> TemporaryFile {
        let prefix = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
        for _ in 0..<maxTries {
            if let made = try create(prefix + newName(), in: folder, permissions: permissions) { return made }
        }
        throw FileError("openat", path, code: EEXIST)
    }

    /// Tells whether the folder can be written, and the file system's time (`changed`).
    @discardableResult
    package static func probe(_ folder: borrowing Folder, beside path: String = "") throws(FileError) -> FileStatus {
        let made = try create(in: folder, beside: path)
        defer { try? folder.remove(made.name) }
        return try made.file.status
    }

    /// What cannot be listed or removed stays.
    package static func sweep(_ folder: borrowing Folder) {
        var found: [(name: String, process: pid_t)] = []
        try? folder.forEachEntry { bytes, _ in
            // Most names differ, and need no String.
            guard bytes.starts(with: prefix.utf8) else { return true }
            let name = String(decoding: bytes, as: UTF8.self)
            if let process = process(of: name) { found.append((name, process)) }
            return true
        }
        for (name, process) in found {
            guard let file = try? folder.open(name, O_RDWR | O_NONBLOCK), (try? file.status.isRegular) == true
            else { continue }
            let isAbandoned =
                switch file.lock() {
                case .locked: true
                case .isHeldElsewhere: false
                case .unsupported: kill(process, 0) != 0 && errno == ESRCH
                }
            if isAbandoned { try? folder.remove(name) }
        }
    }

    /// `nil` for other names.
    static func process(of name: String) -> pid_t? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let parts = name.dropFirst(prefix.count).dropLast(suffix.count).split(
            separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let process = pid_t(parts[0]), process > 0, UInt64(parts[1]) != nil else { return nil }
        return process
    }
}

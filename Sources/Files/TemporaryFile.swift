internal import Glibc

/// A file named `.spyglass-<pid>-<n>.tmp`, locked (`flock`) while it is open; `sweep` removes those of killed processes.
package struct TemporaryFile: ~Copyable, Sendable {
    package let file: FileDescriptor
    package let name: String

    package static let prefix = ".spyglass-"
    private static let suffix = ".tmp"
    private static let maxTries = 100

    package static func newName() -> String { "\(prefix)\(getpid())-\(UInt64.random(in: 0...UInt64.max))\(suffix)" }

    /// `nil` if the name is taken or a sweep was faster than the lock; tests pass a status that fails.
    package static func create(
        _ name: String, in folder: borrowing Folder, permissions: UInt32 = 0o666,
        status: (borrowing FileDescriptor) throws(FileError) -> FileStatus = { file throws(FileError) in
            try file.status
        }
    ) throws(FileError) -> TemporaryFile? {
        let file: FileDescriptor
        do throws(FileError) {
            file = try folder.open(name, [.write, .create, .exclusive], permissions: permissions)
        } catch {
            guard error.code == EEXIST else { throw error }
            return nil
        }
        // Without locks the age decides.
        guard file.lock() != .isHeldElsewhere else { return nil }
        do throws(FileError) {
            return try status(file).linkCount > 0 ? TemporaryFile(file: file, name: name) : nil
        } catch {
            try? folder.remove(name)
            throw error
        }
    }

    package static func create(
        in folder: borrowing Folder, beside path: String = "", permissions: UInt32 = 0o666
    ) throws(FileError) -> TemporaryFile {
        let prefix = folderPrefix(of: path)
        for _ in 0..<maxTries {
            if let made = try create(prefix + newName(), in: folder, permissions: permissions) { return made }
        }
        throw FileError("openat", path, code: EEXIST)
    }

    /// A file for reading and writing that has lost its name, so that it ends with its descriptor.
    package static func unnamed(in folder: borrowing Folder) throws(FileError) -> FileDescriptor {
        let name = newName()
        let file = try folder.open(name, [.readAndWrite, .create, .exclusive], permissions: 0o600)
        // Another process that sweeps the folder may have removed it.
        do throws(FileError) { try folder.remove(name) } catch  where error.code == ENOENT {}
        return file
    }

    /// Tells whether the folder can be written, and the file system's time (`changed`).
    @discardableResult
    package static func probe(_ folder: borrowing Folder, beside path: String = "") throws(FileError) -> FileStatus {
        let made = try create(in: folder, beside: path)
        defer { try? folder.remove(made.name) }
        return try made.file.status
    }

    /// Up to the last slash; empty for the working folder.
    private static func folderPrefix(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
    }

    package static func sweep(beside path: String) {
        let prefix = folderPrefix(of: path)
        if let folder = try? Folder(opening: prefix.isEmpty ? "." : prefix) { sweep(folder) }
    }

    /// Without locks, removes what has not changed for a day: its process may run on another machine; tests pass such a `lock`.
    package static func sweep(
        _ folder: borrowing Folder, lock: (borrowing FileDescriptor) -> FileDescriptor.LockOutcome = { $0.lock() }
    ) {
        var found: [String] = []
        try? folder.forEachEntry { bytes, _ in
            // Most names differ, and need no String.
            guard bytes.starts(with: prefix.utf8) else { return true }
            let name = String(decoding: bytes, as: UTF8.self)
            if isTemporary(name) { found.append(name) }
            return true
        }
        for name in found {
            guard let file = try? folder.open(name, [.readAndWrite, .nonBlocking]), let status = try? file.status,
                status.isRegular
            else { continue }
            let isAbandoned =
                switch lock(file) {
                case .locked: true
                case .isHeldElsewhere: false
                case .unsupported: status.modified < .seconds(time(nil) - 86_400)
                }
            if isAbandoned { try? folder.remove(name) }
        }
    }

    static func isTemporary(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
        let parts = name.dropFirst(prefix.count).dropLast(suffix.count).split(
            separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 && pid_t(parts[0]).map { $0 > 0 } == true && UInt64(parts[1]) != nil
    }
}

internal import Glibc

// Files appear complete or not at all, also when the process is killed: a temporary file is written, then renamed.
extension Folder {
    /// Replaces what has the new name (`renameat`).
    package func move(_ name: some FilePath, to newName: some FilePath, in target: borrowing Folder) throws(FileError) {
        let target = target.descriptor.number
        try call("renameat", newName) { folder, new in name.withCPath { renameat(folder, $0, target, new) } }
    }

    /// Ways to rename without replacing: the best first, for file systems that lack it the next.
    package enum ExclusiveRename: CaseIterable, Sendable {
        /// `renameat2` with `RENAME_NOREPLACE`.
        case direct
        /// `linkat`, then `unlinkat`: NFS, old kernels.
        case link
        /// An empty file takes the name and is replaced: FAT, some FUSE file systems.
        case reservation

        /// Errors of a file system that cannot do this (rename(2), linkat(2)).
        fileprivate var unsupported: [Int32] {
            switch self {
            case .direct: [EINVAL, ENOSYS, EOPNOTSUPP]
            case .link: [EINVAL, ENOSYS, EOPNOTSUPP, EPERM, EMLINK, EXDEV]
            case .reservation: []
            }
        }
    }

    /// Returns `false` if the new name is taken; tests begin with a later way than `direct`.
    package func renameIfAbsent(
        _ name: some FilePath, to newName: some FilePath, first: ExclusiveRename = .direct
    ) throws(FileError) -> Bool {
        for way in ExclusiveRename.allCases.drop(while: { $0 != first }) {
            do throws(FileError) {
                switch way {
                case .direct: try renameExclusively(name, newName)
                case .link:
                    let number = descriptor.number
                    try call("linkat", newName) { folder, new in
                        name.withCPath { linkat(number, $0, folder, new, 0) }
                    }
                    try? remove(name)
                case .reservation: try renameOverReservation(name, newName)
                }
                return true
            } catch {
                if error.code == EEXIST { return false }
                guard way.unsupported.contains(error.code) else { throw error }
            }
        }
        return false
    }

    private typealias RenameCall =
        @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
    /// `renameat2`, which the system's Swift module lacks; the type is that of rename(2).
    private static let renameCall: RenameCall? = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: RenameCall.self) }

    private func renameExclusively(_ name: some FilePath, _ newName: some FilePath) throws(FileError) {
        guard let rename = Self.renameCall else { throw FileError("renameat2", newName.shown, code: ENOSYS) }
        // `RENAME_NOREPLACE` of linux/fs.h.
        let noReplace: UInt32 = 1
        let number = descriptor.number
        try call("renameat2", newName) { folder, new in
            name.withCPath { rename(number, $0, folder, new, noReplace) }
        }
    }

    private func renameOverReservation(_ name: some FilePath, _ newName: some FilePath) throws(FileError) {
        _ = try open(newName, [.write, .create, .exclusive])
        do { try move(name, to: newName, in: self) } catch {
            try? remove(newName)
            throw error
        }
    }

    /// Creates or replaces a file as a whole; the umask applies unless the permissions are `exact`.
    ///
    /// Waits until the contents of a durable file are on the disk. `prepare` runs just before the file takes its name.
    package static func writeFile(
        _ path: String, _ bytes: [UInt8], permissions: UInt32 = 0o666, exact: Bool = false, isDurable: Bool = false,
        prepare: () throws(FileError) -> Void = {}
    ) throws(FileError) {
        TemporaryFile.sweep(beside: path)
        do throws(FileError) {
            let temporary = try TemporaryFile.create(in: working, beside: path, permissions: permissions)
            do throws(FileError) {
                if exact { try checked("fchmod") { fchmod(temporary.file.number, permissions) } }
                try temporary.file.write(bytes)
                if isDurable { try temporary.file.synchronize() }
                try prepare()
                try working.move(temporary.name, to: path, in: working)
            } catch {
                try? working.remove(temporary.name)
                throw error
            }
        } catch {
            throw error.named(path)
        }
    }

    /// The path without links (`realpath`).
    ///
    /// A link to a missing file is followed to where that would be (`readlink`).
    package static func resolved(_ path: String) -> String {
        var path = path
        for _ in 0..<maxLinks {
            guard !path.containsZero else { break }
            if let found = realpath(path, nil) {
                defer { free(found) }
                return String(cString: found)
            }
            var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(path, &bytes, bytes.count)
            guard count > 0 else { break }
            let target = String(decoding: bytes[..<count], as: UTF8.self)
            let parent = path.lastIndex(of: "/").map { path[...$0] } ?? ""
            path = target.hasPrefix("/") ? target : parent + target
        }
        return path
    }

    /// As many as the kernel follows (path_resolution(7)).
    private static let maxLinks = 40
}

internal import Glibc

/// Gives a file another name unless there is something of that name.
enum Renaming {
    private typealias Call = @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

    /// `renameat2`, which the system's Swift module leaves out; it is looked up in the C library that is loaded already.
    ///
    /// The cast gives the address that `dlsym` returns the type that rename(2) states, as in C.
    private static let call: Call? = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: Call.self) }
    /// `RENAME_NOREPLACE` of linux/fs.h.
    private static let noReplace: UInt32 = 1

    /// Renames within a folder (`renameat2`; `linkat` and `unlinkat` where the file system has it not).
    ///
    /// - Returns: 0, or why not: `EEXIST` where the new name is taken.
    static func withoutReplacing(_ name: String, to newName: String, in folder: Int32) -> Int32 {
        if let call {
            if call(folder, name, folder, newName, noReplace) == 0 { return 0 }
            // What NFS, FUSE and old kernels say (rename(2)).
            guard [EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) else { return errno }
        }
        return byLink(name, to: newName, in: folder)
    }

    /// The same by a second name, for file systems that only have those.
    static func byLink(_ name: String, to newName: String, in folder: Int32) -> Int32 {
        if linkat(folder, name, folder, newName, 0) == 0 {
            unlinkat(folder, name, 0)
            return 0
        }
        // No links either (FAT, some FUSE): the name is taken by an empty file, which is renamed over.
        guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK, EINVAL].contains(errno) else { return errno }
        let reserved = openat(folder, newName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard reserved >= 0 else { return errno }
        close(reserved)
        guard renameat(folder, name, folder, newName) != 0 else { return 0 }
        let code = errno
        unlinkat(folder, newName, 0)
        return code
    }
}

internal import Glibc

/// Temporary files whose writers died.
enum Leftovers {
    /// Removes them from a folder.
    ///
    /// A writer holds a lock (`flock`) on its file as long as it lives, in whatever container or on whatever machine; where there are no locks,
    /// its process's number decides. What cannot be listed or removed stays: it harms nobody.
    static func sweep(_ folder: Int32) {
        // The stream takes a descriptor of its own over.
        let copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return }
        guard let stream = fdopendir(copy) else {
            close(copy)
            return
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            // Most names begin otherwise, and are not worth a String.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes -> String? in
                guard bytes.starts(with: TemporaryName.start.utf8) else { return nil }
                return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let name, let process = TemporaryName.process(of: name) { remove(name, of: process, in: folder) }
        }
    }

    private static func remove(_ name: String, of process: pid_t, in folder: Int32) {
        let file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.isPlainFile else { return }
        if flock(file, LOCK_EX | LOCK_NB) != 0 {
            guard errno != EWOULDBLOCK, kill(process, 0) != 0, errno == ESRCH else { return }
        }
        unlinkat(folder, name, 0)
    }
}

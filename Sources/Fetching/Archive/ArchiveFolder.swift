internal import Glibc

/// A folder whose files are reached by relative paths that cannot lead out of it.
///
/// Every folder on the way is opened by itself and links are not followed (`openat`, `O_NOFOLLOW`). Calls block.
final class ArchiveFolder: Sendable {
    /// As the user named it.
    let path: String
    private let descriptor: Int32

    /// Opens a folder that is there; a link to it is followed, since the user named it.
    init(opening path: String) throws(FetchError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("the archive \(path.withoutControls) cannot be opened") }
    }

    deinit { close(descriptor) }

    /// A failed system call in words, with the system's own.
    static func failure(_ what: String) -> FetchError {
        FetchError(.unavailable, "\(what): \(String(cString: strerror(errno)))")
    }

    /// How a file is called in messages.
    func shown(_ name: String) -> String { "\(path)/\(name.prefix(200))".withoutControls }

    /// The bytes of a file.
    ///
    /// - Throws: `FetchError`: `unavailable` when it is not there, no file, or outside; `tooLarge` above `limit` bytes.
    func read(_ name: String, limit: Int) throws(FetchError) -> [UInt8] {
        // A FIFO must not make the call wait for a writer.
        let file = try openFile(name, O_RDONLY | O_NONBLOCK)
        defer { close(file) }
        let size = try size(of: file, name)
        guard size <= limit else {
            throw FetchError(
                .tooLarge, "\(shown(name)) is larger than the limit of \(limit) bytes", exceededLimit: .body)
        }
        var bytes = [UInt8](repeating: 0, count: size)
        var filled = 0
        while filled < size {
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(file, $0.baseAddress.map { $0 + filled }, size - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if count == 0 { throw FetchError(.unavailable, "\(shown(name)) became shorter while it was read") }
                throw Self.failure("\(shown(name)) cannot be read")
            }
            filled += count
        }
        return bytes
    }

    /// How many bytes a file has.
    func size(of name: String) throws(FetchError) -> Int {
        let file = try openFile(name, O_RDONLY | O_NONBLOCK)
        defer { close(file) }
        return try size(of: file, name)
    }

    /// Whether there is something of that name, whatever it is.
    func holds(_ name: String) -> Bool {
        var status = stat()
        return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Whether there is nothing in it.
    func isEmpty() throws(FetchError) -> Bool {
        // The stream takes the descriptor over and closes it.
        guard let stream = fdopendir(openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            throw Self.failure("\(path.withoutControls) cannot be read")
        }
        defer { closedir(stream) }
        var count = 0
        while count < 3, readdir(stream) != nil { count += 1 }
        // A folder holds itself and its parent.
        return count <= 2
    }

    /// Opens a file and returns its descriptor, which the caller closes.
    func openFile(_ name: String, _ flags: Int32) throws(FetchError) -> Int32 {
        let parts = try Self.parts(of: name, shown: shown(name))
        let folder = try openFolder(parts.dropLast(), shown: shown(name))
        defer { close(folder) }
        let file = openat(folder, parts.last ?? "", flags | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw Self.failure("\(shown(name)) cannot be opened") }
        return file
    }

    /// Makes the folders that lead to a file, where they are missing.
    func makeFolders(for name: String) throws(FetchError) {
        let folders = try Self.parts(of: name, shown: shown(name)).dropLast()
        for count in 0..<folders.count {
            let parent = try openFolder(folders.prefix(count), shown: shown(name))
            defer { close(parent) }
            guard mkdirat(parent, folders[count], 0o777) == 0 || errno == EEXIST else {
                throw Self.failure("a folder for \(shown(name)) cannot be made")
            }
        }
    }

    /// Gives a file of this folder another name, in one step.
    func rename(_ name: String, to newName: String) throws(FetchError) {
        let parts = try Self.parts(of: newName, shown: shown(newName))
        let folder = try openFolder(parts.dropLast(), shown: shown(newName))
        defer { close(folder) }
        guard renameat(descriptor, name, folder, parts.last ?? "") == 0 else {
            throw Self.failure("\(shown(newName)) cannot be written")
        }
    }

    /// The size of an open file, which must be a plain one.
    func size(of file: Int32, _ name: String) throws(FetchError) -> Int {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw Self.failure("\(shown(name)) cannot be read") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FetchError(.unavailable, "\(shown(name)) is no plain file")
        }
        return status.st_size
    }

    private func openFolder(_ parts: some Collection<String>, shown: String) throws(FetchError) -> Int32 {
        var folder = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        for part in parts where folder >= 0 {
            let next = openat(folder, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            let code = errno
            close(folder)
            errno = code
            folder = next
        }
        guard folder >= 0 else { throw Self.failure("\(shown) cannot be opened") }
        return folder
    }

    /// The names a relative path consists of, if it stays inside.
    private static func parts(of name: String, shown: String) throws(FetchError) -> [String] {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let areInside = parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && !$0.utf8.contains(0) }
        guard areInside else { throw FetchError(.unavailable, "\(shown) does not stay inside the archive") }
        return parts
    }
}

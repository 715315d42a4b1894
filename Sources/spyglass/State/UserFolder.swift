internal import Glibc

/// A folder of this program among the user's own, by the XDG Base Directory Specification.
struct UserFolder: Hashable, Sendable {
    /// Its absolute path.
    let path: String
    /// Which variable says so.
    let evidence: String

    /// What a file of ours could not be used for, in one line.
    struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        let description: String
    }

    /// The largest file that is read: a few hundred searches have a hundredth of it.
    static let byteLimit = 256 << 10

    init(path: String, evidence: String) {
        self.path = path
        self.evidence = evidence
    }

    /// Settings: `$XDG_CONFIG_HOME/spyglass`, else `~/.config/spyglass`.
    static func settings(in environment: Environment) -> UserFolder? {
        UserFolder("XDG_CONFIG_HOME", or: ".config", in: environment)
    }

    /// What a run leaves behind: `$XDG_STATE_HOME/spyglass`, else `~/.local/state/spyglass`.
    static func state(in environment: Environment) -> UserFolder? {
        UserFolder("XDG_STATE_HOME", or: ".local/state", in: environment)
    }

    /// Relative paths in the environment do not count.
    private init?(_ variable: String, or folder: String, in environment: Environment) {
        if let base = environment[variable], base.hasPrefix("/") {
            self.init(path: "\(base)/spyglass", evidence: variable)
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            self.init(path: "\(home)/\(folder)/spyglass", evidence: "HOME")
        } else {
            return nil
        }
    }

    /// The path of a file in it.
    func path(of name: String) -> String { "\(path)/\(name)" }

    // MARK: Reading

    /// A file's bytes; `nil` when there is none.
    ///
    /// - Throws: `Problem` when it is no ordinary file, is too large or cannot be read.
    func read(_ name: String) throws(Problem) -> [UInt8]? {
        let path = path(of: name)
        // A pipe would be waited for (fifo(7)).
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno != ENOENT, errno != ENOTDIR else { return nil }
            throw Self.problem(path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.problem(path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Problem(description: "\(path): it is no ordinary file") }
        var bytes = [UInt8](repeating: 0, count: Self.byteLimit + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw Self.problem(path) }
            guard got > 0 else { break }
            count += got
        }
        guard count <= Self.byteLimit else {
            throw Problem(description: "\(path): it has more than \(Values.grouped(Self.byteLimit)) bytes")
        }
        return Array(bytes[..<count])
    }

    // MARK: Writing

    /// Replaces a file as a whole: readers see what was before or all of the new.
    ///
    /// Folders are made for the user alone (0700), the file as well (0600). Where the name is a link, what it leads to is replaced.
    func write(_ name: String, _ text: String) throws(Problem) {
        let obstacle = makeFolders()
        let path = Self.resolved(path(of: name))
        // No two processes write one sibling, and none of ours outlives its process under a number that comes again.
        let sibling = "\(path).\(getpid()).new"
        unlink(sibling)
        let descriptor = open(sibling, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == ENOENT, let obstacle { errno = obstacle }
            throw Self.problem(path)
        }
        let isWritten = Self.write(Array(text.utf8), to: descriptor)
        let reason = errno
        close(descriptor)
        guard isWritten else {
            unlink(sibling)
            errno = reason
            throw Self.problem(path)
        }
        guard rename(sibling, path) == 0 else {
            let problem = Self.problem(path)
            unlink(sibling)
            throw problem
        }
    }

    /// Removes a file, if it is there.
    func remove(_ name: String) throws(Problem) {
        let path = path(of: name)
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else { throw Self.problem(path) }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Why the first folder that is not there could not be made; what is there may be refused for any reason.
    private func makeFolders() -> Int32? {
        let parts = path.split(separator: "/")
        var obstacle: Int32?
        for count in parts.indices {
            let folder = "/" + parts[...count].joined(separator: "/")
            guard mkdir(folder, 0o700) != 0 else { continue }
            let reason = errno
            if obstacle == nil, access(folder, F_OK) != 0 { obstacle = reason }
        }
        return obstacle
    }

    /// Where a path leads in the end, if anything is there.
    private static func resolved(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    private static func problem(_ path: String) -> Problem {
        Problem(description: "\(path): \(String(cString: strerror(errno)))")
    }
}

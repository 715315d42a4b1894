internal import Glibc
internal import SpyglassCBench

/// A folder of our own for files that are measured; it goes with everything in it when nobody needs it any more.
///
/// It is locked (`flock`) for as long as it is in use. A process that a signal ends leaves its folder unlocked, and whoever makes the
/// next one removes it. A folder of another user is never touched, and no link is followed.
final class ScratchFolder {
    let path: String
    /// The folder, opened; it holds the lock.
    private let descriptor: Int32

    private static let prefix = "spyglass-bench-"
    /// What `mkdtemp` replaces.
    private static let suffix = "XXXXXX"
    /// How often a name is tried that a sweep took away before it was locked.
    private static let maxTries = 10
    /// Opens folders and no links.
    private static let folderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC

    /// Sweeps what others left in a folder, and makes a new one there.
    ///
    /// - Throws: `BenchError` that names the folder, with the system's words.
    init(in parent: String) throws(BenchError) {
        Self.sweep(parent)
        for _ in 0..<Self.maxTries {
            var template = Array("\(parent)/\(Self.prefix)\(Self.suffix)".utf8CString)
            guard mkdtemp(&template) != nil else {
                throw BenchError("no folder can be made in \(parent): \(String(cString: strerror(errno)))")
            }
            let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard let descriptor = Self.locked(path) else { continue }
            self.path = path
            self.descriptor = descriptor
            return
        }
        throw BenchError("no folder can be made in \(parent): others remove it at once")
    }

    deinit {
        Self.empty(descriptor)
        // The lock goes last, so that nobody else removes it meanwhile.
        rmdir(path)
        close(descriptor)
    }

    /// Opens a folder that was just made and locks it; `nil` where a sweep was faster.
    private static func locked(_ path: String) -> Int32? {
        let descriptor = open(path, folderFlags)
        guard descriptor >= 0 else { return nil }
        var (opened, named) = (stat(), stat())
        // Where there are no locks, nobody sweeps either.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
            fstat(descriptor, &opened) == 0, lstat(path, &named) == 0,
            opened.st_dev == named.st_dev, opened.st_ino == named.st_ino
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    // MARK: What is in it

    /// Tells the system that a file's contents are not needed, as `posix_fadvise` does: 0, or the error's number.
    typealias Advice = (_ file: Int32) -> Int32

    /// Has the system forget what it keeps of the files' contents in memory (`POSIX_FADV_DONTNEED`), once they are on the disk.
    ///
    /// Names and inodes stay in memory: only the administrator can have the system forget those.
    ///
    /// - Parameter advise: tells the system.
    /// - Throws: `BenchError` that names the folder, with the system's words, when the contents of a file may still be in memory.
    func forgetContents(
        advise: Advice = { posix_fadvise($0, 0, 0, POSIX_FADV_DONTNEED) }
    ) throws(BenchError) {
        let code = Self.forgetContents(of: descriptor, advise)
        guard code == 0 else {
            throw BenchError("a file in \(path) cannot be read cold: \(String(cString: strerror(code)))")
        }
    }

    /// The number of the first error, after which nothing more is tried; 0 without one.
    private static func forgetContents(of folder: Int32, _ advise: Advice) -> Int32 {
        for name in names(in: folder) {
            let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard file >= 0 else { return errno }
            defer { close(file) }
            var status = stat()
            guard fstat(file, &status) == 0 else { return errno }
            var code: Int32 = 0
            switch status.st_mode & S_IFMT {
            case S_IFDIR: code = forgetContents(of: file, advise)
            case S_IFREG: code = fdatasync(file) == 0 ? advise(file) : errno
            default: break
            }
            guard code == 0 else { return code }
        }
        return 0
    }

    /// Removes what is in a folder; what cannot be removed stays.
    private static func empty(_ folder: Int32) {
        // What a name stands for is found by trying: not every file system says it in its listing.
        for name in names(in: folder) where unlinkat(folder, name, 0) != 0 {
            let below = openat(folder, name, folderFlags)
            guard below >= 0 else { continue }
            empty(below)
            close(below)
            unlinkat(folder, name, AT_REMOVEDIR)
        }
    }

    /// The names in a folder, without itself and its parent.
    private static func names(in folder: Int32) -> [String] {
        // The stream takes a descriptor of its own over.
        let copy = openat(folder, ".", folderFlags)
        guard copy >= 0 else { return [] }
        guard let stream = fdopendir(copy) else {
            close(copy)
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    // MARK: What others left

    /// Removes our own user's folders of this kind whose lock is free.
    private static func sweep(_ parent: String) {
        // The parent may be a link, as /tmp is on some systems.
        let folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        defer { close(folder) }
        for name in names(in: folder) where name.hasPrefix(prefix) && name.utf8.count == (prefix + suffix).utf8.count {
            let left = openat(folder, name, folderFlags)
            guard left >= 0 else { continue }
            defer { close(left) }
            var status = stat()
            guard fstat(left, &status) == 0, status.st_uid == geteuid(), flock(left, LOCK_EX | LOCK_NB) == 0 else {
                continue
            }
            empty(left)
            unlinkat(folder, name, AT_REMOVEDIR)
        }
    }

    // MARK: The file system

    /// Whether a folder's files are in memory and nowhere else, so that there is nothing to read from a disk; `false` where that
    /// cannot be told.
    static func isInMemory(_ folder: String) -> Bool { sg_bench_is_in_memory(folder) }
}

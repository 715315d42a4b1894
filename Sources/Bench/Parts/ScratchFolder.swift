internal import Glibc
internal import SpyglassCBench
internal import SpyglassFiles

/// A temporary folder for files that are measured, removed with its contents at the end.
///
/// It is locked (`flock`) while it is in use. After a killed process its folder is unlocked, and the next one removes it.
/// A folder of another user is never changed, and no link is followed.
final class ScratchFolder {
    let path: String
    private let parent: Folder
    private let name: String
    /// Holds the lock.
    private let folder: Folder

    private static let prefix = "spyglass-bench-"
    private static let randomLength = 6
    private static let letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    private static let maxTries = 10

    /// Removes what killed processes left in a folder and creates a folder there.
    ///
    /// - Throws: `BenchError` that names the folder.
    init(in path: String) throws(BenchError) {
        do throws(FileError) {
            let parent = try Folder(opening: path)
            Self.sweep(parent)
            for _ in 0..<Self.maxTries {
                let name =
                    Self.prefix + String((0..<Self.randomLength).compactMap { _ in Self.letters.randomElement() })
                guard let made = try Self.create(name, in: parent) else { continue }
                self.path = "\(path)/\(name)"
                self.name = name
                self.parent = parent
                folder = made
                return
            }
            throw FileError("mkdirat", code: EEXIST)
        } catch {
            throw BenchError("cannot create a folder in \(path): \(error.reason)")
        }
    }

    deinit {
        folder.removeContents()
        // The lock ends last, so that no other process removes the folder first.
        try? parent.removeFolder(name)
    }

    /// Creates and locks a folder; `nil` if there was one, or if a sweep was faster than the lock.
    static func create(_ name: String, in parent: borrowing Folder) throws(FileError) -> Folder? {
        // An existing folder may be another user's.
        guard try parent.createFolder(name, permissions: 0o700) else { return nil }
        let folder = try parent.openFolder(name)
        // The lock may be unsupported; then only this process removes the folder.
        guard folder.descriptor.lock() != .isHeldElsewhere, let named = try? parent.status(of: name),
            try folder.descriptor.status.identity == named.identity
        else { return nil }
        return folder
    }

    // MARK: Contents

    /// Tells the system that a file's contents are not needed, as `posix_fadvise` does: 0, or an error number.
    typealias Advice = (_ file: Int32) -> Int32

    /// Removes the files' contents from the system's memory (`POSIX_FADV_DONTNEED`), once they are on the disk.
    ///
    /// Names and inodes stay in memory: only the administrator can remove those.
    ///
    /// - Parameter advise: tells the system.
    /// - Throws: `BenchError` that names the folder, when the contents of a file may still be in memory.
    func forgetContents(advise: Advice = { posix_fadvise($0, 0, 0, POSIX_FADV_DONTNEED) }) throws(BenchError) {
        do throws(FileError) { try Self.forgetContents(of: folder, advise) } catch {
            throw BenchError("cannot measure \(path) cold: \(error.reason)")
        }
    }

    private static func forgetContents(of folder: borrowing Folder, _ advise: Advice) throws(FileError) {
        for name in try folder.names() {
            switch try folder.status(of: name).kind {
            case .folder: try forgetContents(of: folder.openFolder(name), advise)
            case .regular:
                let file = try folder.open(name)
                try checked("fdatasync") { fdatasync(file.number) }
                let code = advise(file.number)
                guard code == 0 else { throw FileError("posix_fadvise", code: code) }
            default: break
            }
        }
    }

    /// Removes this user's folders of killed processes.
    private static func sweep(_ parent: borrowing Folder) {
        for name in (try? parent.names()) ?? []
        where name.starts(with: prefix.utf8) && name.count == prefix.utf8.count + randomLength {
            guard let left = try? parent.openFolder(name), (try? left.descriptor.status.owner) == geteuid(),
                left.descriptor.lock() == .locked
            else { continue }
            left.removeContents()
            try? parent.removeFolder(name)
        }
    }

    // MARK: The file system

    /// Whether a folder's files are only in memory, as on a tmpfs; `false` where this is unknown.
    static func isInMemory(_ folder: String) -> Bool { sg_bench_is_in_memory(folder) }
}

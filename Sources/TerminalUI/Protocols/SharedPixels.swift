internal import Glibc
internal import SpyglassFiles
internal import SpyglassThreads

/// Pixels for a terminal on this machine, in shared memory that it unlinks when it has read them (shm_overview(7)).
///
/// Objects are named by this process, `/dev/shm/spyglass-<pid>-<number>`. What the terminal leaves is removed by
/// `removeAll`, or once so many newer ones exist that it must have been read. `removeAll` removes what killed processes
/// left, too. Thread-safe; a lock guards the names.
package final class SharedPixels: Sendable {
    private let folder: String
    private let published = Mutex<[(name: String, bytes: Int)]>([])
    private static let prefix = "/spyglass-"
    /// Above the images of one frame, which are at most those that the terminal keeps.
    private static let maxBytes = 160_000_000
    /// The length of a name, so that its base64 needs no padding.
    static let nameLength = 30

    /// Publishes in `/dev/shm`, or in another folder for tests.
    package init(folder: String = "/dev/shm") { self.folder = folder }

    /// Makes an object that only this user can read; returns its name, or `nil` where that is not possible.
    func publish(_ bytes: [UInt8]) -> [UInt8]? {
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let unique = String("\(Self.prefix)\(getpid())-\(number)".prefix(Self.nameLength))
        let name = unique + String(repeating: "0", count: Self.nameLength - unique.utf8.count)
        do throws(FileError) {
            let file = try Folder.working.open(folder + name, [.write, .create, .exclusive], permissions: 0o600)
            published.withLock { $0.append((name, bytes.count)) }
            try file.write(bytes)
        } catch {
            remove(name)
            return nil
        }
        let read = published.withLock { published in
            var read: [String] = []
            while published.count > 1, published.reduce(0, { $0 + $1.bytes }) > Self.maxBytes {
                read.append(published.removeFirst().name)
            }
            return read
        }
        for name in read { remove(name) }
        return Array(name.utf8)
    }

    /// Removes the objects that the terminal has not read, and those of processes that have ended.
    package func removeAll() {
        let names = published.withLock { published in
            defer { published = [] }
            return published.map(\.name)
        }
        for name in names { remove(name) }
        let left = (try? Folder(opening: folder).names()) ?? []
        for name in left.map({ "/" + String(decoding: $0, as: UTF8.self) }) where name.hasPrefix(Self.prefix) {
            let process = name.dropFirst(Self.prefix.count).prefix { $0 != "-" }
            // C: `kill(process, 0)` only asks whether the process exists.
            if let process = Int32(process), process > 0, kill(process, 0) != 0, errno == ESRCH { remove(name) }
        }
    }

    private func remove(_ name: String) { try? Folder.working.remove(folder + name) }
}

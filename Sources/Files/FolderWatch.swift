internal import Glibc
internal import struct Synchronization.Atomic

/// Waits for changes of one folder's names and files (`inotify`).
///
///     let watch = try FolderWatch(path)
///     while watch.next() { queue.add(.folderChanged) }   // on a thread of its own; another one calls watch.stop()
///
/// Reports files that are created, closed after writing, renamed or removed, the same of the folder itself, and events that the
/// kernel dropped. It takes no time while nothing changes. Changes by another machine (NFS) are not reported.
package final class FolderWatch: Sendable {
    private let events: FileDescriptor
    /// A pipe whose reading end tells `next` to end.
    private let end: FileDescriptor
    private let ender: FileDescriptor
    /// Whether the folder was removed or renamed.
    private let hasEnded = Atomic(false)

    private static let mask =
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF
        | IN_ONLYDIR
    /// Larger than any event (inotify(7)).
    private static let bufferBytes = 16 << 10

    /// Throws `ENOENT`, `ENOTDIR`, `EACCES`, `EMFILE`, or `ENOSPC` (`fs.inotify.max_user_watches`).
    package init(_ path: [UInt8]) throws(FileError) {
        let flags = Int32(IN_NONBLOCK | IN_CLOEXEC)
        events = FileDescriptor(owning: try checked("inotify_init1") { inotify_init1(flags) })
        var ends: [Int32] = [-1, -1]
        try checked("pipe") { pipe(&ends) }
        end = FileDescriptor(owning: ends[0])
        ender = FileDescriptor(owning: ends[1])
        // Swift's Glibc has no `pipe2`.
        for end in ends { try checked("fcntl") { fcntl(end, F_SETFD, FD_CLOEXEC) } }
        let number = events.number
        try checked("inotify_add_watch", path: path.shown) {
            path.withCPath { inotify_add_watch(number, $0, UInt32(Self.mask)) }
        }
    }

    /// Blocks until something has changed; several changes may be one.
    ///
    /// Returns `false` after `stop`, and after the change that removed or renamed the folder itself.
    package func next() -> Bool {
        guard !hasEnded.load(ordering: .relaxed) else { return false }
        var waiting = [events.number, end.number].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard (try? checked("poll") { poll(&waiting, 2, -1) }) != nil, waiting[1].revents == 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
        var hasChanged = false
        while let count = try? events.read(into: &buffer), count > 0 {
            hasChanged = true
            if Self.endsWatch(buffer[..<count]) { hasEnded.store(true, ordering: .relaxed) }
        }
        return hasChanged
    }

    /// Whether an event says that the kernel has dropped the watch, or that the folder has another path (inotify(7)).
    private static func endsWatch(_ events: ArraySlice<UInt8>) -> Bool {
        events.withUnsafeBytes { bytes in
            var offset = 0
            while offset + MemoryLayout<inotify_event>.size <= bytes.count {
                let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                if event.mask & UInt32(IN_IGNORED | IN_MOVE_SELF) != 0 { return true }
                offset += MemoryLayout<inotify_event>.size + Int(event.len)
            }
            return false
        }
    }

    /// Ends `next`, now and later; any thread may call it.
    package func stop() { try? ender.write([0]) }
}

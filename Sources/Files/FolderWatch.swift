internal import Glibc
internal import struct Synchronization.Atomic

/// Waits for changes of the names and files of folders (`inotify`).
///
///     let watch = try FolderWatch([path])
///     while watch.next() != nil { queue.add(.folderChanged) }   // on a thread of its own; another one calls watch.stop()
///
/// Reports files that are created, closed after writing, renamed or removed, the same of the folder itself, a new name of a
/// folder around it, and events that the kernel dropped. It takes no time while nothing changes. Changes by another machine
/// (NFS) are not reported.
package final class FolderWatch: Sendable {
    private let events: FileDescriptor
    private let end: WakePipe
    /// The folders by watch descriptor; a folder around a single one stands for that.
    private let folders: [Int32: [UInt8]]
    private let isSingle: Bool
    /// Whether a single folder was removed or renamed.
    private let hasEnded = Atomic(false)

    private static let mask: Int32 =
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF
        | IN_ONLYDIR
    /// Larger than any event (inotify(7)).
    private static let bufferBytes = 16 << 10

    /// Watches folders by absolute paths; of several, those that cannot be watched are left out.
    ///
    /// Throws `ENOENT`, `ENOTDIR`, `EACCES`, `EMFILE`, or `ENOSPC` (`fs.inotify.max_user_watches`).
    package init(_ paths: [[UInt8]]) throws(FileError) {
        let flags = Int32(IN_NONBLOCK | IN_CLOEXEC)
        events = FileDescriptor(owning: try checked("inotify_init1") { inotify_init1(flags) })
        end = try WakePipe()
        isSingle = paths.count == 1
        let number = events.number
        var folders: [Int32: [UInt8]] = [:]
        for path in paths {
            do throws(FileError) {
                folders[try Self.add(path, Self.mask, to: number)] = path
            } catch {
                if paths.count == 1 { throw error }
            }
        }
        if paths.count == 1 {
            var around = paths[0][...]
            while let slash = around.lastIndex(of: UInt8(ascii: "/")), slash > 0 {
                around = around[..<slash]
                guard let watch = try? Self.add(Array(around), IN_MOVE_SELF | IN_ONLYDIR, to: number) else { continue }
                folders[watch] = paths[0]
            }
        }
        self.folders = folders
    }

    private static func add(_ path: [UInt8], _ mask: Int32, to events: Int32) throws(FileError) -> Int32 {
        try checked("inotify_add_watch", path: path.shown) {
            path.withCPath { inotify_add_watch(events, $0, UInt32(mask)) }
        }
    }

    /// Blocks until something has changed; several changes may be one.
    ///
    /// Returns the changed folders; `nil` after `stop`, and after the change that removed or renamed a single folder itself.
    package func next() -> Set<[UInt8]>? {
        guard !hasEnded.load(ordering: .relaxed) else { return nil }
        var waiting = [events.number, end.reading.number].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard (try? checked("poll") { poll(&waiting, 2, -1) }) != nil, waiting[1].revents == 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
        var changed: Set<[UInt8]> = []
        while let count = try? events.read(into: &buffer), count > 0 { note(buffer[..<count], in: &changed) }
        return changed.isEmpty ? nil : changed
    }

    private func note(_ events: ArraySlice<UInt8>, in changed: inout Set<[UInt8]>) {
        events.withUnsafeBytes { bytes in
            var offset = 0
            while offset + MemoryLayout<inotify_event>.size <= bytes.count {
                let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                // Without a folder, events were dropped (IN_Q_OVERFLOW).
                if let folder = folders[event.wd] { changed.insert(folder) } else { changed.formUnion(folders.values) }
                // The kernel has dropped the watch, or the folder has another path (inotify(7)).
                let isLast = event.mask & UInt32(IN_IGNORED | IN_MOVE_SELF) != 0
                if isSingle, isLast { hasEnded.store(true, ordering: .relaxed) }
                offset += MemoryLayout<inotify_event>.size + Int(event.len)
            }
        }
    }

    /// Ends `next`, now and later; any thread may call it.
    package func stop() { end.wake() }
}

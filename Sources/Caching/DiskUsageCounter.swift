internal import Glibc
internal import SpyglassFiles

/// The bytes that all processes use in a folder: a number in a file, under a lock (`flock`).
///
/// Bytes are added before a file is created and subtracted after it is removed. A killed process leaves the count too high. The
/// file: magic (8 bytes), bytes (8), bytes ever added (8), time of the last recount (8), XXH64 of those before (8).
final class DiskUsageCounter: Sendable {
    private let folder: DiskFolder
    private let lockFile: DiskFolder.Lock
    private let timeout: Duration
    private let wait = LockWait()

    /// Makes a counter whose callers wait for the lock until the timeout; ext4's journal may take a few hundred milliseconds.
    init(
        folder: DiskFolder, timeout: Duration = .seconds(1), lock: @escaping DiskFolder.Lock = { flock($0, $1) }
    ) {
        (self.folder, self.timeout, lockFile) = (folder, timeout, lock)
    }

    /// Runs `body` while no other thread and no other process has the count; throws `EWOULDBLOCK` when the lock times out.
    func withCount<Value: Sendable>(_ body: (inout DiskUsage) throws(FileError) -> Value) throws(FileError) -> Value {
        while true {
            // Each call opens the file: locks of one open file would not exclude other threads.
            let file = try folder.sharedFile(DiskFolder.countName)
            try lock(file)
            // Unless another process removed the file: a new one replaces it.
            if try file.status.linkCount > 0 {
                var count = try DiskUsage(file)
                return try body(&count)
            }
        }
    }

    private func lock(_ file: borrowing FileDescriptor) throws(FileError) {
        let number = file.number
        let isLocked = try wait.retry(for: timeout) { () throws(FileError) in
            if lockFile(number, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw FileError("flock") }
            return false
        }
        guard isLocked else { throw FileError("flock", code: EWOULDBLOCK) }
    }
}

/// Valid while the lock is held; every change is written immediately.
struct DiskUsage: ~Copyable {
    /// Bytes used by all processes, temporary files included; `nil` when the file is not valid.
    private(set) var bytes: Int?
    /// Bytes ever added, as far as the file remembers.
    private(set) var added: UInt64 = 0
    private(set) var recounted = WallTime(milliseconds: 0)
    private let file: FileDescriptor
    private static let magic: UInt64 = 0x0A1A_0A0D_434E_5453
    private static let wordCount = 5
    private static let checksumOffset = 32

    /// Reads a locked file; throws `EEXIST` for a foreign one, which must not be overwritten.
    fileprivate init(_ file: consuming FileDescriptor) throws(FileError) {
        let read = try file.bytes(Self.wordCount * 8)
        guard Self.isOurs(read.prefix(8)) else { throw FileError("openat", DiskFolder.countName, code: EEXIST) }
        self.file = file
        var words = [UInt64](repeating: 0, count: Self.wordCount)
        words.withUnsafeMutableBytes { $0.copyBytes(from: read) }
        words = words.map(UInt64.init(littleEndian:))
        guard words[0] == Self.magic, words[4] == Self.checksum(words), let bytes = Int(exactly: words[1]) else {
            return
        }
        self.bytes = bytes
        added = words[2]
        recounted = WallTime(milliseconds: Int64(bitPattern: words[3]))
    }

    /// Whether the file is empty, zero after a crash, or starts with the magic with at most one damaged byte.
    private static func isOurs(_ beginning: ArraySlice<UInt8>) -> Bool {
        if beginning.allSatisfy({ $0 == 0 }) { return true }
        let wrong = withUnsafeBytes(of: magic.littleEndian) { zip(beginning, $0).count { $0 != $1 } }
        return wrong == 0 || beginning.count == 8 && wrong == 1
    }

    mutating func add(_ amount: Int) throws(FileError) {
        let old = (bytes, added)
        bytes = Int(clamping: UInt64(clamping: bytes ?? 0) &+ UInt64(clamping: amount))
        added &+= UInt64(clamping: amount)
        do { try write() } catch {
            (bytes, added) = old
            throw error
        }
    }

    mutating func subtract(_ amount: Int) {
        guard let bytes else { return }
        self.bytes = max(0, bytes - amount)
        // If this fails, the count stays too high until the next sweep.
        try? write()
    }

    mutating func set(_ bytes: Int, recounted: WallTime) throws(FileError) {
        self.bytes = bytes
        self.recounted = recounted
        try write()
    }

    private func write() throws(FileError) {
        var words: [UInt64] = [
            Self.magic, UInt64(clamping: bytes ?? 0), added, UInt64(bitPattern: recounted.milliseconds), 0,
        ]
        words[4] = Self.checksum(words)
        try file.write(words.map(\.littleEndian).withUnsafeBytes(Array.init), at: 0)
    }

    private static func checksum(_ words: [UInt64]) -> UInt64 {
        words.map(\.littleEndian).withUnsafeBytes {
            XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0[..<checksumOffset]))
        }
    }
}

internal import Glibc
internal import SpyglassFiles
internal import SpyglassThreads

/// The bytes that all processes use in a folder: a number in a file, under a lock (`flock`).
///
/// Bytes are added before a file is created and subtracted after it is removed. A killed process leaves the count too high. The
/// file: magic (8 bytes), bytes (8), bytes ever added (8), time of the last recount (8), XXH64 of those before (8).
final class DiskUsageCounter: Sendable {
    final class CountFile: Sendable {
        let file: FileDescriptor

        init(_ file: consuming FileDescriptor) { self.file = file }
    }

    private struct State {
        var open: CountFile?
        /// What the file held when a lock last timed out.
        var stuckMark: UInt64?
    }

    private let folder: DiskFolder
    private let lockFile: DiskFolder.Lock
    private let state = Mutex(State())
    /// Attempts to lock, with pauses from 20 µs to 1 ms, 0.25 s in all: a stopped process (Ctrl-Z) keeps its lock.
    private static let attempts = 256
    private static let firstPause: UInt32 = 20
    private static let maxPause: UInt32 = 1000
    /// Rounds of attempts while other processes take turns: with one, ext4's journal had 70 % of stores declined.
    private static let rounds = 4

    init(folder: DiskFolder, lock: @escaping DiskFolder.Lock = { flock($0, $1) }) {
        self.folder = folder
        lockFile = lock
    }

    /// Runs `body` while no other thread and no other process has the count; throws `EWOULDBLOCK` when the lock times out.
    func withCount<Value: Sendable>(_ body: (inout DiskUsage) throws(FileError) -> Value) throws(FileError) -> Value {
        try state.withLock { state throws(FileError) in
            let open = try lock(&state)
            defer { _ = lockFile(open.file.number, LOCK_UN) }
            var count = DiskUsage(open)
            return try body(&count)
        }
    }

    private func lock(_ state: inout State) throws(FileError) -> CountFile {
        while true {
            let open: CountFile
            if let known = state.open {
                open = known
            } else {
                open = CountFile(try folder.sharedFile(DiskFolder.countName))
                // It is about to be overwritten.
                guard try DiskUsage.isOurs(open.file) else {
                    throw FileError("openat", DiskFolder.countName, code: EEXIST)
                }
                state.open = open
            }
            try wait(for: open.file, stuckMark: &state.stuckMark)
            if let status = try? open.file.status, status.linkCount > 0 { return open }
            // Another process removed the file: a new one replaces it.
            state.open = nil
        }
    }

    private func wait(for file: borrowing FileDescriptor, stuckMark: inout UInt64?) throws(FileError) {
        if try locks(file, attempts: 1) { return stuckMark = nil }
        for _ in 0..<Self.rounds {
            let mark = DiskUsage.mark(of: file)
            // One timeout shows that a process was stopped; the next callers do not wait again.
            guard mark != stuckMark else { break }
            if try locks(file, attempts: Self.attempts) { return stuckMark = nil }
            stuckMark = mark
        }
        throw FileError("flock", code: EWOULDBLOCK)
    }

    private func locks(_ file: borrowing FileDescriptor, attempts: Int) throws(FileError) -> Bool {
        var pause = Self.firstPause
        for attempt in 1...attempts {
            if lockFile(file.number, LOCK_EX | LOCK_NB) == 0 { return true }
            let failure = FileError("flock")
            guard failure.code == EWOULDBLOCK || failure.code == EINTR else { throw failure }
            guard attempt < attempts else { break }
            usleep(pause)
            pause = min(pause * 2, Self.maxPause)
        }
        return false
    }
}

/// Valid while the lock is held; every change is written immediately.
struct DiskUsage {
    /// Bytes used by all processes, temporary files included; `nil` when the file is not valid.
    private(set) var bytes: Int?
    /// Bytes ever added, as far as the file remembers.
    private(set) var added: UInt64 = 0
    private(set) var recounted = WallTime(milliseconds: 0)
    private let open: DiskUsageCounter.CountFile
    private static let magic: UInt64 = 0x0A1A_0A0D_434E_5453
    private static let wordCount = 5
    private static let checksumOffset = 32

    /// Whether a file may be overwritten: empty, zero after a crash, or ours with at most one damaged byte.
    static func isOurs(_ file: borrowing FileDescriptor) throws(FileError) -> Bool {
        let beginning = try file.bytes(8)
        if beginning.allSatisfy({ $0 == 0 }) { return true }
        let wrong = withUnsafeBytes(of: magic.littleEndian) { zip(beginning, $0).count { $0 != $1 } }
        return wrong == 0 || beginning.count == 8 && wrong == 1
    }

    fileprivate init(_ open: DiskUsageCounter.CountFile) {
        self.open = open
        guard let words = try? Self.words(of: open.file), words[0] == Self.magic, words[4] == Self.checksum(words),
            let bytes = Int(exactly: words[1])
        else { return }
        self.bytes = bytes
        added = words[2]
        recounted = WallTime(milliseconds: Int64(bitPattern: words[3]))
    }

    /// The file's numbers; zeros where it is too short.
    private static func words(of file: borrowing FileDescriptor) throws(FileError) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: wordCount)
        let bytes = try file.bytes(wordCount * 8)
        words.withUnsafeMutableBytes { $0.copyBytes(from: bytes) }
        return words.map(UInt64.init(littleEndian:))
    }

    /// A number that each change of the file changes; readable without the lock.
    static func mark(of file: borrowing FileDescriptor) -> UInt64 { (try? words(of: file).last) ?? 0 }

    /// Counts bytes that are about to be written.
    mutating func add(_ amount: Int) throws(FileError) {
        let old = self
        bytes = Int(clamping: UInt64(clamping: bytes ?? 0) &+ UInt64(clamping: amount))
        added &+= UInt64(clamping: amount)
        do { try write() } catch {
            self = old
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
        try open.file.write(words.map(\.littleEndian).withUnsafeBytes(Array.init), at: 0)
    }

    private static func checksum(_ words: [UInt64]) -> UInt64 {
        words.map(\.littleEndian).withUnsafeBytes {
            XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0[..<checksumOffset]))
        }
    }
}

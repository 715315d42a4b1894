internal import Glibc
internal import SpyglassThreads

/// The bytes that all processes together keep in a folder: one number in a file, under a lock (`flock`).
///
/// Whatever puts a file into the folder or takes one out does so while it holds the lock. A file's bytes are added before it is made and
/// subtracted after it is gone, so that a process killed in between leaves the count too high, never too low; the next sweep counts
/// afresh. The file: magic (8 bytes), bytes (8), bytes ever added (8), when a sweep last counted (8), XXH64 of those before (8).
final class DiskUsageCounter: Sendable {
    private struct State {
        var descriptor: Int32 = -1
        /// What the file said when somebody did not let go of the lock last time.
        var stuckMark: UInt64?
    }

    private let folder: DiskFolder
    private let lockFile: DiskFolder.Lock
    private let state = Mutex(State())

    /// How often a lock is tried, with waits that double from 20 µs to 1 ms: 0.25 s in all.
    ///
    /// Locks are held for some 20 µs; but a process that was stopped (Ctrl-Z) keeps its lock, and must not stop the others.
    private static let attempts = 256
    private static let firstPause: UInt32 = 20
    private static let maxPause: UInt32 = 1000
    /// How often that is done while others get the lock in turn.
    ///
    /// Four processes that store as fast as they can on ext4, whose journal at times holds one up for 0.3 s, were declined up to
    /// seven entries of ten with one.
    private static let rounds = 4

    init(folder: DiskFolder, lock: @escaping DiskFolder.Lock = { flock($0, $1) }) {
        self.folder = folder
        lockFile = lock
    }

    deinit {
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Runs `body` while no other thread and no other process holds the count.
    ///
    /// - Throws: what `body` throws; `EWOULDBLOCK` when somebody does not let go; why the file cannot be had.
    func withCount<Value: Sendable>(
        _ body: (inout DiskUsage) throws(SystemFailure) -> Value
    ) throws(SystemFailure) -> Value {
        try state.withLock { state throws(SystemFailure) in
            try lock(&state)
            defer { _ = lockFile(state.descriptor, LOCK_UN) }
            var count = DiskUsage(descriptor: state.descriptor)
            return try body(&count)
        }
    }

    private func lock(_ state: inout State) throws(SystemFailure) {
        while true {
            if state.descriptor < 0 {
                let file = try folder.agreement(DiskFolder.countName)
                // It is about to be written over.
                guard try DiskUsage.isOurs(file) else {
                    throw SystemFailure(code: EEXIST, name: DiskFolder.countName)
                }
                // A copy, since the first is closed with its owner.
                state.descriptor = fcntl(file.number, F_DUPFD_CLOEXEC, 0)
                guard state.descriptor >= 0 else { throw SystemFailure.last }
            }
            try wait(for: state.descriptor, stuckMark: &state.stuckMark)
            var status = stat()
            if fstat(state.descriptor, &status) == 0, status.st_nlink > 0 { return }
            // Somebody removed the file: who comes later agrees by another.
            close(state.descriptor)
            state.descriptor = -1
        }
    }

    private func wait(for descriptor: Int32, stuckMark: inout UInt64?) throws(SystemFailure) {
        if try takes(descriptor, attempts: 1) { return stuckMark = nil }
        for _ in 0..<Self.rounds {
            let mark = DiskUsage.mark(of: descriptor)
            // Once is enough to find out that somebody was stopped; the next callers do not wait again.
            guard mark != stuckMark else { break }
            if try takes(descriptor, attempts: Self.attempts) { return stuckMark = nil }
            stuckMark = mark
        }
        throw SystemFailure(code: EWOULDBLOCK)
    }

    /// Whether the lock is to be had within so many attempts.
    private func takes(_ descriptor: Int32, attempts: Int) throws(SystemFailure) -> Bool {
        var pause = Self.firstPause
        for attempt in 1...attempts {
            if lockFile(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            let failure = SystemFailure.last
            guard failure.code == EWOULDBLOCK || failure.code == EINTR else { throw failure }
            guard attempt < attempts else { break }
            usleep(pause)
            pause = min(pause * 2, Self.maxPause)
        }
        return false
    }
}

/// What the ledger says, while its lock is held; every change is written at once.
struct DiskUsage {
    /// Bytes kept by all processes, temporaries included; `nil` when the file says nothing that can be believed.
    private(set) var bytes: Int?
    /// Bytes ever added, as far as the file remembers.
    private(set) var added: UInt64 = 0
    /// When a sweep last counted.
    private(set) var recounted = WallTime(milliseconds: 0)
    private let descriptor: Int32

    private static let magic: UInt64 = 0x0A1A_0A0D_434E_5453
    private static let wordCount = 5
    private static let checksumOffset = 32

    /// Whether a file may be written over: it is empty, begins as ours do, give or take a byte that was damaged, or with the
    /// zeros that a crash of the system leaves.
    static func isOurs(_ file: borrowing FileDescriptor) throws(SystemFailure) -> Bool {
        var beginning: UInt64 = 0
        var failure: SystemFailure?
        let count = withUnsafeMutableBytes(of: &beginning) { bytes -> Int in
            do throws(SystemFailure) { return try file.read(into: bytes, at: 0) } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        if beginning == 0 { return true }
        let wrong = withUnsafeBytes(of: beginning.littleEndian ^ Self.magic) { $0.prefix(count).count { $0 != 0 } }
        return wrong == 0 || count == 8 && wrong == 1
    }

    fileprivate init(descriptor: Int32) {
        self.descriptor = descriptor
        var words = [UInt64](repeating: 0, count: Self.wordCount)
        let count = words.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == Self.wordCount * 8, words[0].littleEndian == Self.magic else { return }
        guard words[4].littleEndian == Self.checksum(words), let bytes = Int(exactly: words[1].littleEndian) else {
            return
        }
        self.bytes = bytes
        added = words[2].littleEndian
        recounted = WallTime(milliseconds: Int64(bitPattern: words[3].littleEndian))
    }

    /// A number that every change of the file changes; it may be read without the lock.
    static func mark(of descriptor: Int32) -> UInt64 {
        var checksum: UInt64 = 0
        let count = withUnsafeMutableBytes(of: &checksum) {
            pread(descriptor, $0.baseAddress, $0.count, checksumOffset)
        }
        return count == 8 ? checksum : 0
    }

    /// Counts bytes that are about to be written.
    mutating func add(_ amount: Int) throws(SystemFailure) {
        let old = self
        bytes = Int(clamping: UInt64(clamping: bytes ?? 0) &+ UInt64(clamping: amount))
        added &+= UInt64(clamping: amount)
        do { try write() } catch {
            self = old
            throw error
        }
    }

    /// Counts bytes that are gone.
    mutating func subtract(_ amount: Int) {
        guard let bytes else { return }
        self.bytes = max(0, bytes - amount)
        // What cannot be written leaves the count too high, until the next sweep.
        try? write()
    }

    /// Puts what a sweep counted in place of what was believed.
    mutating func set(_ bytes: Int, recounted: WallTime) throws(SystemFailure) {
        self.bytes = bytes
        self.recounted = recounted
        try write()
    }

    private func write() throws(SystemFailure) {
        var words: [UInt64] = [
            Self.magic.littleEndian, UInt64(clamping: bytes ?? 0).littleEndian, added.littleEndian,
            UInt64(bitPattern: recounted.milliseconds).littleEndian, 0,
        ]
        words[4] = Self.checksum(words).littleEndian
        let count = words.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == words.count * 8 else { throw count < 0 ? SystemFailure.last : SystemFailure(code: ENOSPC) }
    }

    private static func checksum(_ words: [UInt64]) -> UInt64 {
        words.withUnsafeBytes { XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0[..<checksumOffset])) }
    }
}

import Glibc
import SpyglassFiles
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassCaching

@Suite("DiskUsageCounter")
struct DiskUsageCounterTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A caller waits while other processes take turns")
    func busyNeighbours() throws {
        let files = try DiskFolder.opening(folder.path)
        let other = DiskUsageCounter(folder: files)
        let attempts = Mutex(0)
        let usage = DiskUsageCounter(folder: files) { descriptor, operation in
            guard operation != LOCK_UN else { return flock(descriptor, operation) }
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            guard attempt < 400 else { return flock(descriptor, operation) }
            // Another process took a turn.
            try? other.withCount { count throws(FileError) in try count.add(4096) }
            errno = EWOULDBLOCK
            return -1
        }
        #expect(try usage.withCount { $0.bytes } == 399 * 4096)
        #expect(attempts.withLock { $0 } == 400)
    }

    @Test("While a process is stopped with the lock, only the first caller waits")
    func stoppedNeighbour() throws {
        let files = try DiskFolder.opening(folder.path)
        let other = DiskUsageCounter(folder: files)
        try other.withCount { count throws(FileError) in try count.add(4096) }
        let state = Mutex((attempts: 0, isPaused: true))
        let usage = DiskUsageCounter(folder: files) { descriptor, operation in
            let isPaused = state.withLock { state in
                state.attempts += 1
                return state.isPaused
            }
            guard isPaused else { return flock(descriptor, operation) }
            errno = EWOULDBLOCK
            return -1
        }
        let busy = FileError("flock", code: EWOULDBLOCK)
        #expect(throws: busy) { try usage.withCount { $0.bytes } }
        #expect(state.withLock { $0.attempts } > 100)
        state.withLock { $0.attempts = 0 }
        for _ in 0..<5 { #expect(throws: busy) { try usage.withCount { $0.bytes } } }
        #expect(state.withLock { $0.attempts } == 5)
        // The process continues and holds the lock again.
        try other.withCount { count throws(FileError) in try count.add(4096) }
        #expect(throws: busy) { try usage.withCount { $0.bytes } }
        #expect(state.withLock { $0.attempts } > 100)
        state.withLock { $0.isPaused = false }
        #expect(try usage.withCount { $0.bytes } == 8192)
    }

    @Test("Counts are clamped at both ends")
    func clamping() throws {
        let usage = DiskUsageCounter(folder: try DiskFolder.opening(folder.path))
        try usage.withCount { count throws(FileError) in
            try count.set(.max - 10, recounted: WallTime(seconds: 0))
            try count.add(.max)
            #expect(count.bytes == .max)
            count.subtract(.max)
            count.subtract(.max)
            #expect(count.bytes == 0)
        }
        #expect(try usage.withCount { $0.bytes } == 0)
    }
}

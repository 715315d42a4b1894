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
        let attempts = Mutex(0)
        let usage = DiskUsageCounter(folder: try DiskFolder.opening(folder.path)) { descriptor, operation in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            guard attempt < 20 else { return flock(descriptor, operation) }
            errno = EWOULDBLOCK
            return -1
        }
        #expect(try usage.withCount { $0.bytes } == nil)
        #expect(attempts.withLock { $0 } == 20)
    }

    @Test("While a process is stopped with the lock, only the first caller waits")
    func stoppedNeighbour() throws {
        let state = Mutex((attempts: 0, isStopped: true))
        let files = try DiskFolder.opening(folder.path)
        let usage = DiskUsageCounter(folder: files, maxMilliseconds: 10) { descriptor, operation in
            let isStopped = state.withLock { state in
                state.attempts += 1
                return state.isStopped
            }
            guard isStopped else { return flock(descriptor, operation) }
            errno = EWOULDBLOCK
            return -1
        }
        let busy = FileError("flock", code: EWOULDBLOCK)
        #expect(throws: busy) { try usage.withCount { $0.bytes } }
        #expect(state.withLock { $0.attempts } >= 10)
        state.withLock { $0.attempts = 0 }
        for _ in 0..<5 { #expect(throws: busy) { try usage.withCount { $0.bytes } } }
        #expect(state.withLock { $0.attempts } == 5)
        state.withLock { $0.isStopped = false }
        #expect(try usage.withCount { $0.bytes } == nil)
    }

    @Test("Threads of one process exclude each other")
    func concurrentCallers() async throws {
        let files = try DiskFolder.opening(folder.path)
        let usage = DiskUsageCounter(folder: files)
        try usage.withCount { count throws(FileError) in try count.set(0, recounted: WallTime(seconds: 0)) }
        let threads = ThreadPool(count: 4)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await threads.run { _ in
                        for _ in 0..<100 { try usage.withCount { count throws(FileError) in try count.add(1) } }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try usage.withCount { $0.bytes } == 400)
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

import Glibc
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFiles

@Suite("FileDescriptor")
struct FileDescriptorTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Written bytes are read back, from any offset to the end")
    func roundTrip() throws {
        let file = try Folder.working.open(folder.path("a"), [.readAndWrite, .create])
        try file.write([1, 2, 3], [4, 5])
        try file.write([9], at: 1)
        #expect(try file.bytes(10) == [1, 9, 3, 4, 5])
        #expect(try file.bytes(2, at: 3, after: [7, 8]) == [7, 8, 4, 5])
        #expect(try file.status.byteCount == 5)
        try file.empty()
        try file.write([6])
        #expect(try file.bytes(10) == [6])
    }

    @Test("Interrupted and short writes are continued", arguments: [1, 2, 7])
    func shortWrites(byteCount: Int) throws {
        let file = try Folder.working.open(folder.path("a"), [.readAndWrite, .create])
        let calls = Mutex(0)
        try file.write([1, 2, 3, 4, 5], [6, 7, 8, 9]) { number, parts, _ in
            let isInterrupted = calls.withLock { calls in
                calls += 1
                return calls.isMultiple(of: 2)
            }
            guard !isInterrupted else {
                errno = EINTR
                return -1
            }
            return write(number, parts[0].iov_base, min(byteCount, parts[0].iov_len))
        }
        #expect(try file.bytes(20) == [1, 2, 3, 4, 5, 6, 7, 8, 9])
    }

    @Test("A write that takes no byte is a full disk")
    func noProgress() throws {
        let file = try Folder.working.open(folder.path("a"), [.readAndWrite, .create])
        #expect(throws: FileError("writev", code: ENOSPC)) { try file.write([1]) { _, _, _ in 0 } }
    }

    @Test("Reading stops above the limit, and after the timeout of a silent pipe")
    func limits() throws {
        try folder.write("ten", [UInt8](repeating: 1, count: 10))
        #expect(try Folder.working.open(folder.path("ten")).readAll(limit: 10).count == 10)
        #expect(throws: FileError("read", cause: .tooLarge)) {
            try Folder.working.open(folder.path("ten")).readAll(limit: 9)
        }
        try folder.pipe("pipe")
        // Another descriptor keeps the pipe open for writing.
        let writer = FileDescriptor(owning: open(folder.path("pipe"), O_RDWR))
        let reader = try Folder.working.open(folder.path("pipe"))
        #expect(throws: FileError("poll", code: ETIMEDOUT)) { try reader.readAll(limit: 10, timeout: 0) }
        extendLifetime(writer)
    }

    @Test("A lock is held by one descriptor at a time")
    func lock() throws {
        try folder.write("a", "")
        let first = try Folder.working.open(folder.path("a"))
        do {
            let second = try Folder.working.open(folder.path("a"))
            #expect([second.lock(), first.lock()] == [.locked, .isHeldElsewhere])
        }
        #expect(first.lock() == .locked)
    }

    @Test(
        "The time of the last change is set exactly, also before 1970",
        arguments: [0, 1500, -1, -1500, 1_700_000_000_123])
    func modified(milliseconds: Int64) throws {
        let file = try Folder.working.open(folder.path("a"), [.readAndWrite, .create])
        file.setModified(.milliseconds(milliseconds))
        #expect(try file.status.modified == .milliseconds(milliseconds))
    }
}

@Suite("LocalFile")
struct LocalFileTests {
    @Test(
        "A path is divided into folder and name",
        arguments: [
            ("/home/ada/1.jpg", "/home/ada", "1.jpg"), ("/1.jpg", "/", "1.jpg"), ("1.jpg", ".", "1.jpg"),
            ("photos/1.jpg", "photos", "1.jpg"), ("./1.jpg", ".", "1.jpg"),
        ])
    func parts(path: String, folder: String, name: String) {
        let file = LocalFile(Array(path.utf8), FileStatus(stat()))
        #expect([file.folder, file.name] == [folder, name])
    }

    @Test("Bytes that are not UTF-8 are replaced")
    func notUTF8() {
        let file = LocalFile(Array("a".utf8) + [0xFF] + Array("/".utf8) + [0xFE], FileStatus(stat()))
        #expect([file.folder, file.name] == ["a\u{FFFD}", "\u{FFFD}"])
    }
}

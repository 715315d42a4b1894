import Foundation
import SpyglassFiles
import SpyglassTestSupport
import Testing

@testable import SpyglassBench

@Suite("ScratchFolder", .timeLimit(.minutes(10)))
struct ScratchFolderTests {
    @Test("It is removed with its contents, and nothing else is")
    func end() throws {
        let parent = try TemporaryFolder()
        try parent.write("mine", "x")
        do {
            let folder = try ScratchFolder(in: parent.path)
            let name = String(folder.path.dropFirst(parent.path.count + 1))
            try parent.write("\(name)/a/b/c", "1")
            try parent.link("\(name)/a/link", to: parent.path("mine"))
            #expect(parent.files.count == 3)
        }
        #expect(parent.files == ["mine"])
    }

    @Test("The folder of a killed process is removed without following links")
    func sweep() throws {
        let parent = try TemporaryFolder()
        try parent.write("mine/x", "1")
        try parent.write("spyglass-bench-aaaaaa/cache/a3/entry", "2")
        try parent.link("spyglass-bench-aaaaaa/mine", to: parent.path("mine"))
        try parent.link("spyglass-bench-bbbbbb", to: parent.path("mine"))
        try parent.write("spyglass-bench-cccccc", "a file")
        try parent.write("spyglass-bench-dddddd2/x", "another name")
        // The new folder is removed immediately; the others are swept.
        _ = try ScratchFolder(in: parent.path)
        #expect(
            parent.files == [
                "mine/x", "spyglass-bench-bbbbbb", "spyglass-bench-cccccc", "spyglass-bench-dddddd2/x",
            ])
    }

    @Test("An existing folder is never used")
    func existing() throws {
        let parent = try TemporaryFolder()
        let folder = try Folder(opening: parent.path)
        #expect(try ScratchFolder.create("taken", in: folder)?.isEmpty == true)
        #expect(try ScratchFolder.create("taken", in: folder)?.isEmpty == nil)
    }

    @Test("A folder that is in use is left alone")
    func inUse() throws {
        let parent = try TemporaryFolder()
        let first = try ScratchFolder(in: parent.path)
        let second = try ScratchFolder(in: parent.path)
        #expect(first.path != second.path)
        #expect(TestData.exists(first.path) && TestData.exists(second.path))
    }

    @Test("A missing folder is an error that names it")
    func noParent() {
        let error = #expect(throws: BenchError.self) { try ScratchFolder(in: "/no/such/folder") }
        #expect(error?.description == "cannot create a folder in /no/such/folder: No such file or directory")
    }

    /// Where a tmpfs is mounted; something else may be mounted above one of them.
    private static let memoryFolders = ((try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? "")
        .split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        .filter { $0.count > 2 && $0[2] == "tmpfs" }.map { $0[1] }

    @Test("A tmpfs is in memory", .enabled(if: !ScratchFolderTests.memoryFolders.isEmpty, "needs a tmpfs"))
    func memory() { #expect(Self.memoryFolders.contains { ScratchFolder.isInMemory($0) }) }

    @Test("Other file systems and missing folders are not in memory")
    func types() {
        #expect(!ScratchFolder.isInMemory("/proc"))
        #expect(!ScratchFolder.isInMemory("/no/such/folder"))
    }

    @Test("Every file leaves the page cache; a file that may stay is an error")
    func forgetting() throws {
        let parent = try TemporaryFolder()
        let folder = try ScratchFolder(in: parent.path)
        let name = String(folder.path.dropFirst(parent.path.count + 1))
        try parent.write("\(name)/a", "1")
        try parent.write("\(name)/b/c", "22")
        var sizes: [Int] = []
        try folder.forgetContents { file in
            var status = stat()
            fstat(file, &status)
            sizes.append(Int(status.st_size))
            return 0
        }
        #expect(sizes.sorted() == [1, 2])
        #expect(throws: BenchError("cannot measure \(folder.path) cold: Invalid argument")) {
            try folder.forgetContents { _ in EINVAL }
        }
    }
}

import Glibc
import SpyglassFiles
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("SavedReportFile", .timeLimit(.minutes(10)))
struct SavedReportFileTests {
    private let folder: TemporaryFolder
    private let path: String
    private static let run = #"{"machine":{},"results":[]}"#

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("run.json")
    }

    @Test("The file appears at the end, without temporary files")
    func new() throws {
        let file = try SavedReportFile(path: path)
        #expect(folder.files.isEmpty)
        try file.write("{}")
        #expect(folder.files == ["run.json"])
        #expect(try folder.text("run.json") == "{}\n")
    }

    @Test("A saved report is replaced atomically, with its permissions")
    func replacing() throws {
        try folder.write("run.json", Self.run)
        #expect(chmod(path, 0o640) == 0)
        // A reader has the old file open.
        let reader = open(path, O_RDONLY)
        defer { close(reader) }
        let file = try SavedReportFile(path: path)
        #expect(try folder.text("run.json") == Self.run)
        try file.write("{}")
        #expect(try folder.text("run.json") == "{}\n")
        #expect(Self.content(reader) == Self.run)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
        #expect(folder.files == ["run.json"])
    }

    @Test("A link stays, and its target is replaced")
    func link() throws {
        try folder.write("real.json", Self.run)
        try folder.link("link.json", to: folder.path("real.json"))
        try SavedReportFile(path: folder.path("link.json")).write("{}")
        #expect(try folder.text("real.json") == "{}\n")
        var status = stat()
        #expect(lstat(folder.path("link.json"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test("Other JSON files are not replaced", arguments: [#"{"a":1}"#, "{", "no run"])
    func otherContent(text: String) throws {
        try folder.write("run.json", text)
        let failure = #expect(throws: Failure.self) { try SavedReportFile(path: path) }
        #expect(failure?.code == .usage)
        #expect(try folder.text("run.json") == text)
    }

    @Test("An empty file is replaced")
    func empty() throws {
        try folder.write("run.json", "")
        try SavedReportFile(path: path).write("{}")
        #expect(try folder.text("run.json") == "{}\n")
    }

    @Test("A report that cannot be saved at the end is an error")
    func failing() throws {
        let file = try SavedReportFile(path: path)
        // A folder took the name after the check.
        #expect(mkdir(path, 0o755) == 0)
        let failure = #expect(throws: Failure.self) { try file.write("{}") }
        #expect(failure == Failure(.unavailable, "cannot save to \(path): Is a directory"))
        #expect(try Folder(opening: folder.path).names() == [Array("run.json".utf8)])
    }

    @Test("A folder, and a name in a missing folder, are errors at the start", arguments: ["", "no/such.json"])
    func noPlace(name: String) {
        let failure = #expect(throws: Failure.self) { try SavedReportFile(path: folder.path(name)) }
        #expect(failure?.code == .unavailable)
    }

    @Test("A pipe is written directly")
    func pipe() throws {
        try folder.pipe("pipe")
        let reader = open(folder.path("pipe"), O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        try SavedReportFile(path: folder.path("pipe")).write("{}")
        #expect(Self.content(reader) == "{}\n")
        #expect(folder.files == ["pipe"])
    }

    @Test("An open descriptor is written at its position", arguments: ["/dev/fd", "/proc/self/fd"])
    func descriptor(parent: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        #expect(write(descriptor, "first\n", 6) == 6)
        try SavedReportFile(path: "\(parent)/\(descriptor)").write("{}")
        #expect(write(descriptor, "last\n", 5) == 5)
        #expect(try folder.text("run.json") == "first\n{}\nlast\n")
    }

    @Test("A closed descriptor is an error")
    func noDescriptor() {
        #expect(throws: Failure.self) { try SavedReportFile(path: "/dev/fd/999999") }
    }

    /// The readable bytes of an open file or pipe.
    private static func content(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
}

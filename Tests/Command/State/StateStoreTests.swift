import Glibc
import SpyglassFiles
import SpyglassJSON
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import spyglass

@Suite("StateStore", .timeLimit(.minutes(10)))
struct StateStoreTests {
    private static let file = StateFile(name: "x.json", list: "list", byteLimit: 1000)

    private let root: TemporaryFolder
    private let lines = CallRecorder<String>()

    init() throws { root = try TemporaryFolder() }

    private func store(_ folder: String = "spyglass", timeout: Duration = .seconds(60)) -> StateStore {
        let folder = UserFolder(path: root.path(folder), evidence: "test")
        return StateStore(folder: folder, timeout: timeout, report: lines.record)
    }

    private func set(_ value: String, in store: StateStore) throws(Failure) {
        try store.change(Self.file) { $0 = ($0 ?? .object([])).setting([("a", .string(value))]) }
    }

    private func mode(_ name: String) throws -> UInt32 { try Folder.working.status(of: root.path(name)).permissions }

    @Test("A file is private, and nothing is left beside it")
    func roundTrip() throws {
        let store = store("a/b")
        #expect(try store.read(Self.file) == nil)
        try set("one", in: store)
        try set("two", in: store)
        #expect(try store.read(Self.file)?["a"] == .string("two") && root.files == ["a/b/x.json"])
        #expect(try [mode("a/b/x.json"), mode("a/b")] == [0o600, 0o700])
        try store.change(Self.file) { $0 = nil }
        #expect(root.files == [])
    }

    @Test("Members that are not changed stay as they were written, and without a change so does the file")
    func others() throws {
        let text = #" {"later": {"n": [1e2, -0.50, null, true]}, "a": 7, "\u009b": "x"}"#
        try root.write("spyglass/x.json", text)
        let before = try Folder.working.status(of: root.path("spyglass/x.json"))
        try store().change(Self.file) { _ in }
        #expect(try Folder.working.status(of: root.path("spyglass/x.json")) == before)
        try set("b", in: store())
        #expect(
            try root.text("spyglass/x.json")
                == #"{"later":{"n":[1e2,-0.50,null,true]},"a":"b","\u009b":"x"}"# + "\n")
    }

    @Test("A link stays, and its target is replaced")
    func link() throws {
        try root.write("dotfiles/settings.json", #"{"a":"old"}"#)
        try root.link("spyglass/x.json", to: root.path("dotfiles/settings.json"))
        try set("new", in: store())
        #expect(try root.text("dotfiles/settings.json") == #"{"a":"new"}"# + "\n")
        #expect(try Folder.working.status(of: root.path("spyglass/x.json")).kind == .link)
    }

    @Test(
        "Root writes nothing in a folder of another user, nor through its link",
        .enabled(if: geteuid() == 0, "only root can chown"), arguments: ["", "link"])
    func foreign(link: String) throws {
        try root.write("target", "{}")
        try root.link("spyglass/x.json", to: root.path("target"))
        if link.isEmpty {
            try #require(chown(root.path("spyglass"), 65_534, 65_534) == 0)
        } else {
            try root.link(link, to: root.path("spyglass"))
            try #require(lchown(root.path(link), 65_534, 65_534) == 0)
        }
        let problem = #expect(throws: Failure.self) { try set("new", in: store(link.isEmpty ? "spyglass" : link)) }
        #expect(try problem?.message.hasSuffix("belongs to another user") == true && root.text("target") == "{}")
    }

    @Test("A folder that cannot be created is one line")
    func unwritable() throws {
        try root.write("file", "")
        #expect(throws: Failure(.unavailable, "\(root.path("file/below/x.json")): Not a directory")) {
            try set("", in: store("file/below"))
        }
        #expect(!store("file/below").contains(Self.file))
    }

    @Test("A forbidden folder is reported with its own reason")
    func forbidden() {
        // Even root cannot create folders in sysfs.
        let store = StateStore(folder: UserFolder(path: "/sys/spyglass-tests/below", evidence: "test"))
        let problem = #expect(throws: Failure.self) { try set("", in: store) }
        let message = problem?.message ?? ""
        #expect(
            message.hasPrefix("/sys/spyglass-tests/below/x.json: ") && !message.hasSuffix("No such file or directory"))
    }

    static let damaged: [[UInt8]] =
        [
            "", "{", "[]", "nonsense", "\u{0}\u{1}", #"{"a":"b",}"#, #"{"a":"b"} {"#, #"{"list":{"a":1}}"#,
            #"{"list":null}"#, #"{"a":"# + String(repeating: "[", count: 99) + String(repeating: "]", count: 99) + "}",
            #"{"a":""# + String(repeating: "x", count: 1000) + #""}"#,
        ].map { Array($0.utf8) } + [Array(#"{"a":""#.utf8) + [0xFC] + Array(#""}"#.utf8)]

    @Test("A damaged file is one line, and is set aside byte for byte before it is replaced", arguments: damaged)
    func damage(bytes: [UInt8]) throws {
        let path = root.path("spyglass/x.json")
        for name in ["x.json.damaged", "x.json.damaged-2", "x.json.damaged-3"] {
            try root.write("spyglass/x.json", bytes)
            let problem = #expect(throws: Failure.self) { try store().read(Self.file) }
            let message = problem?.message ?? ""
            #expect(message.hasPrefix("\(path): ") && message.hasSuffix("; ignored"))
            try store().change(Self.file) { _ in }
            #expect(try root.read("spyglass/x.json") == bytes)
            try set("new", in: store())
            #expect(try root.text("spyglass/x.json") == #"{"a":"new"}"# + "\n")
            #expect(try root.read("spyglass/\(name)") == bytes)
            let line = try #require(lines.values.last)
            #expect(line.hasPrefix("kept the damaged file as \(root.path("spyglass/\(name)")): "))
        }
        #expect(lines.values.count == 3 && root.files.count == 4)
    }

    @Test("A folder or a pipe in the place of a file is set aside")
    func oddFiles() throws {
        try root.write("spyglass/x.json/inside", "precious")
        try set("new", in: store())
        #expect(try root.text("spyglass/x.json.damaged/inside") == "precious")
        try #require(unlink(root.path("spyglass/x.json")) == 0)
        try root.pipe("spyglass/x.json")
        try set("new", in: store())
        #expect(try root.text("spyglass/x.json") == #"{"a":"new"}"# + "\n")
        #expect(lines.values.count == 2)
    }

    @Test("Of a link to a damaged file, the link is set aside, and the file is not touched")
    func damagedLink() throws {
        try root.write("dotfiles/settings.json", "{")
        try root.link("spyglass/x.json", to: root.path("dotfiles/settings.json"))
        try set("new", in: store())
        #expect(try ["dotfiles/settings.json", "spyglass/x.json.damaged"].map { try root.text($0) } == ["{", "{"])
        #expect(root.files == ["dotfiles/settings.json", "spyglass/x.json", "spyglass/x.json.damaged"])
    }

    @Test("A change that cannot be written leaves the file where it is, damaged or not", arguments: ["{", "{}"])
    func tooLarge(text: String) throws {
        try root.write("spyglass/x.json", text)
        let problem = #expect(throws: Failure.self) { try set(String(repeating: "x", count: 1000), in: store()) }
        #expect(problem?.message.hasSuffix("x.json: larger than the limit") == true)
        #expect(try root.text("spyglass/x.json") == text && root.files.count == 1 && lines.values == [])
    }

    @Test("While another process has the lock nothing is written, and the wait ends")
    func locked() throws {
        try set("one", in: store())
        do {
            let other = try Folder(opening: root.path("spyglass"))
            #expect(other.descriptor.lock() == .locked)
            let problem = #expect(throws: Failure.self) { try set("two", in: store(timeout: .zero)) }
            #expect(
                problem?.message.hasSuffix("x.json: locked by another process; end or continue that process") == true)
            #expect(try store().read(Self.file)?["a"] == .string("one"))
            var patient = store(timeout: .milliseconds(1))
            #expect(throws: Failure.self) { try set("two", in: patient) }
            // A second wait would last an hour.
            patient.timeout = .seconds(3600)
            #expect(throws: Failure.self) { try set("two", in: patient) }
            withExtendedLifetime(other) {}
        }
        try set("two", in: store(timeout: .zero))
        #expect(try store().read(Self.file)?["a"] == .string("two"))
    }

    @Test("Concurrent changes of one file are all kept, and a reader never sees half of one")
    func concurrent() async throws {
        let writers = 4
        let changes = 25
        let threads = ThreadPool(count: writers + 1)
        let file = StateFile(name: "x.json")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask { [store = store()] in
                    try await threads.run { _ in
                        for change in 0..<changes {
                            try store.change(file) {
                                $0 = ($0 ?? .object([])).setting([("\(writer) \(change)", .bool(true))])
                            }
                        }
                    }
                }
            }
            group.addTask { [store = store()] in
                try await threads.run { _ in for _ in 0..<500 { _ = try store.read(file) } }
            }
            try await group.waitForAll()
        }
        guard case .object(let members)? = try store().read(file) else { throw Failure(.internalError, "no object") }
        #expect(Set(members.map(\.name)).count == writers * changes)
        #expect(lines.values == [] && root.files == ["spyglass/x.json"])
    }
}

@Suite("UserFolder", .timeLimit(.minutes(10)))
struct UserFolderTests {
    @Test("XDG variables override the home folder, unless relative")
    func places() {
        let home = ["HOME": "/home/ada"]
        #expect(UserFolder.settings(in: Environment(home))?.path == "/home/ada/.config/spyglass")
        #expect(UserFolder.state(in: Environment(home))?.path == "/home/ada/.local/state/spyglass")
        let both = home.merging(["XDG_CONFIG_HOME": "/etc/ada", "XDG_STATE_HOME": "here"]) { $1 }
        #expect(UserFolder.settings(in: Environment(both))?.path == "/etc/ada/spyglass")
        #expect(UserFolder.state(in: Environment(both))?.path == "/home/ada/.local/state/spyglass")
        #expect(UserFolder.settings(in: Environment()) == nil)
    }

    @Test("A pipe, a folder and a huge file are errors")
    func oddFiles() throws {
        let root = try TemporaryFolder()
        try root.pipe("pipe")
        try root.write("folder/inside", "")
        try root.write("huge", [UInt8](repeating: 0x20, count: UserFolder.byteLimit + 1))
        let folder = UserFolder(path: root.path, evidence: "test")
        for name in ["pipe", "folder", "huge"] {
            #expect(throws: Failure.self, "\(name)") { try folder.read(name) }
        }
    }
}

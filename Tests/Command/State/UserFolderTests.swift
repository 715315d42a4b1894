import Glibc
import SpyglassTestSupport
import Testing

@testable import spyglass

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

    @Test("A written file is private and can be read")
    func roundTrip() throws {
        let root = try TemporaryFolder()
        let folder = UserFolder(path: root.path("a/b"), evidence: "test")
        #expect(try folder.read("x.json") == nil)
        try folder.write("x.json", "one")
        try folder.write("x.json", "two")
        #expect(try folder.read("x.json") == Array("two".utf8))
        #expect(root.files == ["a/b/x.json"])
        #expect(Self.mode(root.path("a/b/x.json")) == 0o600)
        #expect(Self.mode(root.path("a/b")) == 0o700)
    }

    @Test("A link stays, and its target is replaced")
    func link() throws {
        let root = try TemporaryFolder()
        try root.write("dotfiles/settings.json", "old")
        try root.link("ours/settings.json", to: root.path("dotfiles/settings.json"))
        try UserFolder(path: root.path("ours"), evidence: "test").write("settings.json", "new")
        #expect(try root.text("dotfiles/settings.json") == "new")
        #expect(root.files.contains("dotfiles/settings.json"))
    }

    @Test(
        "Root writes nothing in a folder of another user, nor through its link",
        .enabled(if: geteuid() == 0, "only root can chown"), arguments: ["", "link"])
    func foreign(link: String) throws {
        let root = try TemporaryFolder()
        try root.write("target", "precious")
        try root.link("ours/x.json", to: root.path("target"))
        if link.isEmpty {
            try #require(chown(root.path("ours"), 65_534, 65_534) == 0)
        } else {
            try root.link(link, to: root.path("ours"))
            try #require(lchown(root.path(link), 65_534, 65_534) == 0)
        }
        let folder = UserFolder(path: root.path(link.isEmpty ? "ours" : link), evidence: "test")
        let problem = #expect(throws: Failure.self) { try folder.write("x.json", "new") }
        #expect(problem?.message.hasSuffix("belongs to another user") == true)
        #expect(try root.text("target") == "precious")
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

    @Test("A folder that cannot be created is one line")
    func unwritable() throws {
        let root = try TemporaryFolder()
        try root.write("file", "")
        let folder = UserFolder(path: root.path("file/below"), evidence: "test")
        #expect(throws: Failure(.unavailable, "\(root.path("file/below/x")): Not a directory")) {
            try folder.write("x", "")
        }
        try folder.remove("x")
    }

    @Test("A forbidden folder is reported with its own reason")
    func forbidden() {
        // Even root cannot create folders in sysfs.
        let folder = UserFolder(path: "/sys/spyglass-tests/below", evidence: "test")
        let problem = #expect(throws: Failure.self) { try folder.write("x", "") }
        #expect(problem?.message.hasPrefix("/sys/spyglass-tests/below/x: ") == true)
        #expect(problem?.message.hasSuffix("No such file or directory") == false)
    }

    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }
}

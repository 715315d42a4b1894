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

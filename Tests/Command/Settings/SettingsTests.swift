import Glibc
import SpyglassBrowser
import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("Settings", .timeLimit(.minutes(10)))
struct SettingsTests {
    private let root: TemporaryFolder
    private let fake: FakeSystem

    init() throws {
        root = try TemporaryFolder()
        var fake = FakeSystem()
        fake.environment["XDG_CONFIG_HOME"] = root.path
        self.fake = fake
        try root.write(
            "spyglass/settings.json",
            #"{"source":"demo","color":"16","language":"de","memoryLimit":1048576,"diskLimit":2097152,"mouse":false}"#)
    }

    private func settings(_ words: String..., environment: [String: String] = [:]) throws -> Settings {
        let run = try Line(words, environment: environment).run()
        return try Settings(run.options, for: run.command, on: fake.services)
    }

    @Test("browse uses the settings file, and names it as evidence")
    func file() throws {
        let settings = try settings("browse")
        #expect(settings.source == DemoSource.declaration)
        #expect(settings.terminal.color == .init(.palette16, evidence: "the settings file"))
        #expect(settings.automatic.color == .truecolor)
        #expect(settings.language == .init(.german, evidence: "the settings file"))
        #expect(settings.memoryLimit?.value == 1 << 20)
        #expect(settings.diskLimit?.value == 2 << 20)
        #expect(!settings.preferences.usesMouse)
    }

    @Test("A key file that others may read is the reason why a source cannot be searched")
    func openKeyFile() throws {
        let tumblr = try #require(SourceRegistry.named("tumblr"))
        #expect(try settings("browse").obstacle(to: tumblr)?.hasPrefix("Tumblr needs a key: set") == true)
        try root.write("spyglass/tumblr.key", Array("s3cret".utf8))
        let path = root.path("spyglass/tumblr.key")
        for (mode, obstacle) in [(0o600, nil), (0o644, "\(path): others may read it; run chmod 600 on it")] {
            #expect(chmod(path, mode_t(mode)) == 0)
            #expect(try settings("browse").obstacle(to: tumblr) == obstacle)
        }
    }

    @Test("Options and variables override the settings file")
    func options() throws {
        let settings = try settings(
            "browse", "--source", "nasa", "--color", "256", environment: ["SPYGLASS_DISK_LIMIT": "8MiB"])
        #expect(settings.source == .nasa)
        #expect(settings.preferences.source == "nasa")
        #expect(settings.terminal.color == .init(.palette256, evidence: "--color 256"))
        #expect(settings.diskLimit == .init(8 << 20, evidence: "--disk-limit"))
    }

    @Test("Other commands ignore the settings file", arguments: ["list", "doctor", "resize"])
    func otherCommands(command: String) throws {
        let settings = try settings(command)
        #expect(settings.source == .nasa)
        #expect(settings.terminal.color.value == .truecolor)
        #expect(settings.language.value == .english)
        #expect(settings.diskLimit == nil)
    }
}

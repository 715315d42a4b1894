import SpyglassBrowser
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("KeysFile", .timeLimit(.minutes(10)))
struct KeysFileTests {
    private let root: TemporaryFolder
    private var fake = FakeSystem()

    init() throws {
        root = try TemporaryFolder()
        fake.environment["XDG_CONFIG_HOME"] = root.path
    }

    @Test("help keys prints the table with the present bindings")
    func page() async throws {
        let usual = await fake.run("help", "keys")
        #expect(usual.code == .success && usual.errors == "" && usual.output.contains("Space"))
        #expect(usual.output.contains("\(root.path)/spyglass/keys.json"))
        try root.write("spyglass/keys.json", #"{"z": "mark"}"#)
        let changed = await fake.run("help", "keys")
        #expect(changed.code == .success && changed.output.contains("z Space"))
    }

    @Test("Wrong lines are named by help keys and doctor, at most eight")
    func mistakes() async throws {
        try root.write("spyglass/keys.json", #"{"z": "mark", "b": "marc", "Esc": "up"}"#)
        let outcome = await fake.run("help", "keys")
        #expect(outcome.code == .someFailed && outcome.output.contains("z Space"))
        #expect(outcome.errors.split(separator: "\n").count == 2 && outcome.errors.contains("did you mean mark?"))
        #expect(await fake.run("doctor", "--json", "--source", "demo").output.contains("spyglass help keys names all"))
        let many = (0..<4000).map { "\"k\($0)\": 1" }.joined(separator: ",")
        try root.write("spyglass/keys.json", "{\(many)}")
        var second = FakeSystem()
        second.environment["XDG_CONFIG_HOME"] = root.path
        #expect(await second.run("help", "keys").errors.split(separator: "\n").count == 9)
    }

    @Test(
        "A file that cannot be read is ignored, with one line",
        arguments: [
            "{", "[]", "nonsense", String(repeating: "[", count: 10_000), "{\"x\": \"\u{1}\"}",
            "{\"x\":" + String(repeating: "{\"x\":", count: 100) + "1" + String(repeating: "}", count: 101),
            String(repeating: " ", count: UserFolder.byteLimit + 1) + "{}",
        ])
    func damaged(text: String) async throws {
        try root.write("spyglass/keys.json", text)
        let outcome = await fake.run("help", "keys")
        #expect(outcome.code == .someFailed && outcome.output.contains("Space"))
        #expect(outcome.errors.split(separator: "\n").count == 1 && outcome.errors.count < 400, "\(outcome.errors)")
        #expect(root.files.contains { $0.contains("keys.json") }, "It is only read")
    }
}

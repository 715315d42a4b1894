import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("CommandsFile")
struct CommandsFileTests {
    @Test("Commands are read back once each, the newest first, and only the last hundred stay")
    func history() throws {
        let root = try TemporaryFolder()
        let file = CommandsFile(store: StateStore(folder: UserFolder(path: root.path, evidence: "test")))
        for number in 1...120 { try file.put([PastCommand(text: "ls \(number)")]) }
        try file.put([PastCommand(text: "ls 100")])
        let texts = try file.read().map(\.text)
        #expect(texts.count == 100 && texts.prefix(3) == ["ls 100", "ls 120", "ls 119"])
        try file.put([PastCommand(text: ""), PastCommand(text: String(repeating: "x", count: 2000))])
        #expect(try file.read().map(\.text) == texts, "What could not be read back is left out")
    }
}

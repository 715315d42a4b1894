import SpyglassFetching
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("Program", .timeLimit(.minutes(10)))
struct ProgramTests {
    @Test("An empty command line prints help and succeeds")
    func nothing() async {
        #expect(await FakeSystem().run() == .init(code: .success, output: HelpPage.overview(), errors: ""))
    }

    @Test("--version prints one line")
    func version() async {
        #expect(
            await FakeSystem().run("--version")
                == .init(code: .success, output: "spyglass \(SpyglassVersion.current)\n", errors: ""))
    }

    @Test("Messages clean what they quote")
    func hostileMessage() async {
        let outcome = await FakeSystem().run("list", "--x\u{1B}]0;owned\u{7}\n\u{202E}y")
        #expect(outcome.code == .usage)
        #expect(outcome.errors.split(separator: "\n").count == 1)
        #expect(!outcome.errors.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E })
    }

    @Test(
        "A closed pipe is not an error",
        arguments: [["help"], ["list", "--source", "demo"], ["completions", "zsh"]])
    func closedPipe(words: [String]) async {
        let fake = FakeSystem()
        fake.output.fail(.outputClosed)
        #expect(await fake.run(words) == .init(code: .success, output: "", errors: ""))
    }

    @Test("A failing output exits 3 with the system's message")
    func fullDisk() async {
        let fake = FakeSystem()
        fake.output.fail(.writeFailed(errno: 28))
        let outcome = await fake.run("help")
        #expect(outcome.code == .unavailable)
        #expect(outcome.errors == "spyglass: cannot write the output: No space left on device\n")
    }

    @Test("completions needs a known shell")
    func completions() async {
        #expect(
            await FakeSystem().run("completions").errors == "spyglass: completions needs a shell: bash, zsh or fish\n")
        #expect(
            await FakeSystem().run("completions", "csh").errors
                == "spyglass: unknown completions shell csh; did you mean zsh?\n")
        #expect(await FakeSystem().run("completions", "bash").output == CompletionScript.text(for: .bash))
    }

    @Test("Without a terminal, words without a command are listed")
    func wordsAlone() async {
        #expect(await FakeSystem().run().output == HelpPage.overview())
        let bare = await FakeSystem().run("--source", "demo", "--limit", "1")
        #expect(bare.code == .success)
        #expect(bare.errors == "spyglass: 1 of 10,000\n")
        let words = await FakeSystem().run("--source", "demo", "--limit", "1", "ice", "cliffs")
        #expect(words.code == .success)
        #expect(words.lines.first?.contains("Ice cliffs") == true)
        let listed = await FakeSystem().run("list", "--source", "demo", "--limit", "1", "ice", "cliffs")
        #expect(listed == words)
    }
}

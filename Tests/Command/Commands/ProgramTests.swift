import SpyglassFetching
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("Program", .timeLimit(.minutes(10)))
struct ProgramTests {
    @Test("--version prints one line")
    func version() async {
        #expect(await FakeSystem().run("--version") == .init(output: "spyglass \(SpyglassVersion.current)\n"))
    }

    @Test("Messages clean what they quote")
    func hostileMessage() async {
        let outcome = await FakeSystem().run("list", "--x\u{1B}]0;owned\u{7}\n\u{202E}y")
        #expect(outcome.code == .usage && outcome.errors.split(separator: "\n").count == 1)
        #expect(!outcome.errors.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E })
    }

    @Test("A failing output exits 3 with the system's message")
    func fullDisk() async {
        let fake = FakeSystem()
        fake.output.fail(.writeFailed(errno: 28))
        let line = "cannot write the output: No space left on device"
        #expect(await fake.run("help") == .failed(line, .unavailable))
    }

    @Test("completions needs a known shell")
    func completions() async {
        for (words, line) in [
            ([], "completions needs a shell: bash, zsh or fish"),
            (["csh"], "unknown completions shell csh; did you mean zsh?"),
        ] {
            #expect(await FakeSystem().run(["completions"] + words) == .failed(line, .usage))
        }
        #expect(await FakeSystem().run("completions", "bash").output == CompletionScript.text(for: .bash))
    }

    @Test("Without a terminal, words without a command are listed, and an empty command line prints help")
    func wordsAlone() async {
        #expect(await FakeSystem().run() == .init(output: HelpPage.overview()))
        let bare = await FakeSystem().run("--source", "demo", "--limit", "1")
        #expect(bare.code == .success && bare.errors == "spyglass: 1 of 10,000\n")
        let words = ["--source", "demo", "--limit", "1", "ice", "cliffs"]
        let found = await FakeSystem().run(words)
        #expect(found.code == .success && found.lines.first?.contains("Ice cliffs") == true)
        #expect(await FakeSystem().run(["list"] + words) == found)
    }
}

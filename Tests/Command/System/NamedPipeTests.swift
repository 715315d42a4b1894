import Glibc
import SpyglassFiles
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("Named pipes", .timeLimit(.minutes(10)))
struct NamedPipeTests {
    private let folder: TemporaryFolder
    private let pipe: Argument

    init() throws {
        folder = try TemporaryFolder()
        pipe = Argument(folder.path("pipe"))
        #expect(mkfifo(pipe.text, 0o600) == 0)
    }

    @Test("isPipe is true only for pipes")
    func isPipe() throws {
        try folder.write("file", "x")
        let names = [pipe.text, folder.path("file"), "/nonexistent"]
        #expect(names.map { Argument($0).isPipe } == [true, false, false])
    }

    @Test("A link that leads nowhere exists but is no file")
    func brokenLinks() throws {
        try folder.link("gone", to: "nothing")
        try folder.link("loop", to: "loop")
        for name in ["gone", "loop"] {
            let argument = Argument(folder.path(name))
            #expect(argument.exists && !argument.isFile, "\(name)")
        }
        #expect(!Argument(folder.path("nothing")).exists)
    }

    @Test("A pipe without a writer times out")
    func noWriter() {
        #expect(throws: FileError("poll", code: ETIMEDOUT)) {
            try Folder.working.open(pipe).readAll(limit: 100, timeout: 0)
        }
    }

    @Test("The limit is inclusive", arguments: [(3, true), (2, false)])
    func limit(limit: Int, isAllowed: Bool) throws {
        // Opened for both directions, a pipe needs no other end (fifo(7)).
        let descriptor = open(pipe.text, O_RDWR)
        defer { close(descriptor) }
        #expect(write(descriptor, "abc", 3) == 3)
        let error = isAllowed ? FileError("poll", code: ETIMEDOUT) : FileError("read", cause: .tooLarge)
        // The writer stays open, so the pipe never ends.
        #expect(throws: error) { try Folder.working.open(pipe).readAll(limit: limit, timeout: 0) }
    }
}

@Suite("Console")
struct ConsoleTests {
    @Test("Messages use the characters of the locale", arguments: [("C.UTF-8", "café.jpg"), ("C", "cafe.jpg")])
    func characters(locale: String, name: String) {
        var fake = FakeSystem()
        fake.environment = ["LC_ALL": locale]
        Console(fake.services).error("café.jpg: no such file\u{1B}[2J")
        let replaced = locale == "C" ? "?" : "\u{FFFD}"
        #expect(fake.errors.text == "spyglass: \(name): no such file\(replaced)[2J\n")
    }

    @Test("Progress ends with the first output into a pipe, whose reader may write on the same terminal")
    func progressBesidePipe() throws {
        for isPipe in [false, true] {
            var fake = FakeSystem()
            (fake.errorsAreTerminal, fake.outputIsPipe) = (true, isPipe)
            let console = Console(fake.services, progressOn: fake.services.terminal(nil))
            console.progress("first")
            try console.print("item")
            console.progress("second")
            #expect(fake.errors.text.contains("first") && fake.errors.text.contains("second") == !isPipe)
        }
    }
}

import Glibc
import SpyglassFetching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassBrowser

@Suite("DesktopOpener", .timeLimit(.minutes(10)), .serialized)
struct DesktopOpenerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A program that records its arguments and environment.
    private func makeProgram(_ script: String) throws -> String {
        try folder.write("opener", "#!/bin/sh\n\(script)\n")
        chmod(folder.path("opener"), 0o700)
        return folder.path("opener")
    }

    /// Runs it and returns its status.
    private func open(_ text: String, _ program: String) async throws -> Int32 {
        let address = try #require(WebAddress(text))
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        try DesktopOpener.open(.page(address), with: program) { end.yield($0) }
        return try #require(await ends.first { _ in true })
    }

    @Test("The address is one argument, without a shell")
    func oneWord() async throws {
        let program = try makeProgram(#"printf '%s' "$#:$1" > "$(dirname "$0")/said""#)
        _ = try await open("https://pages.example/a?b=$(id)&c='%20;ls", program)
        let said = String(decoding: try folder.read("said"), as: UTF8.self)
        #expect(said.hasPrefix("1:https://pages.example/a?b="))
        #expect(said == "1:" + (try #require(WebAddress("https://pages.example/a?b=$(id)&c='%20;ls"))).text)
    }

    @Test("The program gets its own session and inherits no descriptor")
    func inheritance() async throws {
        // Without O_CLOEXEC, as in a library.
        let leaked = Glibc.open("/dev/zero", O_RDONLY)
        defer { close(leaked) }
        let program = try makeProgram(
            #"cd "$(dirname "$0")"; ls -l /proc/$$/fd > fds; cut -d' ' -f6 /proc/$$/stat > session; echo $$ >> session"#
        )
        _ = try await open("https://pages.example/", program)
        let descriptors = String(decoding: try folder.read("fds"), as: UTF8.self)
        #expect(!descriptors.contains("/dev/zero"))
        #expect(descriptors.split(separator: "\n").count { $0.hasSuffix("-> /dev/null") } >= 2)
        let session = String(decoding: try folder.read("session"), as: UTF8.self).split(separator: "\n")
        #expect(session.first == session.last)
    }

    @Test("Signals that we ignore still end the program")
    func signals() async throws {
        signal(SIGPIPE, SIG_IGN)
        let program = try makeProgram("kill -PIPE $$; exit 7")
        #expect(try await open("https://pages.example/", program) & 0x7F == SIGPIPE)
    }

    @Test("No zombie stays, even of a program that runs on")
    func zombies() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        let address = try #require(WebAddress("https://pages.example/"))
        let pipe = folder.path("pipe")
        mkfifo(pipe, 0o600)
        let staying = try makeProgram(#"read line < "$(dirname "$0")/pipe"; exit 3"#)
        try DesktopOpener.open(.page(address), with: staying) { end.yield($0) }
        try DesktopOpener.open(.page(address), with: "true") { end.yield($0) }
        var codes = ends.makeAsyncIterator()
        #expect(await codes.next() == 0)
        // Blocks until a reader opens it.
        let writer = Glibc.open(pipe, O_WRONLY)
        close(writer)
        #expect(await codes.next() == 3 << 8)
    }

    @Test("A missing program is an error that names it")
    func missing() throws {
        let address = try #require(WebAddress("https://pages.example/"))
        let error = #expect(throws: BrowserError.self) {
            try DesktopOpener.open(.page(address), with: "spyglass-no-such-program")
        }
        #expect(error?.reason == "spyglass-no-such-program: No such file or directory")
    }
}

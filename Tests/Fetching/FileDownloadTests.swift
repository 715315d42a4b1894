import Glibc
import SpyglassCaching
import SpyglassFiles
import SpyglassTestSupport
import Testing

@testable import SpyglassFetching

@Suite("FileDownload", .timeLimit(.minutes(10)))
struct FileDownloadTests {
    private let folder: TemporaryFolder
    private let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    private let download = FileDownload(transport: RetryingTransport(CurlTransport()))

    init() throws { folder = try TemporaryFolder() }

    /// The names in the folder, hidden files too.
    private var names: [String] { folder.files }

    // MARK: - Sizes

    @Test("The size is requested with HEAD, on a connection that carries a GET next")
    func size() async throws {
        let server = try LoopbackServer { [body] in $0.method == "HEAD" ? .init(length: 300_000) : .init(body: body) }
        let transport = CurlTransport()
        let start = ContinuousClock.now
        for _ in 0..<2 {
            let size = try await FileDownload(transport: transport).size(of: server.address("/moon.tif"))
            #expect(size == 300_000)
        }
        #expect(try await transport.get(server.address("/")).body == body)
        #expect(server.requests.map(\.method) == ["HEAD", "HEAD", "GET"])
        // libcurl closes a connection that is idle for 118 s (CURLOPT_MAXAGE_CONN), as among thousands of tests.
        #expect(server.counts.connections == 1 || ContinuousClock.now - start > .seconds(100))
    }

    @Test("Without HEAD or a length the size is unknown", arguments: [200, 403, 405, 501])
    func noSize(status: Int) async throws {
        let server = try LoopbackServer { _ in
            .init(steps: [.send(LoopbackServer.Reply.head(status, headers: [])), .close])
        }
        #expect(try await FileDownload(transport: CurlTransport()).size(of: server.address("/")) == nil)
    }

    @Test("A missing file's size is an error with the status")
    func noFile() async throws {
        let server = try LoopbackServer { _ in
            .init(404, length: 9)
        }
        let transport = RetryingTransport(CurlTransport())
        let error = await failure {
            try await FileDownload(transport: transport).size(of: server.address("/x"))
        }
        #expect(error?.description.hasSuffix("HTTP status 404") == true)
    }

    // MARK: - Files

    @Test("A file is saved byte for byte, with mode 0644 less the umask")
    func whole() async throws {
        let server = try LoopbackServer { [body] _ in .init(body: body) }
        let progress = CallRecorder<[Int?]>()
        let path = try await download.run(
            server.address("/a"), to: folder.path("moon.tif"), progress: { progress.record([$0, $1]) })
        #expect(path == folder.path("moon.tif"))
        #expect(try folder.read("moon.tif") == body)
        #expect(names == ["moon.tif"])
        var status = stat()
        stat(path, &status)
        let mask = umask(0)
        umask(mask)
        #expect(status.st_mode & 0o777 == 0o644 & ~mask)
        #expect(progress.values.first == [0, 300_000] && progress.values.last == [300_000, 300_000])
        #expect(server.requests.first?.headers["Accept-Encoding"] == "identity")
    }

    @Test("An empty body is an empty file")
    func empty() async throws {
        let server = try LoopbackServer { _ in .init(body: []) }
        try await download.run(server.address("/"), to: folder.path("empty"))
        #expect(try folder.read("empty").isEmpty)
    }

    @Test("A path that does not name a file is rejected")
    func paths() async throws {
        let download = FileDownload(transport: ScriptedTransport("moon"))
        for path in ["", "/", "a/", ".", "..", "a/..", "a\0b", String(repeating: "x", count: 256)] {
            let error = await failure { try await download.run(.moon, to: path) }
            #expect(error?.description.hasSuffix("is not a file name") == true, "\(path)")
        }
    }

    @Test("Existing files, folders and links are never replaced")
    func neverOverwrites() async throws {
        try folder.write("moon.tif", "file")
        try folder.write("moon-1.tif/inside", "folder")
        try folder.link("moon-2.tif", to: "nowhere")
        try folder.write("other", "other")
        try folder.link("moon-3.tif", to: "other")
        let download = FileDownload(transport: ScriptedTransport("moon"))
        #expect(try await download.run(.moon, to: folder.path("moon.tif")) == folder.path("moon-4.tif"))
        #expect(try await download.run(.moon, to: folder.path("moon.tif")) == folder.path("moon-5.tif"))
        #expect(
            try folder.text("moon-4.tif") == "moon" && folder.text("moon.tif") == "file"
                && folder.text("other") == "other")
        #expect(!TestData.exists(folder.path("nowhere")))
    }

    @Test(
        "Numbers precede the extension, and a long name is cut for them",
        arguments: [
            ("moon", "moon-1"), (".moon", ".moon-1"), ("a.tar.gz", "a.tar-1.gz"),
            (String(repeating: "x", count: 251) + ".tif", String(repeating: "x", count: 249) + "-1.tif"),
            (String(repeating: "月", count: 85), String(repeating: "月", count: 84) + "-1"),
        ])
    func numbers(name: String, numbered: String) async throws {
        let download = FileDownload(transport: ScriptedTransport("moon"))
        try folder.write(name, "file")
        #expect(try await download.run(.moon, to: folder.path(name)) == folder.path(numbered))
    }

    @Test("Without hard links an existing name is not replaced either")
    func noLinks() async throws {
        try folder.write("moon.tif", "file")
        var calls = FileDownloadTarget.Calls()
        calls.rename = .reservation
        let download = FileDownload(transport: ScriptedTransport("moon"), calls: calls)
        #expect(try await download.run(.moon, to: folder.path("moon.tif")) == folder.path("moon-1.tif"))
        #expect(try folder.text("moon.tif") == "file" && folder.text("moon-1.tif") == "moon")
        #expect(names == ["moon-1.tif", "moon.tif"])
    }

    // MARK: - Failures

    @Test("An unsuccessful response is an error and leaves no file", arguments: [204, 404, 410, 416])
    func refused(status: Int) async throws {
        let server = try LoopbackServer { _ in .init(status, text: status == 204 ? "" : "no such picture") }
        let error = await failure {
            try await download.run(server.address("/"), to: folder.path("moon.tif"))
        }
        #expect(error?.description.hasSuffix("HTTP status \(status)") == true)
        #expect(names.isEmpty)
    }

    @Test("A body that ends early on every retry is an error without a file")
    func cut() async throws {
        let server = try LoopbackServer { [body] _ in
            .init(length: 300_001, body, then: .close)
        }
        let error = await failure {
            try await FileDownload(transport: RetryingTransport(CurlTransport(), now: WallTime.now, jitter: { 0 }))
                .run(server.address("/"), to: folder.path("moon.tif"))
        }
        #expect(error?.kind == .unreachable)
        #expect(server.counts.requests == 3)
        #expect(names.isEmpty)
    }

    @Test("A cancelled download leaves nothing")
    func cancelled() async throws {
        let server = try LoopbackServer { [body] _ in
            .init(length: 300_001, body, then: .stall)
        }
        let (begun, word) = AsyncStream.makeStream(of: Void.self)
        let task = Task { [path = folder.path("moon.tif")] in
            try await download.run(server.address("/"), to: path) { _, _ in word.yield() }
        }
        for await _ in begun { break }
        #expect(names.count == 1)
        #expect(names.allSatisfy { $0.hasPrefix(".spyglass-") })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(names.isEmpty)
    }

    @Test("A full disk ends the transfer with the system's message and no file")
    func fullDisk() async throws {
        let server = try LoopbackServer { [body] _ in
            .init(steps: [.send(LoopbackServer.Reply.head(200, headers: [])), .flood(body)])
        }
        var calls = FileDownloadTarget.Calls()
        calls.write = { file, parts, count in
            guard lseek(file, 0, SEEK_CUR) > 200_000 else { return writev(file, parts, count) }
            errno = ENOSPC
            return -1
        }
        let error = await failure {
            try await FileDownload(transport: RetryingTransport(CurlTransport()), calls: calls)
                .run(server.address("/"), to: folder.path("moon.tif"))
        }
        #expect(
            error?.kind == .unavailable
                && error?.description == "cannot write \(folder.path("moon.tif")): No space left on device")
        #expect(server.counts.requests == 1)
        #expect(names.isEmpty)
    }

    @Test("A file on disk is copied byte for byte, and replaces none")
    func copy() async throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try folder.write("from.jpg", bytes)
        let download = FileDownload(transport: ScriptedTransport("none"), clock: ManualClock())
        let progress = CallRecorder<Int>()
        for name in ["to.jpg", "to-1.jpg"] {
            let path = try await download.copy(Array(folder.path("from.jpg").utf8), to: folder.path("to.jpg")) {
                progress.record($0)
                #expect($1 == bytes.count)
            }
            #expect(path == folder.path(name))
            #expect(try folder.read(name) == bytes)
        }
        #expect(progress.values.last == bytes.count && progress.values.count == 4)
    }

    @Test("A copy that fails leaves no file")
    func failedCopy() async throws {
        try folder.write("from.jpg", body)
        var calls = FileDownloadTarget.Calls()
        calls.write = { _, _, _ in
            errno = ENOSPC
            return -1
        }
        let full = FileDownload(transport: ScriptedTransport("none"), calls: calls)
        for (download, name, kind, reason) in [
            (full, "from.jpg", FetchError.Kind.unavailable, "No space left on device"),
            (FileDownload(transport: ScriptedTransport("none")), "gone.jpg", .unreachable, "No such file or directory"),
            (FileDownload(transport: ScriptedTransport("none")), "", .unreachable, "not a regular file"),
        ] {
            let error = await failure {
                try await download.copy(Array(folder.path(name).utf8), to: folder.path("to.jpg"))
            }
            #expect(error?.kind == kind && error?.description.hasSuffix(reason) == true, "\(String(describing: error))")
        }
        #expect(names == ["from.jpg"])
    }

    @Test("A body larger than the free space is rejected before writing")
    func noRoom() async throws {
        let server = try LoopbackServer { _ in
            .init(length: 9000, then: .flood([0]))
        }
        var calls = FileDownloadTarget.Calls()
        calls.freeBytes = { _ in 8999 }
        let error = await failure {
            try await FileDownload(transport: RetryingTransport(CurlTransport()), calls: calls)
                .run(server.address("/"), to: folder.path("moon.tif"))
        }
        #expect(error?.description.hasSuffix("9000 bytes needed, 8999 bytes free") == true)
        #expect(names.isEmpty)
    }

    @Test("A missing folder, or a file, is an error before any request")
    func noFolder() async throws {
        try folder.write("file", "")
        let transport = ScriptedTransport("moon")
        for name in ["missing/moon.tif", "file/moon.tif"] {
            let error = await failure {
                try await FileDownload(transport: transport).run(.moon, to: folder.path(name))
            }
            #expect(
                error?.kind == .unavailable
                    && error?.description.hasPrefix("cannot open the folder \(folder.path)/") == true)
        }
        #expect(transport.count == 0)
    }

    @Test("An unwritable folder is an error before any request", .enabled(if: geteuid() != 0))
    func readOnlyFolder() async throws {
        chmod(folder.path, 0o500)
        defer { chmod(folder.path, 0o700) }
        let transport = ScriptedTransport("moon")
        let error = await failure {
            try await FileDownload(transport: transport).run(.moon, to: folder.path("moon.tif"))
        }
        #expect(error?.description == "cannot create \(folder.path("moon.tif")): Permission denied")
        #expect(transport.count == 0)
    }
}

extension FileDownload {
    fileprivate init(transport: any Transport, calls: FileDownloadTarget.Calls) {
        self.init(transport: transport)
        self.calls = calls
    }
}

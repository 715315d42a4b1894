import Glibc
import SpyglassCatalog
import SpyglassFetching
import SpyglassFiles
import SpyglassPipeline
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

    /// Runs it and returns its end.
    private func open(_ program: String, _ text: String = "https://pages.example/") async throws -> ChildProgram.End {
        let address = try #require(WebAddress(text))
        let (ends, end) = AsyncStream.makeStream(of: ChildProgram.End.self)
        try DesktopOpener.open(Array(address.text.utf8), with: program) { end.yield($0) }
        return try #require(await ends.first { _ in true })
    }

    @Test("The address is one argument, without a shell")
    func oneWord() async throws {
        let program = try makeProgram(#"printf '%s' "$#:$1" > "$(dirname "$0")/said""#)
        _ = try await open(program, "https://pages.example/a?b=$(id)&c='%20;ls")
        let said = String(decoding: try folder.read("said"), as: UTF8.self)
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
        _ = try await open(program)
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
        #expect(try await open(program) == .signal(SIGPIPE))
    }

    @Test("No zombie stays, even of a program that runs on")
    func zombies() async throws {
        let (ends, end) = AsyncStream.makeStream(of: ChildProgram.End.self)
        let address = try #require(WebAddress("https://pages.example/"))
        let pipe = folder.path("pipe")
        mkfifo(pipe, 0o600)
        let staying = try makeProgram(#"read line < "$(dirname "$0")/pipe"; exit 3"#)
        try DesktopOpener.open(Array(address.text.utf8), with: staying) { end.yield($0) }
        try DesktopOpener.open(Array(address.text.utf8), with: "true") { end.yield($0) }
        var codes = ends.makeAsyncIterator()
        #expect(await codes.next() == .exit(0))
        // Blocks until a reader opens it.
        let writer = Glibc.open(pipe, O_WRONLY)
        close(writer)
        #expect(await codes.next() == .exit(3))
    }
}

@Suite("PictureViewer", .timeLimit(.minutes(10)))
struct PictureViewerTests {
    private let root: TemporaryFolder
    private let queue = EventQueue()
    private let opened = CallRecorder<[UInt8]>()
    private let saved = CallRecorder<String>()
    private let viewer: String

    init() throws {
        root = try TemporaryFolder()
        viewer = root.path("viewer")
    }

    private func makeViewer() -> PictureViewer {
        var services = BrowserServices(
            backend: { _ in throw FetchError(.unavailable, "none") }, explain: { error, _ in BrowserError("\(error)") },
            open: opened.record)
        services.viewFolder = viewer
        return PictureViewer(services, queue)
    }

    private func view(_ photo: Photo, in pictures: inout PictureViewer) {
        let transport = ScriptedTransport.pictures()
        let files = FileStub()
        let backend = BrowserBackend(
            source: { ShelfSource().over($0) }, transport: transport, pipeline: ImagePipeline(transport: transport),
            size: { _, _ in try files.size() },
            save: { [saved] in
                let path = try await files.save($1, $2)
                saved.record(path)
                guard let file = fopen(path, "w") else { throw BrowserError(path) }
                fclose(file)
                return path
            })
        pictures.view(SaveItem(photo: photo, isComplete: true), from: backend, BrowserSearch(source: "shelf"))
    }

    private func webPhoto() -> Photo {
        var photo = Photo(id: "1", source: "shelf")
        photo.thumbnail = WebAddress("http://pictures.example/1.tif")
        return photo
    }

    @Test("A picture of the web is opened from a folder for the user alone, which goes at the end")
    func privateFolder() async throws {
        var pictures = makeViewer()
        // The one before is cancelled; the folder is made once.
        view(webPhoto(), in: &pictures)
        view(webPhoto(), in: &pictures)
        let events = await queue.next()
        guard case .event(.notice(.opened(let name)))? = events.last else {
            return #expect(Bool(false), "\(events)")
        }
        #expect(name.hasSuffix("-1") && opened.values.count == 1)
        #expect(try Folder.working.status(of: viewer).permissions & 0o777 == 0o700)
        await pictures.finish()
        #expect(throws: FileError.self) { try Folder.working.status(of: viewer) }
    }

    @Test("A picture of the web is saved once, and again only if its file is gone or was changed")
    func savedOnce() async throws {
        var pictures = makeViewer()
        for _ in 0..<2 {
            view(webPhoto(), in: &pictures)
            _ = await queue.next()
        }
        #expect(saved.values.count == 1)
        try Folder(opening: viewer).removeContents()
        view(webPhoto(), in: &pictures)
        _ = await queue.next()
        #expect(saved.values.count == 2)
        let file = try #require(fopen(saved.values[0], "w"))
        fputs("smaller", file)
        fclose(file)
        view(webPhoto(), in: &pictures)
        _ = await queue.next()
        #expect(saved.values.count == 3 && Set(opened.values).count == 1 && opened.values.count == 4)
        await pictures.finish()
    }

    @Test("Another user's folder is not used and stays")
    func foreignFolder() async throws {
        _ = try Folder.working.createFolder(viewer, permissions: 0o777)
        var pictures = makeViewer()
        view(webPhoto(), in: &pictures)
        guard case .event(.notice(.cannotView))? = await queue.next().last else {
            return #expect(Bool(false), "the folder is to be refused")
        }
        #expect(opened.values.isEmpty)
        await pictures.finish()
        #expect(try Folder.working.status(of: viewer).kind == .folder)
    }
}

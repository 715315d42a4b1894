import Glibc
import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser
@testable import SpyglassCatalog
@testable import spyglass

/// Saving and exporting to a real disk, with the bundled pictures and the demo.
@Suite("BrowserBackends", .timeLimit(.minutes(10)))
struct BrowserBackendsTests {
    private let folder: TemporaryFolder
    private let backends: BrowserBackends

    init() throws {
        folder = try TemporaryFolder()
        let fake = FakeSystem()
        let settings = try Settings(Options(), for: .browse, on: fake.services)
        let console = Console(fake.services)
        backends = BrowserBackends(settings, fake.services, console, BrowserInbox())
    }

    private func photo(_ name: String, in place: String = "from") throws -> SaveItem {
        try folder.write("\(place)/\(name)", Self.png)
        var photo = Photo(id: folder.path("\(place)/\(name)"), source: "folder")
        photo.file = LocalFile(path: folder.path("\(place)/\(name)"))
        return SaveItem(photo: photo, isComplete: true)
    }

    private static let png = StoredPNG.bytes(of: [UInt8](repeating: 99, count: 40 * 30 * 3), width: 40, height: 30)

    private func save(_ item: SaveItem, _ path: String, isFolder: Bool) async throws -> String {
        let file = try #require(item.photo.file)
        let target = SaveTarget(path: path, name: file.name, isFolder: isFolder)
        return try await backends.backend(of: "folder").save(.localFile(file), target) { _, _ in }
    }

    @Test("Missing folders are made, and a file that is there is not replaced")
    func saving() async throws {
        let item = try photo("a.png")
        let new = folder.path("new/inner")
        // A folder of that name, and a slash, mean the folder.
        for (path, isFolder, saved) in [
            (new, true, "\(new)/a.png"), (new, true, "\(new)/a-1.png"), ("\(new)/b.png", false, "\(new)/b.png"),
            (new, false, "\(new)/a-2.png"), (folder.path("other/"), false, folder.path("other/a.png")),
        ] {
            #expect(try await save(item, path, isFolder: isFolder) == saved)
            #expect(try Folder.working.read(saved, limit: 1 << 20) == Self.png)
        }
    }

    @Test("A folder that cannot be made, or written to, is one line")
    func unwritable() async throws {
        let item = try photo("a.png")
        for (path, isFolder) in [
            (folder.path("from/a.png/below"), true), (folder.path("from/a.png/b.png"), false), ("/proc/spyglass", true),
            ("/sys/kernel", true),
        ] {
            let error = await #expect(throws: FetchError.self, "\(path)") {
                _ = try await save(item, path, isFolder: isFolder)
            }
            #expect(error?.kind == .unavailable && error?.description.contains("\n") == false)
        }
        #expect(folder.files == ["from/a.png"])
    }

    @Test("Original bytes of the demo are saved")
    func remote() async throws {
        let backend = try backends.backend(of: "demo")
        let page = try await backend.source(backend.transport).page(of: PhotoQuery("moon"), at: nil)
        let item = SaveItem(photo: try #require(page.photos.first), isComplete: true)
        let address = try #require(item.photo.renditions.last?.address ?? item.photo.thumbnail)
        let path = try await backend.save(
            .address(address, .publicAddresses), SaveTarget(path: folder.path("x"), name: "a.png", isFolder: true)
        ) { _, _ in }
        let response = try await backend.transport.fetch(FetchRequest(address))
        #expect(try path == folder.path("x/a.png") && folder.read("x/a.png") == response.body)
    }

    private func end(_ items: [SaveItem], _ size: String, _ format: ExportFormat = .same) async throws -> SaveEvent {
        let form = CopyForm(size: size, format: format)
        let job = SaveJob(items: items, path: folder.path("out"), isFolder: true, copies: form)
        let search = BrowserSearch(source: "folder")
        return await SaveRunner.export(job, form, from: try backends.backend(of: "folder")) {
            await backends.explain($0, search)
        } progress: { _ in
        }
    }

    private func export(_ items: [SaveItem], _ size: String, _ format: ExportFormat = .same) async throws -> SaveOutcome
    {
        guard case .done(let outcome) = try await end(items, size, format) else { throw CancellationError() }
        return outcome
    }

    @Test("Copies have the size and the format, and names of their own")
    func copies() async throws {
        let items = [try photo("a.png"), try photo("a.png", in: "more")]
        let outcome = try await export(items, "20", .jpeg)
        #expect(outcome.failed.isEmpty && outcome.paths.count == 2)
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a-20-2.jpg", "out/a-20.jpg"])
        let made = try ImageDecoder().probe(.file(folder.path("out/a-20.jpg")))
        #expect(made.size == PixelSize(width: 20, height: 15) && made.format == .jpeg)
        // Another size replaces nothing, and the same one makes nothing again.
        _ = try await export(items, "50%", .jpeg)
        let again = try await export(items, "20", .jpeg)
        #expect(again.failed.isEmpty && again.paths.count == 2 && folder.files.count { $0.hasPrefix("out/") } == 4)
    }

    @Test("A file that is there is not replaced, and the message offers no option")
    func collision() async throws {
        try folder.write("out/a-20.png", "mine")
        let outcome = try await export([try photo("a.png"), try photo("b.png")], "20")
        #expect(outcome.paths == [folder.path("out/b-20.png")])
        #expect(outcome.failed.map(\.photo.file?.name) == ["a.png"])
        #expect(outcome.problem?.reason.hasSuffix("was not made by spyglass") == true)
        #expect(try folder.text("out/a-20.png") == "mine")
    }

    @Test("A size that is none, and a folder that cannot be made, fail before anything is written")
    func invalid() async throws {
        let item = try photo("a.png")
        #expect(try await end([item], "huge") == .badSize)
        try folder.write("out", "")
        #expect(try await export([item], "20").failed == [item])
        #expect(folder.files == ["from/a.png", "out"])
    }
}

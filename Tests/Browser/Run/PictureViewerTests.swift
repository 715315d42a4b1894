import SpyglassCatalog
import SpyglassFetching
import SpyglassFiles
import SpyglassPipeline
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassBrowser

@Suite("PictureViewer", .timeLimit(.minutes(10)))
struct PictureViewerTests {
    private let root: TemporaryFolder
    private let queue = EventQueue()
    private let opened = CallRecorder<OpenTarget>()
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
            size: { _, _ in try files.size() }, save: { try await files.save($1, $2) })
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
        #expect(name.hasSuffix("-1"))
        #expect(opened.values.count == 1)
        #expect(try Folder.working.status(of: viewer).permissions & 0o777 == 0o700)
        await pictures.finish()
        #expect(throws: FileError.self) { try Folder.working.status(of: viewer) }
    }

    @Test("A folder of somebody else is not used and stays")
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

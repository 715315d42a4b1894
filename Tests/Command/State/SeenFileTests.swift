import SpyglassBrowser
import SpyglassCatalog
import SpyglassFetching
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("SeenFile")
struct SeenFileTests {
    private let folder: TemporaryFolder
    private let file: SeenFile

    init() throws {
        folder = try TemporaryFolder()
        file = SeenFile(store: StateStore(folder: UserFolder(path: folder.path, evidence: "test")))
    }

    private func photo(_ number: Int, source: String = "nasa") throws -> HomePhoto {
        HomePhoto(
            id: "id-\(number)", title: "Título \"\(number)\" 火星",
            thumbnail: try #require(WebAddress("https://images-assets.nasa.gov/\(number)~thumb.jpg")),
            trust: .publicService, place: SavedPlace(search: "mars year:1999", position: number, source: source))
    }

    @Test("What is written is read, up to the limit")
    func roundTrip() throws {
        #expect(try file.read() == [])
        let photos = [try photo(3), try photo(0, source: "archive:/a")]
        try file.put(photos)
        #expect(try file.read() == photos)
        try file.put((0..<50).map { try photo($0) })
        #expect(try file.read().count == HomePhoto.limit)
    }

    @Test("The photos of two runs are kept, those of the last one first")
    func twoRuns() throws {
        try file.put([try photo(1), try photo(2)])
        try file.put([try photo(3)])
        try file.put([try photo(2), try photo(4)])
        #expect(try file.read() == [try photo(2), try photo(4), try photo(3), try photo(1)])
    }

    @Test("Entries of another form are left out, members of a newer version are ignored")
    func forms() throws {
        let good = """
            {"id":"a","title":"A","thumbnail":"https://a.example/t.jpg","search":"","position":0,"source":"nasa","new":[1]}
            """
        let bad = [
            good.replacing("nasa", with: "nowhere"), good.replacing("https:", with: "file:"),
            good.replacing(":0", with: ":-1"), good.replacing(":0", with: ":1e30"), "{}", "[]", "null", "7",
            good.replacing("\"A\"", with: "\"\(String(repeating: "x", count: 1001))\""),
        ]
        try folder.write(SeenFile.name, "{\"version\":9,\"photos\":[\((bad + [good]).joined(separator: ","))]}")
        #expect(try file.read().map(\.photo.title) == ["A"])
    }
}

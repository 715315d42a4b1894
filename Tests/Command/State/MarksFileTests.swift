import SpyglassBrowser
import SpyglassCatalog
import SpyglassFetching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import spyglass

@Suite("MarksFile", .timeLimit(.minutes(10)))
struct MarksFileTests {
    private let root: TemporaryFolder
    private let file: MarksFile

    init() throws {
        root = try TemporaryFolder()
        file = MarksFile(store: StateStore(folder: UserFolder(path: root.path, evidence: "test")))
    }

    private func mark(_ id: String, _ source: String = "nasa") -> PhotoMark { PhotoMark(source: source, id: id) }

    private func write(added: [PhotoMark] = [], removed: [PhotoMark] = []) throws {
        var changes = MarkChanges()
        (changes.added, changes.removed) = (added, removed)
        try file.write(changes)
    }

    @Test("Marks are added first and removed, also those of another run")
    func changes() throws {
        #expect(try file.read() == [])
        try write(added: [mark("a"), mark("b")])
        try file.write(MarkChanges())
        try write(added: [mark("c", "folder")], removed: [mark("a"), mark("none")])
        #expect(try file.read() == [mark("c", "folder"), mark("b")])
        try write(removed: [mark("b"), mark("c", "folder")])
        #expect(try file.read() == [])
    }

    @Test("Any id comes back as it was")
    func ids() throws {
        let ids = ["", "a b\"\\\u{0}\u{1B}[2J", "/home/ada/写真/\u{FFFD}\u{0}66 6f.jpg", "é", "\u{202E}x"]
        try write(added: ids.map { mark($0) })
        #expect(try file.read() == ids.dropFirst().reversed().map { mark($0) })
    }

    @Test("Of a newer version what is known is read, and everything is kept")
    func newer() throws {
        let others = #"{"url":"x"},7,null,["b"],{"id":"c"},{"source":"demo","id":"d","n":1.0}"#
        try root.write(
            MarksFile.name,
            #"{"version":9,"marks":[{"source":"nasa","id":"a","color":"red"},\#(others),{"source":"nasa","id":"e"}],"more":{}}"#
        )
        #expect(try file.read() == [mark("a"), mark("d", "demo"), mark("e")])
        try write(added: [mark("a"), mark("f"), mark("f")], removed: [mark("e")])
        #expect(
            try root.text(MarksFile.name)
                == #"{"version":9,"marks":[{"source":"nasa","id":"f"},{"source":"nasa","id":"a","color":"red"},\#(others)],"more":{}}"#
                + "\n")
    }

    @Test("Two runs that mark and unmark at once keep all marks")
    func concurrent() async throws {
        let store = StateStore(folder: UserFolder(path: root.path, evidence: "test"), timeout: .seconds(60))
        let threads = ThreadPool(count: 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for run in ["a", "b"] {
                group.addTask {
                    try await threads.run { _ in
                        for number in 0..<30 {
                            var changes = MarkChanges()
                            changes.added = [PhotoMark(source: run, id: "\(number)"), PhotoMark(source: run, id: "x")]
                            try MarksFile(store: store).write(changes)
                            (changes.added, changes.removed) = ([], [PhotoMark(source: run, id: "x")])
                            try MarksFile(store: store).write(changes)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let marks = try file.read()
        for run in ["a", "b"] {
            #expect(marks.filter { $0.source == run }.map(\.id) == (0..<30).reversed().map { "\($0)" })
        }
    }

    @Test("A full file refuses further marks and keeps the old ones; ids that are too long are left out")
    func limit() throws {
        let ids = (0..<1_000).map { "\($0)-" + String(repeating: "x", count: 2_000) }
        try write(added: ids.map { mark($0) } + [mark(String(repeating: "y", count: 4_097))])
        #expect(try file.read().count == 1_000)
        let more = ids.map { mark("more-\($0)") } + ids.map { mark("most-\($0)") }
        #expect(throws: Failure.self) { try write(added: more) }
        #expect(try file.read().map(\.id) == ids.reversed())
    }

    @Test("Ten thousand marks are written and read")
    func many() throws {
        let marks = (0..<10_000).map { mark("id-\($0)") }
        try write(added: marks)
        #expect(try file.read() == marks.reversed())
    }
}

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
            trust: .publicAddresses, place: SavedPlace(search: "mars year:1999", position: number, source: source))
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

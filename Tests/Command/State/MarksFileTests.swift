import SpyglassBrowser
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("MarksFile", .timeLimit(.minutes(10)))
struct MarksFileTests {
    private let root: TemporaryFolder
    private let file: MarksFile

    init() throws {
        root = try TemporaryFolder()
        file = MarksFile(folder: UserFolder(path: root.path, evidence: "test"))
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
        try MarksFile(folder: file.folder).write(MarkChanges())
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

    @Test(
        "A damaged file is one line with its name, and the next mark sets it aside",
        arguments: ["", "{", "\u{0}\u{1}", #"{"marks":[{"source":"nasa","id":"a"}"#])
    func damaged(text: String) throws {
        try root.write(MarksFile.name, text)
        let problem = #expect(throws: Failure.self) { try file.read() }
        #expect(problem?.message.hasPrefix(root.path(MarksFile.name)) == true)
        try write(added: [mark("b")])
        #expect(try file.read() == [mark("b")])
        #expect(try file.folder.read(MarksFile.name + ".damaged") == Array(text.utf8))
        try root.write(MarksFile.name, "{")
        #expect(throws: Failure.self, "The first file that was set aside is kept") { try write(added: [mark("c")]) }
        #expect(try file.folder.read(MarksFile.name + ".damaged") == Array(text.utf8))
    }

    @Test(
        "JSON of another form is one line with its name, and stays as it is",
        arguments: ["[]", "{}", #"{"marks":{"nasa":["a"]}}"#])
    func otherForm(text: String) throws {
        try root.write(MarksFile.name, text)
        let problem = #expect(throws: Failure.self) { try file.read() }
        #expect(problem?.message.hasPrefix(root.path(MarksFile.name)) == true)
        #expect(throws: Failure.self) { try write(added: [mark("b")]) }
        #expect(try file.folder.read(MarksFile.name) == Array(text.utf8))
    }

    @Test("Of a newer version, what is known is read")
    func newer() throws {
        try root.write(
            MarksFile.name,
            #"{"version":9,"marks":[{"source":"nasa","id":"a","color":"red"},{"url":"x"},7,null,["b"],{"id":"c"}],"more":{}}"#
        )
        #expect(try file.read() == [mark("a")])
    }

    @Test("The oldest marks are left out beyond the limit, and ids that are too long")
    func limit() throws {
        let ids = (0..<3_000).map { "\($0)-" + String(repeating: "x", count: 2_000) }
        try write(added: ids.map { mark($0) } + [mark(String(repeating: "y", count: 4_097))])
        let kept = try file.read()
        #expect(kept.first == mark(ids[2_999]) && (1_900..<2_200).contains(kept.count))
    }

    @Test("Ten thousand marks are written and read")
    func many() throws {
        let marks = (0..<10_000).map { mark("id-\($0)") }
        try write(added: marks)
        #expect(try file.read() == marks.reversed())
    }
}

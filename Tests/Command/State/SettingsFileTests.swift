import SpyglassBrowser
import SpyglassCatalog
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("SettingsFile", .timeLimit(.minutes(10)))
struct SettingsFileTests {
    private let root: TemporaryFolder
    private let file: SettingsFile

    init() throws {
        root = try TemporaryFolder()
        file = SettingsFile(folder: UserFolder(path: "\(root.path)/spyglass", evidence: "test"))
    }

    @Test("Settings round-trip")
    func roundTrip() throws {
        var chosen = Preferences()
        chosen.source = "demo"
        chosen.arrangement = .grid
        chosen.density = 4
        chosen.gridColumns = 3
        chosen.cropsGrid = true
        chosen.slideSeconds = 10
        chosen.color = .palette16
        chosen.animates = .all
        chosen.theme = "light"
        chosen.language = .german
        chosen.memoryLimit = 1 << 20
        chosen.diskLimit = 1 << 30
        chosen.usesMouse = false
        try file.write(chosen, changedFrom: Preferences())
        #expect(try file.read() == chosen)
    }

    @Test("Only changes of the run are stored, not its options")
    func optionsAreNotKept() throws {
        var onFile = Preferences()
        onFile.theme = "light"
        try file.write(onFile, changedFrom: Preferences())
        var begun = onFile
        begun.source = "demo"
        begun.theme = "dark"
        var changed = begun
        changed.density = 0
        try file.write(changed, changedFrom: begun)
        var expected = onFile
        expected.density = 0
        #expect(try file.read() == expected)
    }

    @Test("A change that is undone is stored, without the options")
    func changedBack() throws {
        var onFile = Preferences()
        onFile.density = 2
        try file.write(onFile, changedFrom: Preferences())
        var fake = FakeSystem()
        fake.environment = ["XDG_CONFIG_HOME": root.path]
        var options = Options()
        options.source = DemoSource.declaration
        let settings = try Settings(options, for: .browse, on: fake.services)
        var preferences = settings.preferences
        #expect(preferences.density == 2)
        let memory = BrowserFiles(settings).persistence()
        preferences.density = 3
        try memory.keepPreferences(preferences)
        #expect(try file.read().density == 3)
        preferences.density = 2
        try memory.keepPreferences(preferences)
        #expect(try file.read() == onFile)
    }

    @Test(
        "Hostile and unknown members are ignored",
        arguments: [
            "{}", #"{"source":"http://evil","theme":"../../etc/passwd","density":99999999999999999999}"#,
            #"{"arrangement":7,"gridColumns":-1,"color":"plaid","language":[],"memoryLimit":-5,"mouse":"no","animations":"some","slideSeconds":0,"cropsGrid":1}"#,
            #"{"later":{"a":[1,2,3]}}"#,
        ])
    func hostileMembers(text: String) throws {
        try root.write("spyglass/\(SettingsFile.name)", text)
        #expect(try file.read() == Preferences())
    }

    @Test(
        "A file that is not a JSON object is one line with its name",
        arguments: ["", "[]", "{", "\u{0}\u{1}", "nonsense"])
    func broken(text: String) throws {
        let name = "spyglass/\(SettingsFile.name)"
        try root.write(name, text)
        let problem = #expect(throws: Failure.self) { try file.read() }
        #expect(problem?.message.hasPrefix(root.path(name)) == true)
        try file.write(Preferences(), changedFrom: Preferences())
        #expect(try file.read() == Preferences())
    }
}

@Suite("HistoryFile and PlaceFile", .timeLimit(.minutes(10)))
struct HistoryFileTests {
    private let root: TemporaryFolder
    private let history: HistoryFile
    private let place: PlaceFile

    init() throws {
        root = try TemporaryFolder()
        let folder = UserFolder(path: root.path, evidence: "test")
        history = HistoryFile(folder: folder)
        place = PlaceFile(folder: folder)
    }

    @Test("The history is ordered, unique and limited")
    func order() throws {
        #expect(try history.read() == [])
        for number in 0..<205 { try history.remember(RecentSearch("search \(number)", source: "nasa")) }
        try history.remember(RecentSearch("search 100", source: "nasa"))
        let kept = try history.read()
        #expect(kept.count == HistoryFile.limit)
        #expect(kept.prefix(2).map(\.text) == ["search 100", "search 204"])
        #expect(Set(kept).count == kept.count)
    }

    @Test("Empty and very long searches are neither stored nor read")
    func endless() throws {
        let endless = String(repeating: "x", count: HistoryFile.textLimit + 1)
        try history.remember(RecentSearch(""))
        try history.remember(RecentSearch(endless))
        try history.remember(RecentSearch("x", source: endless))
        #expect(root.files == [])
        try root.write(HistoryFile.name, #"{"searches":["\#(endless)","moon",3,null,"moon",""]}"#)
        #expect(try history.read() == [RecentSearch("moon"), RecentSearch("3")])
    }

    @Test("A file without a list of searches is told, and offers nothing", arguments: [#""x""#, "{}", "7", "null"])
    func formless(searches: String) throws {
        try root.write(HistoryFile.name, #"{"searches":\#(searches)}"#)
        let error = #expect(throws: Failure.self) { _ = try history.read() }
        #expect(error?.message.hasSuffix("no searches in a form that this version reads; ignored") == true)
    }

    @Test("Searches keep their sources; the form of earlier versions is read, and replaced by the next search")
    func sources() throws {
        try root.write(
            HistoryFile.name, #"{"searches":["moon","mars",{"search":"x","source":7},{"source":"nasa"},[]]}"#)
        #expect(try history.read().map(\.source) == [nil, nil, "7"])
        for source in ["nasa", "demo", "archive:/a b"] { try history.remember(RecentSearch("moon", source: source)) }
        #expect(try history.read().map(\.text) == ["moon", "moon", "moon", "mars", "x"])
        #expect(try history.read().map(\.source) == ["archive:/a b", "demo", "nasa", nil, "7"])
    }

    @Test("A place is stored and removed")
    func places() throws {
        let here = SavedPlace(search: "apollo 11", position: 811, source: "nasa")
        try place.write(here)
        #expect(try place.read() == here)
        try place.write(nil)
        #expect(try place.read() == nil)
        #expect(root.files == [])
    }

    @Test(
        "An invalid place is one line",
        arguments: [
            #"{"search":"x","position":-1,"source":"nasa"}"#, #"{"search":"x","position":1e300,"source":"nasa"}"#,
            #"{"search":"x","position":1,"source":"nowhere"}"#, #"{"position":1,"source":"nasa"}"#, "[1]",
        ])
    func noPlace(text: String) throws {
        try root.write(PlaceFile.name, text)
        #expect(throws: Failure.self) { try place.read() }
    }
}

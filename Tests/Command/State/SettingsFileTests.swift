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
    private static let name = "spyglass/settings.json"

    init() throws {
        root = try TemporaryFolder()
        file = SettingsFile(store: StateStore(folder: UserFolder(path: "\(root.path)/spyglass", evidence: "test")))
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
        let memory = BrowserFiles(settings)
        preferences.density = 3
        try memory.store(.preferences(preferences))
        #expect(try file.read().density == 3)
        preferences.density = 2
        try memory.store(.preferences(preferences))
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
        try root.write(Self.name, text)
        #expect(try file.read() == Preferences())
    }

    @Test("A change keeps members and values of a newer version, and the order of the file")
    func newer() throws {
        try root.write(Self.name, #"{"theme":"neon","later":{"a":[1,2.50]},"density":9000,"slideSeconds":10,"x":null}"#)
        var changed = try file.read()
        #expect(changed.theme == nil && changed.slideSeconds == 10)
        changed.slideSeconds = 30
        changed.language = .german
        try file.write(changed, changedFrom: try file.read())
        #expect(
            try root.text(Self.name)
                == #"{"theme":"neon","later":{"a":[1,2.50]},"density":9000,"slideSeconds":30,"x":null,"language":"de"}"#
                + "\n")
        let before = changed
        changed.language = nil
        try file.write(changed, changedFrom: before)
        #expect(try !root.text(Self.name).contains("language"))
    }

    @Test("After a typo the file is kept beside the new one, and a line names it")
    func typo() throws {
        let text = #"{"theme": "light", "density": 2,}"#
        try root.write(Self.name, text)
        var fake = FakeSystem()
        fake.environment = ["XDG_CONFIG_HOME": root.path]
        let lines = CallRecorder<String>()
        let settings = try Settings(Options(), for: .browse, on: fake.services)
        let path = root.path(Self.name)
        #expect(settings.settingsProblem == "\(path): expected a name in line 1; ignored")
        var preferences = settings.preferences
        preferences.slideSeconds = 30
        try BrowserFiles(settings, report: lines.record).store(.preferences(preferences))
        #expect(try root.text("\(Self.name).damaged") == text)
        #expect(try root.text(Self.name) == #"{"slideSeconds":30}"# + "\n")
        #expect(lines.values == ["kept the damaged file as \(path).damaged: expected a name in line 1"])
    }
}

@Suite("HistoryFile and PlaceFile", .timeLimit(.minutes(10)))
struct HistoryFileTests {
    private let root: TemporaryFolder
    private let history: HistoryFile
    private let place: PlaceFile

    init() throws {
        root = try TemporaryFolder()
        let store = StateStore(folder: UserFolder(path: root.path, evidence: "test"))
        history = HistoryFile(store: store)
        place = PlaceFile(store: store)
    }

    @Test("The history is ordered, unique and limited")
    func order() throws {
        #expect(try history.read() == [])
        for number in 0..<205 { try history.remember(RecentSearch("search \(number)", source: "nasa")) }
        try history.remember(RecentSearch("search 100", source: "nasa"))
        let kept = try history.read()
        #expect(kept.count == RecentSearch.limit && Set(kept).count == kept.count)
        #expect(kept.prefix(2).map(\.text) == ["search 100", "search 204"])
    }

    @Test("Empty and very long searches are neither stored nor read")
    func endless() throws {
        let endless = String(repeating: "x", count: RecentSearch.textLimit + 1)
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

    @Test("Searches keep their sources; the form of earlier versions is read")
    func sources() throws {
        try root.write(
            HistoryFile.name, #"{"searches":["moon","mars",{"search":"x","source":7},{"source":"nasa"},[]]}"#)
        #expect(try history.read().map(\.source) == [nil, nil, "7"])
        for source in ["nasa", "demo", "archive:/a b"] { try history.remember(RecentSearch("moon", source: source)) }
        #expect(try history.read().map(\.text) == ["moon", "moon", "moon", "mars", "x"])
        #expect(try history.read().map(\.source) == ["archive:/a b", "demo", "nasa", nil, "7"])
    }

    @Test("Members and entries of a newer version stay, also those of a search that is repeated")
    func newer() throws {
        let others = #"{"pin":3},{"search":"mars","source":"nasa","n":[1]}"#
        try root.write(
            HistoryFile.name,
            #"{"v":2,"searches":[\#(others),{"search":"moon","source":"nasa","stars":5.0}],"more":{}}"#)
        try history.remember(RecentSearch("moon", source: "nasa"))
        #expect(
            try root.text(HistoryFile.name)
                == #"{"v":2,"searches":[{"search":"moon","source":"nasa","stars":5.0},\#(others)],"more":{}}"# + "\n")
    }

    @Test("Searches that would make the file too large to be read again are left out, the last ones first")
    func large() throws {
        // Each character is written as six bytes.
        let long = String(repeating: "\u{202E}", count: 330)
        let searches = (0..<RecentSearch.limit).map { #""\#(long)\#($0)""# }
        let bytes = Array(#"{"searches":[\#(searches.joined(separator: ","))]}"#.utf8)
        try #require(bytes.count < UserFolder.byteLimit)
        try root.write(HistoryFile.name, bytes)
        try history.remember(RecentSearch(long, source: "nasa"))
        #expect(try root.read(HistoryFile.name).count <= UserFolder.byteLimit)
        #expect(try history.read().first == RecentSearch(long, source: "nasa"))
    }

    @Test("A stored place keeps what a newer version wrote, also once it is removed")
    func newerPlace() throws {
        try root.write(PlaceFile.file.name, #"{"zoom":2.0,"search":"x","position":1,"source":"nasa"}"#)
        try place.write(SavedPlace(search: "y", position: 2, source: "demo"))
        #expect(
            try root.text(PlaceFile.file.name) == #"{"zoom":2.0,"search":"y","position":2,"source":"demo"}"# + "\n")
        try place.write(nil)
        #expect(try root.text(PlaceFile.file.name) == #"{"zoom":2.0}"# + "\n")
        #expect(try place.read() == nil)
    }

    @Test(
        "An invalid place is one line",
        arguments: [
            #"{"search":"x","position":-1,"source":"nasa"}"#, #"{"search":"x","position":1e300,"source":"nasa"}"#,
            #"{"search":"x","position":1,"source":"nowhere"}"#, #"{"position":1,"source":"nasa"}"#, "[1]",
        ])
    func noPlace(text: String) throws {
        try root.write(PlaceFile.file.name, text)
        #expect(throws: Failure.self) { try place.read() }
    }
}

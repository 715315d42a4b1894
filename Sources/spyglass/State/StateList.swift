import SpyglassBrowser
import SpyglassCaching
import SpyglassCatalog
import SpyglassFetching
import SpyglassFiles
import SpyglassJSON
import SpyglassTerminalUI

/// An entry of a list in a state file.
protocol StateEntry {
    associatedtype Identity: Hashable

    static var file: StateFile { get }
    static var limit: Int { get }

    /// Equal for an entry and the newer one that replaces it.
    var identity: Identity { get }
    /// The members of the entry's object that this version knows.
    var members: [(name: String, value: JSONValue?)] { get }

    /// Fails for another form, and beyond the limits of this version.
    init?(_ value: JSONValue)
}

/// A state file with a list, its newest entry first.
struct StateList<Entry: StateEntry>: Sendable {
    let store: StateStore

    static var name: String { Entry.file.name }
    private static var list: String { Entry.file.list ?? "" }

    /// The entries that this version knows, without repeats.
    func read() throws(Failure) -> [Entry] {
        var found: Set<Entry.Identity> = []
        let entries = Self.elements(of: try store.read(Entry.file)).compactMap { Entry($0) }
        return Array(entries.filter { found.insert($0.identity).inserted }.prefix(Entry.limit))
    }

    /// Inserts entries first, also if other processes have added some, and drops the last ones beyond the limits.
    ///
    /// If only the size of the file limits the number, too many are an error. Keeps members and entries that only a
    /// newer version knows. Leaves out new entries that could not be read back.
    func put(_ new: [Entry], removing isRemoved: (Entry) -> Bool = { _ in false }) throws(Failure) {
        try store.change(Entry.file) { (object) throws(FileError) in
            var missing = Set(new.map(\.identity))
            var replaced: [Entry.Identity: JSONValue] = [:]
            let stored = Self.elements(of: object)
            let kept = stored.filter { element in
                guard let entry = Entry(element) else { return true }
                guard missing.contains(entry.identity) else { return !isRemoved(entry) }
                replaced[entry.identity] = element
                return false
            }
            let added = new.compactMap { entry -> JSONValue? in
                guard missing.remove(entry.identity) != nil else { return nil }
                let element = (replaced[entry.identity] ?? .object([])).setting(entry.members)
                return Entry(element) == nil ? nil : element
            }
            let elements = (added + kept).prefix(Entry.limit)
            guard !elements.elementsEqual(stored) else { return }
            let rest = (object ?? .object([])).setting([(Self.list, .array([]))])
            var room = Entry.file.byteLimit - JSONText.text(of: rest).utf8.count - 1
            let fitting = elements.prefix { element in
                room -= JSONText.text(of: element).utf8.count + 1
                return room >= 0
            }
            // Without a limit of their number, no entry may be lost.
            guard Entry.limit < .max || fitting.count == elements.count else {
                throw FileError("write", cause: .tooLarge)
            }
            object = rest.setting([(Self.list, .array(Array(fitting)))])
        }
    }

    private static func elements(of object: JSONValue?) -> [JSONValue] { object?[list]?.elements ?? [] }
}

extension JSONValue {
    /// A member's text; `nil` beyond `limit` bytes.
    func text(_ name: String, limit: Int) -> String? {
        self[name]?.text.flatMap { $0.utf8.count <= limit ? $0 : nil }
    }
}

/// `history.json`: past searches.
typealias HistoryFile = StateList<RecentSearch>

extension HistoryFile {
    func remember(_ search: RecentSearch) throws(Failure) { try put([search]) { $0 == RecentSearch(search.text) } }
}

extension RecentSearch: StateEntry {
    static let file = StateFile(name: "history.json", list: "searches")
    static let limit = 200
    /// The maximum bytes of a search.
    static let textLimit = 1000

    var identity: RecentSearch { self }

    var members: [(name: String, value: JSONValue?)] {
        [("search", .string(text)), ("source", source.map { .string($0) })]
    }

    /// Also reads plain texts, which earlier versions stored.
    init?(_ value: JSONValue) {
        let source = value["source"]?.text
        guard let text = (value["search"] ?? value).text, !text.isEmpty,
            max(text.utf8.count, (source ?? "").utf8.count) <= Self.textLimit
        else { return nil }
        self.init(text, source: source)
    }
}

/// `commands.json`: commands that were run on photos.
typealias CommandsFile = StateList<PastCommand>

struct PastCommand: StateEntry {
    static let file = StateFile(name: "commands.json", list: "commands")
    static let limit = 100
    let text: String

    var identity: String { text }
    var members: [(name: String, value: JSONValue?)] { [("command", .string(text))] }
}

extension PastCommand {
    init?(_ value: JSONValue) {
        guard let text = value.text("command", limit: RecentSearch.textLimit), !text.isEmpty else { return nil }
        self.init(text: text)
    }
}

/// `marks.json`: marked photos by source and id.
typealias MarksFile = StateList<PhotoMark>

extension MarksFile {
    func write(_ changes: MarkChanges) throws(Failure) {
        try put(changes.added.reversed(), removing: Set(changes.removed).contains)
    }
}

extension PhotoMark: StateEntry {
    /// Has room for some 50,000 marks.
    static let file = StateFile(name: "marks.json", list: "marks", byteLimit: 4 << 20)
    static let limit = Int.max
    /// Maximum bytes of an id, which may be the path of a file (`PATH_MAX`), and of a source.
    private static let textLimit = 4096

    var identity: PhotoMark { self }
    var members: [(name: String, value: JSONValue?)] { [("source", .string(source)), ("id", .string(id))] }

    init?(_ value: JSONValue) {
        guard let source = value.text("source", limit: Self.textLimit),
            let id = value.text("id", limit: Self.textLimit), !id.isEmpty
        else { return nil }
        self.init(source: source, id: id)
    }
}

/// `seen.json`: the photos seen last, for the home screen; their images are in the disk cache.
typealias SeenFile = StateList<HomePhoto>

extension HomePhoto: StateEntry {
    static let file = StateFile(name: "seen.json", list: "photos")
    static let limit = maxSeen

    var identity: String { photo.thumbnail?.text ?? "" }

    var members: [(name: String, value: JSONValue?)] {
        [("id", .string(photo.id)), ("title", .string(photo.title)), ("thumbnail", .string(identity))]
            + SavedPlace.members(of: place)
    }

    init?(_ value: JSONValue) {
        func text(_ name: String) -> String? { value.text(name, limit: RecentSearch.textLimit) }
        guard let id = text("id"), let title = text("title"),
            let thumbnail = text("thumbnail").flatMap({ WebAddress($0) }), let place = SavedPlace(value)
        else { return nil }
        self.init(id: id, title: title, thumbnail: thumbnail, trust: .publicAddresses, place: place)
    }
}

/// `terminals.json`: replies of terminals, for runs that cannot ask.
typealias TerminalsFile = StateList<KnownTerminal>

extension TerminalsFile {
    /// The stored replies of a terminal, incomplete if it did not reply in time; `nil` if there are none.
    func answers(of key: String, now: WallTime) -> TerminalAnswers? {
        (try? read())?.first { $0.key == key && $0.isCurrent(now) }?.answers
    }

    func remember(_ answers: TerminalAnswers, of key: String, now: WallTime = .now()) throws(Failure) {
        let known = (try? read())?.first { $0.key == key }
        // Otherwise every run would write the same replies.
        guard !answers.isComplete || known?.answers.stored != answers.stored else { return }
        try put([KnownTerminal(key: key, answers: answers, time: now)]) { !$0.isCurrent(now) }
    }
}

struct KnownTerminal: StateEntry {
    static let file = StateFile(name: "terminals.json", list: "terminals")
    static let limit = 32
    /// Maximum bytes of a key.
    static let keyLimit = 1000
    /// How long a terminal that did not reply in time is not asked again: late replies appear in the shell's input.
    private static let silence = Duration.seconds(5 * 60)
    let key: String
    let answers: TerminalAnswers
    let time: WallTime

    var identity: String { key }

    var members: [(name: String, value: JSONValue?)] {
        [("terminal", .string(key)), ("replies", .string(answers.stored)), ("time", .number("\(time.seconds)"))]
    }

    func isCurrent(_ now: WallTime) -> Bool {
        answers.isComplete || abs(time.duration(to: now) / .seconds(1)) < Self.silence / .seconds(1)
    }
}

extension KnownTerminal {
    init?(_ value: JSONValue) {
        guard let key = value.text("terminal", limit: Self.keyLimit),
            let answers = value["replies"]?.text.flatMap(TerminalAnswers.init(stored:)),
            let time = value["time"]?.integer
        else { return nil }
        self.init(key: key, answers: answers, time: WallTime(seconds: Int64(time)))
    }
}

/// `place.json`: the search and the position at the end of the last run.
struct PlaceFile: Sendable {
    static let file = StateFile(name: "place.json")
    let store: StateStore

    func read() throws(Failure) -> SavedPlace? {
        guard let object = try store.read(Self.file),
            SavedPlace.members(of: nil).contains(where: { object[$0.name] != nil })
        else { return nil }
        guard let place = SavedPlace(object) else {
            throw Failure(.unavailable, "\(store.folder.path(of: Self.file.name)): not a saved position; ignored")
        }
        return place
    }

    /// Stores a place; removes the stored one if it is `nil` or too long.
    func write(_ place: SavedPlace?) throws(Failure) {
        let place = place.flatMap { $0.search.utf8.count <= RecentSearch.textLimit ? $0 : nil }
        guard place != nil || store.contains(Self.file) else { return }
        try store.change(Self.file) { object in
            let changed = (object ?? .object([])).setting(SavedPlace.members(of: place))
            object = changed == .object([]) ? nil : changed
        }
    }
}

extension SavedPlace {
    /// More than the results of any source.
    private static let positions = 0...1_000_000_000

    static func members(of place: SavedPlace?) -> [(name: String, value: JSONValue?)] {
        [
            ("search", place.map { .string($0.search) }), ("position", place.map { .number("\($0.position)") }),
            ("source", place.map { .string($0.source) }),
        ]
    }

    init?(_ object: JSONValue) {
        guard let search = object.text("search", limit: RecentSearch.textLimit),
            let position = object["position"]?.integer, Self.positions.contains(position),
            let source = object["source"]?.text, Self.isKnown(source)
        else { return nil }
        self.init(search: search, position: position, source: source)
    }

    private static func isKnown(_ source: String) -> Bool {
        SourceRegistry.named(source) != nil
            || source.hasPrefix(archivePrefix) && source.utf8.count <= RecentSearch.textLimit
    }
}

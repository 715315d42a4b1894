internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassJSON

/// An entry of a list in a state file.
protocol StateEntry {
    associatedtype Identity: Hashable

    static var file: StateFile { get }
    /// The member of the file with the list.
    static var list: String { get }
    /// The maximum number of entries.
    static var limit: Int { get }

    /// Equal for an entry and the newer one that replaces it.
    var identity: Identity { get }
    /// The members of the entry's object that this version knows.
    var members: [(name: String, value: JSONValue?)] { get }

    /// `nil` for another form, and beyond the limits of this version.
    init?(_ value: JSONValue)
}

/// A state file with a list, its newest entry first.
struct StateList<Entry: StateEntry>: Sendable {
    let store: StateStore

    static var name: String { Entry.file.name }

    /// The entries that this version knows; unique.
    func read() throws(Failure) -> [Entry] {
        var found: Set<Entry.Identity> = []
        let entries = Self.elements(of: try store.read(Entry.file)).compactMap { Entry($0) }
        return Array(entries.filter { found.insert($0.identity).inserted }.prefix(Entry.limit))
    }

    /// Inserts entries first, also among those of concurrent runs, and removes the last ones beyond the limits.
    ///
    /// Refuses them where only the bytes of the file limit it, and they are too many.
    /// Keeps members and entries that only a newer version knows. Leaves out new entries that could not be read back.
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
            let rest = (object ?? .object([])).setting([(Entry.list, .array([]))])
            var room = Entry.file.byteLimit - JSONText.text(of: rest).utf8.count - 1
            let fitting = elements.prefix { element in
                room -= JSONText.text(of: element).utf8.count + 1
                return room >= 0
            }
            // Where nothing limits the number, nothing may be lost.
            guard Entry.limit < .max || fitting.count == elements.count else {
                throw FileError("write", cause: .tooLarge)
            }
            object = rest.setting([(Entry.list, .array(Array(fitting)))])
        }
    }

    private static func elements(of object: JSONValue?) -> [JSONValue] { object?[Entry.list]?.elements ?? [] }
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
    func remember(_ search: RecentSearch) throws(Failure) {
        try put([search]) { $0 == RecentSearch(search.text) }
    }
}

extension RecentSearch: StateEntry {
    static let list = "searches"
    static let file = StateFile(name: "history.json", list: list)
    static let limit = 200
    /// The maximum length of a search, in bytes.
    static let textLimit = 1000

    var identity: RecentSearch { self }

    var members: [(name: String, value: JSONValue?)] {
        [("search", .string(text)), ("source", source.map { .string($0) })]
    }

    /// Earlier versions stored texts without a source.
    init?(_ value: JSONValue) {
        let source = value["source"]?.text
        guard let text = (value["search"] ?? value).text, !text.isEmpty,
            max(text.utf8.count, (source ?? "").utf8.count) <= Self.textLimit
        else { return nil }
        self.init(text, source: source)
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
    static let list = "marks"
    /// Has room for some 50,000 marks.
    static let file = StateFile(name: "marks.json", list: list, byteLimit: 4 << 20)
    static let limit = Int.max
    /// Maximum bytes of an id, which is the path of a file (`PATH_MAX`), and of a source.
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

/// `seen.json`: the photos that were seen last, for the home screen; their pictures are in the disk cache.
typealias SeenFile = StateList<HomePhoto>

extension HomePhoto: StateEntry {
    static let list = "photos"
    static let file = StateFile(name: "seen.json", list: list)
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
        self.init(id: id, title: title, thumbnail: thumbnail, trust: .publicService, place: place)
    }
}

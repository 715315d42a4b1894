internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassJSON

/// `history.json`: past searches, the newest first.
struct HistoryFile: Sendable {
    static let name = "history.json"
    static let limit = 200
    /// The maximum length of a search, in bytes.
    static let textLimit = 1000

    let folder: UserFolder

    func read() throws(Failure) -> [String] {
        guard let bytes = try folder.read(Self.name) else { return [] }
        let object = try JSONFile.object(bytes, folder.path(of: Self.name))
        var seen: Set<String> = []
        let searches = (object["searches"]?.elements ?? []).compactMap(\.text).filter {
            !$0.isEmpty && $0.utf8.count <= Self.textLimit && seen.insert($0).inserted
        }
        return Array(searches.prefix(Self.limit))
    }

    /// Inserts a search first, also among those of concurrent runs.
    func remember(_ search: String) throws(Failure) {
        guard !search.isEmpty, search.utf8.count <= Self.textLimit else { return }
        var searches = (try? read()) ?? []
        searches.removeAll { $0 == search }
        searches.insert(search, at: 0)
        let list = JSONText.array(searches.prefix(Self.limit).map(JSONText.string))
        try folder.write(Self.name, JSONText.object([(name: "searches", value: list)]) + "\n")
    }
}

/// `place.json`: the search and the position at the end of the last run.
struct PlaceFile: Sendable {
    static let name = "place.json"
    /// Far beyond the results of any source.
    private static let maxPosition = 1_000_000_000

    let folder: UserFolder

    func read() throws(Failure) -> SavedPlace? {
        guard let bytes = try folder.read(Self.name) else { return nil }
        let object = try JSONFile.object(bytes, folder.path(of: Self.name))
        guard let search = object["search"]?.text, search.utf8.count <= HistoryFile.textLimit,
            let position = object["position"]?.integer, (0...Self.maxPosition).contains(position),
            let source = object["source"]?.text, Self.isKnown(source)
        else {
            throw Failure(.unavailable, "\(folder.path(of: Self.name)): not a saved position; ignored")
        }
        return SavedPlace(search: search, position: position, source: source)
    }

    private static func isKnown(_ source: String) -> Bool {
        SourceRegistry.named(source) != nil
            || source.hasPrefix(SavedPlace.archivePrefix) && source.utf8.count <= HistoryFile.textLimit
    }

    func write(_ place: SavedPlace?) throws(Failure) {
        guard let place, place.search.utf8.count <= HistoryFile.textLimit else { return try folder.remove(Self.name) }
        let members = [
            (name: "search", value: JSONText.string(place.search)), (name: "position", value: "\(place.position)"),
            (name: "source", value: JSONText.string(place.source)),
        ]
        try folder.write(Self.name, JSONText.object(members) + "\n")
    }
}

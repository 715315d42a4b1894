internal import SpyglassBrowser
internal import SpyglassJSON

/// `history.json`: past searches, the newest first.
struct HistoryFile: Sendable {
    static let name = "history.json"
    /// Maximum number of searches.
    static let limit = 200
    /// Maximum bytes of a search.
    static let textLimit = 1000

    let folder: UserFolder

    func read() throws(UserFolder.Problem) -> [String] {
        guard let bytes = try folder.read(Self.name) else { return [] }
        let object = try JSONFile.object(bytes, folder.path(of: Self.name))
        var seen: Set<String> = []
        let searches = (object["searches"]?.elements ?? []).compactMap(\.text).filter {
            !$0.isEmpty && $0.utf8.count <= Self.textLimit && seen.insert($0).inserted
        }
        return Array(searches.prefix(Self.limit))
    }

    /// Puts a search first; keeps those that other runs added.
    func remember(_ search: String) throws(UserFolder.Problem) {
        guard !search.isEmpty, search.utf8.count <= Self.textLimit else { return }
        var searches = (try? read()) ?? []
        searches.removeAll { $0 == search }
        searches.insert(search, at: 0)
        let list = JSONText.array(searches.prefix(Self.limit).map(JSONText.string))
        try folder.write(Self.name, JSONText.object([(name: "searches", value: list)]) + "\n")
    }
}

/// `place.json`: where the last run ended.
struct PlaceFile: Sendable {
    static let name = "place.json"
    /// Maximum position; no source has a thousandth of it.
    private static let lastPosition = 1_000_000_000

    let folder: UserFolder

    func read() throws(UserFolder.Problem) -> SavedPlace? {
        guard let bytes = try folder.read(Self.name) else { return nil }
        let object = try JSONFile.object(bytes, folder.path(of: Self.name))
        guard let search = object["search"]?.text, search.utf8.count <= HistoryFile.textLimit,
            let position = object["position"]?.integer, (0...Self.lastPosition).contains(position),
            let source = object["source"]?.text, Self.isKnown(source)
        else {
            throw UserFolder.Problem(description: "\(folder.path(of: Self.name)): no position; ignored")
        }
        return SavedPlace(search: search, position: position, source: source)
    }

    private static func isKnown(_ source: String) -> Bool {
        SourceChoice(rawValue: source) != nil
            || source.hasPrefix(SavedPlace.archivePrefix) && source.utf8.count <= HistoryFile.textLimit
    }

    func write(_ place: SavedPlace?) throws(UserFolder.Problem) {
        guard let place, place.search.utf8.count <= HistoryFile.textLimit else { return try folder.remove(Self.name) }
        let members = [
            (name: "search", value: JSONText.string(place.search)), (name: "position", value: "\(place.position)"),
            (name: "source", value: JSONText.string(place.source)),
        ]
        try folder.write(Self.name, JSONText.object(members) + "\n")
    }
}

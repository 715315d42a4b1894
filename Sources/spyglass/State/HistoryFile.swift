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

    /// Earlier versions stored texts without a source.
    func read() throws(Failure) -> [RecentSearch] {
        guard let bytes = try folder.read(Self.name) else { return [] }
        let path = folder.path(of: Self.name)
        guard case .array(let values)? = try JSONFile.object(bytes, path)["searches"] else {
            throw Failure(.unavailable, "\(path): no searches in a form that this version reads; ignored")
        }
        var seen: Set<RecentSearch> = []
        let searches = values.compactMap { value in
            (value["search"] ?? value).text.map { RecentSearch($0, source: value["source"]?.text) }
        }.filter { Self.isStorable($0) && seen.insert($0).inserted }
        return Array(searches.prefix(Self.limit))
    }

    /// Inserts a search first, also among those of concurrent runs.
    func remember(_ search: RecentSearch) throws(Failure) {
        guard Self.isStorable(search) else { return }
        var searches = (try? read()) ?? []
        searches.removeAll { $0 == search || $0 == RecentSearch(search.text) }
        searches.insert(search, at: 0)
        let list = JSONText.array(
            searches.prefix(Self.limit).map { search in
                let source = search.source.map { [("source", JSONText.string($0))] } ?? []
                return JSONText.object([("search", JSONText.string(search.text))] + source)
            })
        try folder.write(Self.name, JSONText.object([(name: "searches", value: list)]) + "\n")
    }

    private static func isStorable(_ search: RecentSearch) -> Bool {
        !search.text.isEmpty && search.text.utf8.count <= textLimit && (search.source ?? "").utf8.count <= textLimit
    }
}

/// `place.json`: the search and the position at the end of the last run.
struct PlaceFile: Sendable {
    static let name = "place.json"
    /// Far beyond the results of any source.
    static let positions = 0...1_000_000_000

    let folder: UserFolder

    func read() throws(Failure) -> SavedPlace? {
        guard let bytes = try folder.read(Self.name) else { return nil }
        let object = try JSONFile.object(bytes, folder.path(of: Self.name))
        guard let place = Self.place(object) else {
            throw Failure(.unavailable, "\(folder.path(of: Self.name)): not a saved position; ignored")
        }
        return place
    }

    static func place(_ object: JSONValue) -> SavedPlace? {
        guard let search = object["search"]?.text, search.utf8.count <= HistoryFile.textLimit,
            let position = object["position"]?.integer, positions.contains(position),
            let source = object["source"]?.text, isKnown(source)
        else { return nil }
        return SavedPlace(search: search, position: position, source: source)
    }

    static func members(of place: SavedPlace) -> [(name: String, value: String)] {
        [
            (name: "search", value: JSONText.string(place.search)), (name: "position", value: "\(place.position)"),
            (name: "source", value: JSONText.string(place.source)),
        ]
    }

    private static func isKnown(_ source: String) -> Bool {
        SourceRegistry.named(source) != nil
            || source.hasPrefix(SavedPlace.archivePrefix) && source.utf8.count <= HistoryFile.textLimit
    }

    func write(_ place: SavedPlace?) throws(Failure) {
        guard let place, place.search.utf8.count <= HistoryFile.textLimit else { return try folder.remove(Self.name) }
        try folder.write(Self.name, JSONText.object(Self.members(of: place)) + "\n")
    }
}

internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassJSON

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

    /// Without a place, or with one that is too long, removes the stored one.
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
    /// Far beyond the results of any source.
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

internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassJSON

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

internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassJSON

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

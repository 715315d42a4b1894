internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassJSON

/// `seen.json`: the photos that were seen last, for the home screen; their pictures are in the disk cache.
struct SeenFile: Sendable {
    static let name = "seen.json"
    static let limit = HomePhoto.maxSeen

    let folder: UserFolder

    /// Leaves out entries of other forms.
    func read() throws(Failure) -> [HomePhoto] {
        guard let bytes = try folder.read(Self.name) else { return [] }
        let object = try JSONFile.object(bytes, folder.path(of: Self.name))
        return Array((object["photos"]?.elements ?? []).lazy.compactMap(Self.photo).prefix(Self.limit))
    }

    func write(_ photos: [HomePhoto]) throws(Failure) {
        let list = photos.prefix(Self.limit).filter(Self.isStorable).map { home in
            JSONText.object(
                [
                    (name: "id", value: JSONText.string(home.photo.id)),
                    (name: "title", value: JSONText.string(home.photo.title)),
                    (name: "thumbnail", value: JSONText.string(home.photo.thumbnail?.text ?? "")),
                ] + PlaceFile.members(of: home.place))
        }
        try folder.write(Self.name, JSONText.object([(name: "photos", value: JSONText.array(list))]) + "\n")
    }

    private static func isStorable(_ home: HomePhoto) -> Bool {
        [home.photo.id, home.photo.title, home.photo.thumbnail?.text ?? "", home.place.search]
            .allSatisfy { $0.utf8.count <= HistoryFile.textLimit }
    }

    private static func photo(_ value: JSONValue) -> HomePhoto? {
        func text(_ name: String) -> String? {
            value[name]?.text.flatMap { $0.utf8.count <= HistoryFile.textLimit ? $0 : nil }
        }
        guard let id = text("id"), let title = text("title"),
            let thumbnail = text("thumbnail").flatMap({ WebAddress($0) }), let place = PlaceFile.place(value)
        else { return nil }
        return HomePhoto(id: id, title: title, thumbnail: thumbnail, trust: .publicService, place: place)
    }
}

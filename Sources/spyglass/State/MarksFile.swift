internal import SpyglassBrowser
internal import SpyglassJSON

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

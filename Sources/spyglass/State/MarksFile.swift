internal import SpyglassBrowser
internal import SpyglassJSON

/// `marks.json`: marked photos by source and id, the newest first; what is unknown in it is ignored.
struct MarksFile: Sendable {
    static let name = "marks.json"
    /// Maximum bytes, some 50,000 marks.
    ///
    /// The oldest are left out.
    static let byteLimit = 4 << 20
    /// Maximum bytes of an id, which is the path of a file (`PATH_MAX`), and of a source.
    private static let textLimit = 4096

    let folder: UserFolder

    func read() throws(Failure) -> [PhotoMark] {
        guard let bytes = try folder.read(Self.name, limit: Self.byteLimit) else { return [] }
        let path = folder.path(of: Self.name)
        let object = try JSONFile.object(bytes, path)
        guard case .array(let values)? = object["marks"] else {
            throw Failure(.unavailable, "\(path): no marks in a form that this version reads; not changed")
        }
        return values.compactMap { value in
            guard let source = value["source"]?.text, let id = value["id"]?.text else { return nil }
            let mark = PhotoMark(source: source, id: id)
            return Self.isStorable(mark) ? mark : nil
        }
    }

    /// Adds and removes marks, also among those of concurrent runs.
    ///
    /// A file that is not JSON is set aside, and its marks are lost; any other that cannot be read is left as it is.
    func write(_ changes: MarkChanges) throws(Failure) {
        let changed = Set(changes.added).union(changes.removed)
        let stored: [PhotoMark]
        do { stored = try read() } catch {
            guard try isDamaged(), try folder.setAside(Self.name) else {
                throw Failure(.unavailable, "\(error.message); move the file away to start again")
            }
            stored = []
        }
        let known = stored.filter { !changed.contains($0) }
        var room = Self.byteLimit - 100
        var lines: [String] = []
        for mark in changes.added.reversed().filter(Self.isStorable) + known {
            let line = JSONText.object([
                (name: "source", value: JSONText.string(mark.source)), (name: "id", value: JSONText.string(mark.id)),
            ])
            room -= line.utf8.count + 1
            guard room >= 0 else { break }
            lines.append(line)
        }
        try folder.write(Self.name, JSONText.object([(name: "marks", value: JSONText.array(lines))]) + "\n")
    }

    /// Whether the file is not JSON, as after a disk was full or a machine lost power.
    private func isDamaged() throws(Failure) -> Bool {
        guard let bytes = try folder.read(Self.name, limit: Self.byteLimit) else { return false }
        return (try? JSONValue(parsing: bytes)) == nil
    }

    private static func isStorable(_ mark: PhotoMark) -> Bool {
        !mark.id.isEmpty && max(mark.id.utf8.count, mark.source.utf8.count) <= textLimit
    }
}

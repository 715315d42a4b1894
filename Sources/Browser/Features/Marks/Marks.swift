internal import SpyglassCatalog

/// Identifies a marked photo in another run.
package struct PhotoMark: Hashable, Sendable {
    package var source: String
    package var id: String

    package init(source: String, id: String) {
        self.source = source
        self.id = id
    }
}

/// Photos that were marked and unmarked since the last changes.
package struct MarkChanges: Hashable, Sendable {
    package var added: [PhotoMark] = []
    package var removed: [PhotoMark] = []

    package init() {}

    var isEmpty: Bool { added.isEmpty && removed.isEmpty }
}

/// The marked photos of all sources.
///
/// A mark of an earlier run counts once a list has its photo.
struct Marks: Sendable {
    private struct Marked {
        var photo: Photo
        /// The position in the order of marking.
        let number: Int
    }

    /// The marked photos, by source and id.
    private var photos: [String: [String: Marked]] = [:]
    /// Marks of earlier runs whose photos have not been listed.
    private var unseen: Set<PhotoMark>
    private var changes = MarkChanges()
    private var nextNumber = 0

    init(_ stored: [PhotoMark] = []) { unseen = Set(stored) }

    func contains(_ photo: Photo) -> Bool { photos[photo.source]?[photo.id] != nil }

    func count(of source: String) -> Int { photos[source]?.count ?? 0 }

    /// Returns the marked photos in the order of marking.
    func photos(of source: String) -> [Photo] {
        (photos[source] ?? [:]).values.sorted { $0.number < $1.number }.map(\.photo)
    }

    /// Marks a photo, unless it is a folder.
    mutating func insert(_ photo: Photo) {
        guard photo.isMarkable, !contains(photo) else { return }
        put(photo)
        changes.added.append(PhotoMark(of: photo))
    }

    mutating func remove(_ photo: Photo) {
        guard photos[photo.source]?.removeValue(forKey: photo.id) != nil else { return }
        changes.removed.append(PhotoMark(of: photo))
    }

    mutating func removeAll(of source: String) {
        let others = unseen.filter { $0.source != source }
        changes.removed += (photos[source] ?? [:]).keys.map { PhotoMark(source: source, id: $0) }
        changes.removed += unseen.subtracting(others)
        photos[source] = nil
        unseen = others
    }

    /// Completes marks of earlier runs by photos that were listed.
    mutating func find(among listed: [Photo]) {
        guard !unseen.isEmpty else { return }
        for photo in listed where unseen.remove(PhotoMark(of: photo)) != nil { put(photo) }
    }

    /// Replaces the metadata of a marked photo.
    mutating func update(_ photo: Photo) { photos[photo.source]?[photo.id]?.photo = photo }

    /// Returns the changes to store, and forgets them: a photo may have been marked and unmarked since.
    mutating func takeChanges() -> MarkChanges {
        defer { changes = MarkChanges() }
        changes.added.removeAll { photos[$0.source]?[$0.id] == nil }
        changes.removed.removeAll { photos[$0.source]?[$0.id] != nil }
        return changes
    }

    private mutating func put(_ photo: Photo) {
        photos[photo.source, default: [:]][photo.id] = Marked(photo: photo, number: nextNumber)
        nextNumber += 1
    }
}

extension PhotoMark {
    fileprivate init(of photo: Photo) { self.init(source: photo.source, id: photo.id) }
}

extension Photo {
    var isMarkable: Bool { mediaType != .folder }
}

extension PhotoList {
    /// The positions between the start of an open range and the selection; empty without one.
    var range: Range<Int> {
        guard let rangeStart else { return 0..<0 }
        return (min(rangeStart, selected)..<max(rangeStart, selected) + 1).clamped(to: positions)
    }
}

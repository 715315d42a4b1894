internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassJSON
internal import SpyglassPipeline

/// Asks where to save originals or resized copies, then shows the progress.
struct SaveScreen: Hashable, Sendable {
    enum Purpose: Hashable, Sendable { case originals, copies }
    enum Row: Hashable, Sendable { case path, size, format }
    enum Size: Hashable, Sendable { case asking, known(Int), unknown }
    enum Stage: Hashable, Sendable { case editing, saving(SaveProgress) }

    var purpose: Purpose
    /// At least one.
    var items: [SaveItem]
    /// The results of earlier tries.
    var savedCount = 0
    /// The path of a file if there is one original, else of a folder.
    var path: TextField
    /// The path as it was proposed, which follows the name of the file; `nil` if the user has typed another.
    var proposal: String?
    var originalSize = Size.unknown
    /// The size of copies; a change forgets that it was refused.
    var size = TextField() { didSet { isSizeBad = false } }
    var isSizeBad = false
    var format = ExportFormat.same
    var row = Row.path
    var stage = Stage.editing

    var isFile: Bool { purpose == .originals && items.count == 1 && savedCount == 0 }
    var rows: [Row] { purpose == .copies ? [.path, .size, .format] : [.path] }
    var isEditing: Bool { stage == .editing }

    /// Chooses the next format (1) or the previous one (-1).
    mutating func stepFormat(_ step: Int) {
        let formats = ExportFormat.allCases
        let index = formats.firstIndex(of: format) ?? 0
        format = formats[(index + step + formats.count) % formats.count]
    }

    /// Whether something is on its way.
    var isBusy: Bool { !isEditing || originalSize == .asking }

    var field: TextField? {
        get {
            guard isEditing else { return nil }
            return row == .path ? path : row == .size ? size : nil
        }
        set {
            guard let newValue else { return }
            if row == .path { path = newValue } else if row == .size { size = newValue }
        }
    }
}

struct SaveItem: Hashable, Sendable {
    /// Has the files of all its pictures.
    var photo: Photo
    /// The number of the picture, from 1.
    var picture = 1
    /// Whether the source has named all files.
    var isComplete: Bool

    /// The photo with the files of its picture alone.
    var shown: Photo { picture > 1 ? photo.picture(picture) : photo }

    /// The original; `nil` if there is none.
    var source: ImageSource? {
        if let file = photo.file { return file.isFolder ? nil : .localFile(file) }
        let shown = shown
        return shown.original.map { .address($0, shown.trust) }
    }

    /// Whether there is an original, or the source may name one.
    var mayHaveSource: Bool { source != nil || !isComplete && photo.file == nil }

    var name: String {
        var named = shown
        if let file = named.file { return SafeFileName.of(fileName: file.name) }
        guard let address = named.original else { return SafeFileName.nameless }
        if picture > 1 { named.id += "-\(picture)" }
        return SafeFileName.of(named, at: address)
    }
}

struct SaveJob: Hashable, Sendable {
    var items: [SaveItem]
    /// The typed path of a folder, or of a file.
    var path: String
    var isFolder: Bool
    /// The form of resized copies; `nil` saves originals.
    var copies: CopyForm?
}

struct CopyForm: Hashable, Sendable {
    /// The size, as `resize` reads it: `1600`, `1600x900`, `50%`.
    var size: String
    var format: ExportFormat
}

package enum ExportFormat: String, Hashable, Sendable, CaseIterable {
    case same
    case jpeg
    case png
}

struct SaveProgress: Hashable, Sendable {
    /// Items that have ended.
    var done = 0
    /// Bytes of the items that are being saved.
    var received = 0
    var bytes: Int?
}

struct SaveOutcome: Hashable, Sendable {
    var paths: [String] = []
    var failed: [SaveItem] = []
    /// Why the first item failed.
    var problem: BrowserError?
    /// Why a smaller file was saved: the source did not name the original.
    var note: String?

    mutating func fail(_ item: SaveItem, _ error: BrowserError) {
        failed.append(item)
        problem = problem ?? error
    }
}

/// Makes safe file names: without slashes, control, invisible or bidirectional characters, leading dots or hyphens.
///
/// They have at most 255 bytes (`NAME_MAX` of Linux file systems).
enum SafeFileName {
    static let lengthLimit = 255
    static let nameless = "photo"

    static func of(_ photo: Photo, at address: WebAddress) -> String {
        let ending = address.fileEnding.map { ".\($0)" } ?? ""
        var stem = [photo.id, photo.title].lazy.map { clean($0, endingWith: ending) }.first { !$0.isEmpty } ?? nameless
        // An id may be a file name with the extension.
        if !ending.isEmpty, stem.lowercased().hasSuffix(ending) { stem.removeLast(ending.count) }
        return (stem.isEmpty ? nameless : stem) + ending
    }

    static func of(fileName: String) -> String {
        let name = clean(fileName, endingWith: "")
        return name.isEmpty ? nameless : name
    }

    private static func clean(_ text: String, endingWith ending: String) -> String {
        var name = ""
        for character in text {
            let isPlain = character.unicodeScalars.allSatisfy { !$0.isUnprintable && $0 != "/" && $0 != "\\" }
            let kept: Character = isPlain ? (character.isWhitespace ? " " : character) : "_"
            guard name.utf8.count + kept.utf8.count + ending.utf8.count <= lengthLimit else { break }
            if name.isEmpty, kept == "." || kept == "-" || kept == " " || kept == "_" { continue }
            name.append(kept)
        }
        while name.last == " " || name.last == "." { name.removeLast() }
        return name
    }
}

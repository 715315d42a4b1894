internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassJSON

/// Without slashes, control, invisible or bidirectional characters, leading dots or hyphens; at most 255 bytes
/// (`NAME_MAX` of Linux file systems).
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

internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassJSON

/// A file name made of what a source says, that can do no harm.
///
/// No slash, no control character, nothing invisible or that turns the direction of writing, no leading dot or hyphen, and at most 255
/// bytes (`NAME_MAX` of every Linux file system).
enum SafeFileName {
    static let lengthLimit = 255
    /// What a file is called of which nothing usable is known.
    static let nameless = "photo"

    /// The name under which the original of a photo is proposed to be saved: its id, else its title, with the file's ending.
    static func of(_ photo: Photo, at address: WebAddress) -> String {
        let ending = address.fileEnding.map { ".\($0)" } ?? ""
        var stem = [photo.id, photo.title].lazy.map { clean($0, endingWith: ending) }.first { !$0.isEmpty } ?? nameless
        // An id that is a file name already needs no second ending.
        if !ending.isEmpty, stem.lowercased().hasSuffix(ending) { stem.removeLast(ending.count) }
        return (stem.isEmpty ? nameless : stem) + ending
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

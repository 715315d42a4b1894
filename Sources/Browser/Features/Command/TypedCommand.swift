internal import SpyglassFiles

/// The words of a typed command, as a program gets them: no shell reads them.
///
///     TypedCommand("cp -t 'my best' {}", home: "/home/ada")?.words(for: files)
///
/// Spaces separate words, except in `'…'` and `"…"` and after `\`; inside `"…"`, that escapes only `"`, `\`, `$` and `` ` ``.
/// `~` at the start of a word is the home folder.
struct TypedCommand: Hashable, Sendable {
    private var words: [[UInt8]] = []
    /// Whether something that is not quoted has a meaning in shells alone: an operator, a pattern, a variable.
    private(set) var needsShell = false
    private static let operators = "|&;<>*$`"
    private static let place = Array("{}".utf8)

    /// `nil` without a word, and where a quotation mark is left open.
    init?(_ text: String, home: String) {
        var word: String?
        var isHome = false
        var quote: Character?
        var isEscaped = false
        func add(_ character: Character) { word = (word ?? "") + String(character) }
        func endWord() {
            guard var ended = word else { return }
            if isHome, ended == "~" || ended.hasPrefix("~/") { ended = home + ended.dropFirst() }
            words.append(Array(ended.utf8))
            (word, isHome) = (nil, false)
        }
        for character in text {
            switch character {
            case _ where isEscaped:
                if quote == "\"", !"\"\\$`".contains(character) { add("\\") }
                add(character)
                isEscaped = false
            case "\\" where quote == "\"": isEscaped = true
            case quote: quote = nil
            case _ where quote != nil: add(character)
            case "'", "\"":
                quote = character
                word = word ?? ""
            case "\\": isEscaped = true
            case _ where character.isWhitespace: endWord()
            default:
                if Self.operators.contains(character) { needsShell = true }
                if word == nil { isHome = character == "~" && !home.isEmpty }
                add(character)
            }
        }
        endWord()
        guard quote == nil, !isEscaped, !words.isEmpty else { return nil }
    }

    /// Whether a word has `{}`.
    var takesFiles: Bool { words.contains(where: Self.hasPlace) }

    /// The words with the files: each word with `{}` once for each file, in its place.
    func words(for files: [[UInt8]]) -> [[UInt8]] {
        words.flatMap { word in Self.hasPlace(word) ? files.map { Self.fill(word, with: $0) } : [word] }
    }

    private static func hasPlace(_ word: [UInt8]) -> Bool { word.indices.contains { word[$0...].starts(with: place) } }

    private static func fill(_ word: [UInt8], with file: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = word[...]
        while let first = rest.first {
            let isPlace = rest.starts(with: place)
            result += isPlace ? file : [first]
            rest = rest.dropFirst(isPlace ? place.count : 1)
        }
        return result
    }
}

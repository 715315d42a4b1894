internal import SpyglassTerminalUI

/// A line of text with a caret.
struct TextField: Hashable, Sendable {
    var before = ""
    var after = ""

    /// Bytes; more than any API takes in a URL.
    static let lengthLimit = 1 << 10

    var text: String { before + after }

    init(_ text: String = "") { before = text }

    /// Performs an action of the keys for typing; returns whether it is one.
    mutating func perform(_ action: Action) -> Bool {
        switch action {
        case .caretLeft: moveLeft()
        case .caretRight: moveRight()
        case .caretStart: (before, after) = ("", text)
        case .caretEnd: (before, after) = (text, "")
        case .wordLeft: moveWordLeft()
        case .wordRight: moveWordRight()
        case .deleteBackward: _ = before.popLast()
        case .deleteForward: after = String(after.dropFirst())
        case .deleteWord: before = String(before.prefix(before.startOfLastWord))
        case .deleteToStart: before = ""
        case .deleteToEnd: after = ""
        default: return false
        }
        return true
    }

    /// Inserts a text at the caret: joins its lines, drops control characters, cuts at the limit.
    mutating func insert(_ text: String) {
        let text = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        var room = Self.lengthLimit - before.utf8.count - after.utf8.count
        for character in text {
            let kept: Character? = character == "\t" ? " " : character.isControl ? nil : character
            guard let kept else { continue }
            room -= kept.utf8.count
            guard room >= 0 else { return }
            before.append(kept)
        }
    }

    private mutating func moveLeft() {
        guard let character = before.popLast() else { return }
        after = String(character) + after
    }

    private mutating func moveRight() {
        guard !after.isEmpty else { return }
        before.append(after.removeFirst())
    }

    private mutating func moveWordLeft() {
        let kept = before.prefix(before.startOfLastWord)
        after = before.dropFirst(kept.count) + after
        before = String(kept)
    }

    private mutating func moveWordRight() {
        let passed = after.prefix(after.endOfFirstWord)
        before += passed
        after = String(after.dropFirst(passed.count))
    }
}

extension Character {
    fileprivate var isControl: Bool {
        unicodeScalars.first.map { $0.properties.generalCategory == .control } ?? true
    }
}

extension String {
    fileprivate var startOfLastWord: Int { reversed().drop { $0 == " " }.drop { $0 != " " }.count }

    fileprivate var endOfFirstWord: Int { count - drop { $0 == " " }.drop { $0 != " " }.count }
}

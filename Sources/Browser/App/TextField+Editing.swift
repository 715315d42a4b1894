extension TextField {
    /// Bytes; more than any API takes in a URL.
    static let lengthLimit = 1 << 10

    /// Performs an action of the keys for typing; returns whether it is one.
    mutating func perform(_ action: Action) -> Bool {
        switch action {
        case .caretLeft: moveLeft()
        case .caretRight: moveRight()
        case .caretStart: moveToStart()
        case .caretEnd: moveToEnd()
        case .wordLeft: moveWordLeft()
        case .wordRight: moveWordRight()
        case .deleteBackward: deleteBackward()
        case .deleteForward: deleteForward()
        case .deleteWord: deleteWord()
        case .deleteToStart: deleteToStart()
        case .deleteToEnd: deleteToEnd()
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

    mutating func moveLeft() {
        guard let character = before.popLast() else { return }
        after = String(character) + after
    }

    mutating func moveRight() {
        guard !after.isEmpty else { return }
        before.append(after.removeFirst())
    }

    mutating func moveToStart() { self = TextField(before: "", after: text) }

    mutating func moveToEnd() { self = TextField(before: text, after: "") }

    mutating func moveWordLeft() {
        let kept = before.prefix(before.startOfLastWord)
        after = before.dropFirst(kept.count) + after
        before = String(kept)
    }

    mutating func moveWordRight() {
        let passed = after.prefix(after.endOfFirstWord)
        before += passed
        after = String(after.dropFirst(passed.count))
    }

    mutating func deleteBackward() { _ = before.popLast() }

    mutating func deleteForward() {
        guard !after.isEmpty else { return }
        after.removeFirst()
    }

    mutating func deleteWord() { before = String(before.prefix(before.startOfLastWord)) }

    mutating func deleteToStart() { before = "" }

    mutating func deleteToEnd() { after = "" }

    private init(before: String, after: String) {
        self.before = before
        self.after = after
    }
}

extension Character {
    fileprivate var isControl: Bool {
        unicodeScalars.first.map { $0.properties.generalCategory == .control } ?? true
    }
}

extension String {
    fileprivate var startOfLastWord: Int {
        let word = reversed().drop { $0 == " " }.drop { $0 != " " }
        return word.count
    }

    fileprivate var endOfFirstWord: Int {
        let rest = drop { $0 == " " }.drop { $0 != " " }
        return count - rest.count
    }
}

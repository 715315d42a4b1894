internal import SpyglassTerminalUI

struct TextField: Hashable, Sendable {
    var before = ""
    var after = ""
    /// Whether all text is selected: what is typed replaces it, and an arrow keeps it.
    private(set) var isSelected = false
    /// The text that was typed before an older one replaced it.
    private var draft = ""
    /// Bytes; more than any API takes in a URL.
    static let lengthLimit = 1 << 10

    var text: String { before + after }
    init(_ text: String = "", isSelected: Bool = false) {
        before = text
        self.isSelected = isSelected && !text.isEmpty
    }

    /// Performs an action of the keys for typing; returns whether it is one.
    mutating func perform(_ action: Action) -> Bool {
        let wasSelected = isSelected
        isSelected = false
        switch action {
        case .deleteBackward where wasSelected, .deleteForward where wasSelected, .deleteWord where wasSelected:
            (before, after) = ("", "")
        case .caretLeft: move(to: before.dropLast().count)
        case .caretRight: move(to: before.count + 1)
        case .caretStart: (before, after) = ("", text)
        case .caretEnd: (before, after) = (text, "")
        case .wordLeft: move(to: before.startOfLastWord)
        case .wordRight: move(to: before.count + after.endOfFirstWord)
        case .deleteBackward: _ = before.popLast()
        case .deleteForward: after = String(after.dropFirst())
        case .deleteWord: before = String(before.prefix(before.startOfLastWord))
        case .deleteToStart: before = ""
        case .deleteToEnd: after = ""
        default:
            isSelected = wasSelected
            return false
        }
        return true
    }

    /// Inserts a text at the caret: joins its lines, drops control characters, cuts at the limit.
    mutating func insert(_ text: String) {
        if isSelected { self = TextField() }
        let text = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        var room = Self.lengthLimit - before.utf8.count - after.utf8.count
        for character in text {
            let isControl = character.unicodeScalars.first?.properties.generalCategory == .control
            let kept: Character = character == "\t" ? " " : character
            if isControl, kept != " " { continue }
            room -= kept.utf8.count
            guard room >= 0 else { return }
            before.append(kept)
        }
    }

    /// Replaces the text by an older one (1) or a newer one (-1), of which the newest is the first; returns whether there is one.
    mutating func recall(_ step: Int, in texts: [String]) -> Bool {
        let present = texts.firstIndex(of: text)
        let index = (present ?? -1) + step
        guard (-1..<texts.count).contains(index) else { return false }
        let draft = present == nil ? text : draft
        self = TextField(index < 0 ? draft : texts[index])
        self.draft = draft
        return true
    }

    private mutating func move(to characters: Int) {
        let text = text
        (before, after) = (String(text.prefix(characters)), String(text.dropFirst(characters)))
    }
}

extension String {
    fileprivate var startOfLastWord: Int { reversed().drop { $0 == " " }.drop { $0 != " " }.count }
    fileprivate var endOfFirstWord: Int { count - drop { $0 == " " }.drop { $0 != " " }.count }
}

/// One line for typing: the text around the caret, or a prompt while it is empty.
struct FieldLine {
    let field: TextField
    var prompt = ""
    var isActive = true
    /// The minimum columns of a field that shares its line with keys.
    private static let minColumns = 24

    func draw(in area: CellArea, row: Int = 0, on canvas: inout Canvas) {
        guard (0..<area.rows).contains(row) else { return }
        var line = area
        line.row += row
        line.rows = 1
        canvas.fill(line, .field)
        canvas.setTarget(.field, in: line)
        // A column on each side for the caret.
        let inner = line.columns > 4 ? line.inset(left: 1, right: 1) : line
        guard !field.text.isEmpty else {
            if isActive { canvas.setCursor(beforeText: canvas.isRightToLeft ? inner.columns - 1 : 0, ofTextIn: inner) }
            let prompt = canvas.clean(prompt, columns: inner.columns)
            var style = canvas.styles[.field]
            style.foreground = canvas.styles[.placeholder].foreground
            style.attributes.formUnion(canvas.styles[.placeholder].attributes)
            canvas.put(prompt, in: inner, style: style)
            return
        }
        let (before, after) = window(columns: max(inner.columns - 1, 0), on: canvas)
        let text = before + after
        var style = canvas.styles[.field]
        if isActive, field.isSelected { style.attributes.insert(.reverse) }
        canvas.put(text, in: inner, style: style)
        guard isActive else { return }
        canvas.setCursor(beforeText: min(before.width, inner.columns), ofTextIn: inner.first(text.width))
    }

    /// Draws the field over half of a line, between what precedes it and the keys.
    func draw(
        after pieces: [Canvas.Piece], keys: KeyHints, in area: CellArea, row: Int, on canvas: inout Canvas
    ) {
        canvas.fill(CellArea(row: row, columns: canvas.area.columns, rows: 1), .text)
        let used = canvas.put(pieces, in: area, row: row)
        var line = area.inset(left: used)
        line.columns = min(max(area.columns / 2, Self.minColumns), line.columns)
        draw(in: line, row: row, on: &canvas)
        keys.draw(in: area.inset(left: used + line.columns + canvas.margins.gap), row: row, on: &canvas)
    }

    private func window(columns: Int, on canvas: Canvas) -> (before: TerminalText, after: TerminalText) {
        var before = field.before
        var text = TerminalText(cleaning: before).shown(in: canvas.glyphs)
        while text.width > columns, !before.isEmpty {
            // In steps, or a long text would be measured once per character.
            before.removeFirst(min(before.count, max((text.width - columns) / 2, 1)))
            text = TerminalText(cleaning: before).shown(in: canvas.glyphs)
        }
        let rest = canvas.clean(field.after, columns: columns)
        return (text, rest.width <= columns - text.width ? rest : rest.clipped(to: columns - text.width))
    }
}

extension TerminalText {
    fileprivate func clipped(to columns: Int) -> TerminalText {
        var kept = TerminalText(cleaning: "")
        for character in string {
            let longer = kept + TerminalText(cleaning: String(character))
            guard longer.width <= columns else { break }
            kept = longer
        }
        return kept
    }
}

extension Action {
    static let caretLeft = Action("caretLeft", "left", "links", "gauche", "izquierda", "左", "يسار")
    static let caretRight = Action("caretRight", "right", "rechts", "droite", "derecha", "右", "يمين")
    static let caretStart = Action(
        "caretStart", "to the start", "zum Anfang", "au début", "al principio", "行頭へ", "إلى البداية")
    static let caretEnd = Action("caretEnd", "to the end", "zum Ende", "à la fin", "al final", "行末へ", "إلى النهاية")
    static let wordLeft = Action(
        "wordLeft", "word left", "Wort links", "mot précédent", "palabra anterior", "前の語", "كلمة يسارًا")
    static let wordRight = Action(
        "wordRight", "word right", "Wort rechts", "mot suivant", "palabra siguiente", "次の語", "كلمة يمينًا")
    static let deleteBackward = Action(
        "deleteBackward", "delete left", "links löschen", "effacer avant", "borrar atrás", "前を削除", "حذف للخلف")
    static let deleteForward = Action(
        "deleteForward", "delete right", "rechts löschen", "effacer après", "borrar adelante", "後を削除", "حذف للأمام")
    static let deleteWord = Action(
        "deleteWord", "delete word", "Wort löschen", "effacer le mot", "borrar palabra", "語を削除", "حذف كلمة")
    static let deleteToStart = Action(
        "deleteToStart", "delete to start", "bis Anfang löschen", "effacer jusqu’au début", "borrar hasta el principio",
        "行頭まで削除", "حذف إلى البداية")
    static let deleteToEnd = Action(
        "deleteToEnd", "delete to end", "bis Ende löschen", "effacer jusqu’à la fin", "borrar hasta el final", "行末まで削除",
        "حذف إلى النهاية")
}

extension KeyTable {
    static let typing =
        bind(in: [.filter, .save, .export, .command, .alert], ([Key(.enter)], .submit))
        + bind(
            in: fields, ([Key(.left), .control("b")], .caretLeft), ([Key(.right), .control("f")], .caretRight),
            ([Key(.home), .control("a")], .caretStart), ([Key(.end), .control("e")], .caretEnd),
            ([.alt("b"), Key(.left, .alt), Key(.left, .control)], .wordLeft),
            ([.alt("f"), Key(.right, .alt), Key(.right, .control)], .wordRight),
            ([Key(.backspace), .control("h")], .deleteBackward), ([Key(.delete), .control("d")], .deleteForward),
            ([.control("w"), Key(.backspace, .alt)], .deleteWord), ([.control("u")], .deleteToStart),
            ([.control("k")], .deleteToEnd))
        + bind(in: fields, isHidden: true, ([Key(.backspace, .control)], .deleteWord))
}

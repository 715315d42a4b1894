internal import SpyglassTerminalUI

extension Action {
    static let caretLeft = Action("caretLeft") { $0.field.caretLeft }
    static let caretRight = Action("caretRight") { $0.field.caretRight }
    static let caretStart = Action("caretStart") { $0.field.caretStart }
    static let caretEnd = Action("caretEnd") { $0.field.caretEnd }
    static let wordLeft = Action("wordLeft") { $0.field.wordLeft }
    static let wordRight = Action("wordRight") { $0.field.wordRight }
    static let deleteBackward = Action("deleteBackward") { $0.field.deleteBackward }
    static let deleteForward = Action("deleteForward") { $0.field.deleteForward }
    static let deleteWord = Action("deleteWord") { $0.field.deleteWord }
    static let deleteToStart = Action("deleteToStart") { $0.field.deleteToStart }
    static let deleteToEnd = Action("deleteToEnd") { $0.field.deleteToEnd }
}

extension KeyTable {
    static let typing = [
        KeyBinding(keys: [Key(.enter)], action: .submit, scopes: [.filter, .save, .export, .alert]),
        KeyBinding(keys: [Key(.left), .control("b")], action: .caretLeft, scopes: fields),
        KeyBinding(keys: [Key(.right), .control("f")], action: .caretRight, scopes: fields),
        KeyBinding(keys: [Key(.home), .control("a")], action: .caretStart, scopes: fields),
        KeyBinding(keys: [Key(.end), .control("e")], action: .caretEnd, scopes: fields),
        KeyBinding(keys: [.alt("b"), Key(.left, .alt), Key(.left, .control)], action: .wordLeft, scopes: fields),
        KeyBinding(keys: [.alt("f"), Key(.right, .alt), Key(.right, .control)], action: .wordRight, scopes: fields),
        KeyBinding(keys: [Key(.backspace), .control("h")], action: .deleteBackward, scopes: fields),
        KeyBinding(keys: [Key(.delete), .control("d")], action: .deleteForward, scopes: fields),
        KeyBinding(keys: [.control("w"), Key(.backspace, .alt)], action: .deleteWord, scopes: fields),
        KeyBinding(keys: [Key(.backspace, .control)], action: .deleteWord, scopes: fields, isHidden: true),
        KeyBinding(keys: [.control("u")], action: .deleteToStart, scopes: fields),
        KeyBinding(keys: [.control("k")], action: .deleteToEnd, scopes: fields),
    ]
}

/// Texts about typing in a field.
final class FieldTexts: Sendable {
    static let all = FieldTexts()

    /// The heading in help.
    let title = Text("Every field", "Jedes Feld", "Tous les champs", "Todos los campos", "すべての欄", "كل الحقول")
    /// The names of actions.
    let caretLeft = Text("left", "links", "gauche", "izquierda", "左", "يسار")
    let caretRight = Text("right", "rechts", "droite", "derecha", "右", "يمين")
    let caretStart = Text("to the start", "zum Anfang", "au début", "al principio", "行頭へ", "إلى البداية")
    let caretEnd = Text("to the end", "zum Ende", "à la fin", "al final", "行末へ", "إلى النهاية")
    let wordLeft = Text("word left", "Wort links", "mot précédent", "palabra anterior", "前の語", "كلمة يسارًا")
    let wordRight = Text("word right", "Wort rechts", "mot suivant", "palabra siguiente", "次の語", "كلمة يمينًا")
    let deleteBackward = Text("delete back", "links löschen", "effacer avant", "borrar atrás", "前を削除", "حذف للخلف")
    let deleteForward = Text("delete", "löschen", "effacer", "borrar", "削除", "حذف")
    let deleteWord = Text("delete word", "Wort löschen", "effacer le mot", "borrar palabra", "語を削除", "حذف كلمة")
    let deleteToStart = Text(
        "delete to start", "bis Anfang löschen", "effacer jusqu’au début", "borrar hasta el principio", "行頭まで削除",
        "حذف إلى البداية")
    let deleteToEnd = Text(
        "delete to end", "bis Ende löschen", "effacer jusqu’à la fin", "borrar hasta el final", "行末まで削除",
        "حذف إلى النهاية")
}

extension UIStrings {
    var field: Localized<FieldTexts> { Localized(texts: .all, language: language) }
}

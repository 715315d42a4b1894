internal import SpyglassTerminalUI

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
        "deleteBackward", "delete back", "links löschen", "effacer avant", "borrar atrás", "前を削除", "حذف للخلف")
    static let deleteForward = Action("deleteForward", "delete", "löschen", "effacer", "borrar", "削除", "حذف")
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
}

extension UIStrings {
    var field: Localized<FieldTexts> { Localized(texts: .all, language: language) }
}

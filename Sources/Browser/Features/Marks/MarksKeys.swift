internal import SpyglassTerminalUI

extension Action {
    static let mark = Action("mark", "mark", "markieren", "marquer", "marcar", "選択", "تعليم")
    static let markRange = Action(
        "markRange", "mark a range", "Bereich markieren", "marquer une plage", "marcar un tramo", "範囲を選択", "تعليم نطاق")
    static let invertMarks = Action(
        "invertMarks", "invert all marks", "alle Marken umkehren", "inverser tout le marquage",
        "invertir todas las marcas", "すべての選択を反転", "عكس كل العلامات")
    static let unmark = Action(
        "unmark", "unmark all", "Marken löschen", "tout démarquer", "desmarcar todo", "すべて解除", "إزالة كل العلامات")

    /// Whether the action leaves an open range as it is, or extends it.
    var keepsRange: Bool {
        switch self {
        case .up, .down, .left, .right, .pageUp, .pageDown, .first, .last, .toggleArrangement, .looser, .denser: true
        default: false
        }
    }
}

extension KeyTable {
    static let marks = [
        KeyBinding(keys: [.plain(" ")], action: .mark, scopes: photos),
        KeyBinding(keys: [.plain("V")], action: .markRange, scopes: photos),
        KeyBinding(keys: [.plain("*")], action: .invertMarks, scopes: photos),
        KeyBinding(keys: [.plain("u")], action: .unmark, scopes: photos),
    ]
}

/// Texts about marked photos.
final class MarkTexts: Sendable {
    static let all = MarkTexts()

    /// The number of marked photos, in the header.
    let marked = Template(
        { "\($0) marked" }, { "\($0) markiert" }, { "\($0) marquées" }, { "\($0) marcadas" }, { "選択 \($0) 枚" },
        { "المعلَّمة: \($0)" })
    /// The name of `markRange` while a range is open.
    let endRange = Text(
        "end the range", "Bereich abschließen", "terminer la plage", "cerrar el tramo", "範囲を確定", "إنهاء النطاق")
    let notForFolders = Text(
        "Folders cannot be marked", "Ordner lassen sich nicht markieren", "Les dossiers ne se marquent pas",
        "Las carpetas no se marcan", "フォルダーは選択できません", "لا يمكن تعليم المجلدات")
}

extension UIStrings {
    var marks: Localized<MarkTexts> { Localized(texts: .all, language: language) }
}

internal import SpyglassTerminalUI

extension Action {
    static let changeOrder = Action(
        "changeOrder", "change order", "Reihenfolge", "changer l’ordre", "cambiar el orden", "並べ替え", "تغيير الترتيب")
}

extension KeyTable {
    static let folders = [KeyBinding(keys: [.plain("S")], action: .changeOrder, scopes: photos)]
}

/// Texts about folders on disk.
final class FolderTexts: Sendable {
    static let all = FolderTexts()

    /// A path.
    let reading = Template(
        { "Reading \($0)" }, { "\($0) wird gelesen" }, { "Lecture de \($0)" }, { "Leyendo \($0)" }, { "\($0) を読み込み中" },
        { "جارٍ قراءة \($0)" })
    let emptyFolder = Template(
        { "No pictures in \($0)" }, { "Keine Bilder in \($0)" }, { "Aucune image dans \($0)" },
        { "No hay imágenes en \($0)" }, { "\($0) に画像はありません" }, { "لا توجد صور في \($0)" })
    let cannotOpen = Template(
        { "Cannot open \($0)" }, { "\($0) lässt sich nicht öffnen" }, { "Impossible d’ouvrir \($0)" },
        { "No se puede abrir \($0)" }, { "\($0) を開けません" }, { "تعذر فتح \($0)" })
    /// The name of the action.
    let byName = Text(
        "Sorted by name", "Nach Namen sortiert", "Triées par nom", "Ordenadas por nombre", "名前順", "مرتبة حسب الاسم")
    let byTime = Text(
        "Newest first", "Neueste zuerst", "Les plus récentes d’abord", "Las más recientes primero", "新しい順",
        "الأحدث أولًا")
    let bySize = Text(
        "Largest first", "Größte zuerst", "Les plus grandes d’abord", "Las más grandes primero", "大きい順", "الأكبر أولًا")
}

extension UIStrings {
    var folders: Localized<FolderTexts> { Localized(texts: .all, language: language) }
}

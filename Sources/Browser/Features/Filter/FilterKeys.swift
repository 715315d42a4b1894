internal import SpyglassTerminalUI

extension Action {
    static let filter = Action("filter", "filter", "filtern", "filtrer", "filtrar", "絞り込み", "تصفية")
}

extension KeyTable {
    static let filter = [
        KeyBinding(keys: [.plain("&")], action: .filter, scopes: photos),
        KeyBinding(keys: [Key(.pageUp)], action: .pageUp, scopes: [.filter], isHidden: true),
        KeyBinding(keys: [Key(.pageDown)], action: .pageDown, scopes: [.filter], isHidden: true),
    ]
}

/// Texts about filtering a list.
final class FilterTexts: Sendable {
    static let all = FilterTexts()

    /// The placeholder of the empty field.
    let prompt = Text(
        "Title, photographer or description", "Titel, Fotograf oder Beschreibung", "Titre, photographe ou description",
        "Título, fotógrafo o descripción", "タイトル、撮影者、説明", "العنوان أو المصور أو الوصف")
    /// The words of the filter.
    let noMatch = Template(
        { "Nothing loaded matches '\($0)'" }, { "Nichts Geladenes passt zu „\($0)“" },
        { "Rien de ce qui est chargé ne correspond à « \($0) »" }, { "Nada de lo cargado coincide con «\($0)»" },
        { "読み込み済みの写真に「\($0)」はありません" }, { "لا شيء مما حُمِّل يطابق «\($0)»" })
    /// The numbers of matching and of loaded photos.
    let matches = Template2(
        { "\($0) of \($1) loaded" }, { "\($0) von \($1) geladenen" }, { "\($0) sur \($1) chargées" },
        { "\($0) de \($1) cargadas" }, { "\($0) / 読み込み済み \($1)" }, { "\($0) من \($1) محمّلة" })
    /// The number of loaded photos, where the source has more.
    let loaded = Template(
        { "\($0) loaded" }, { "\($0) geladen" }, { "\($0) chargées" }, { "\($0) cargadas" }, { "読み込み済み \($0)" },
        { "محمّلة: \($0)" })
    /// The heading in help.
    let heading = Text("Filter", "Filter", "Filtre", "Filtro", "絞り込み", "التصفية")
    /// The names of Enter and Escape in the field.
    let keep = Text("keep", "behalten", "garder", "conservar", "確定", "إبقاء")
    let clear = Text(
        "clear filter", "Filter löschen", "effacer le filtre", "quitar el filtro", "絞り込み解除", "إلغاء التصفية")
}

extension UIStrings {
    var filter: Localized<FilterTexts> { Localized(texts: .all, language: language) }
}

internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// A filter of the loaded photos of a list, and the photos that it leaves.
struct ListFilter: Sendable {
    var field = TextField()
    var isTyping = true
    /// The indices of the photos that are left, ascending.
    var matches: [Int] = []
    /// The index of the photo that the user selected last.
    fileprivate(set) var anchor: Int
    /// The position of the match nearest to it.
    fileprivate var nearest = 0

    var pattern: FuzzyPattern { FuzzyPattern(field.text) }
    fileprivate init(near anchor: Int) { self.anchor = anchor }
}

extension PhotoList {
    /// Positions in the results of all loaded photos.
    var loaded: Range<Int> { firstPosition..<firstPosition + photos.count }

    func index(at position: Int) -> Int? {
        guard positions.contains(position) else { return nil }
        return filter?.matches[position] ?? position - firstPosition
    }

    /// The position in the results of the selected photo, or of the one selected before if the filter leaves none.
    var selectedResult: Int {
        guard let filter else { return selected }
        return firstPosition + (index(at: selected) ?? filter.anchor)
    }

    /// Selects the photo of an index, or the nearest one that the filter leaves, preferably after it.
    mutating func select(near index: Int) {
        guard let matches = filter?.matches else { return select(firstPosition + index) }
        select(matches.firstIndex { $0 >= index } ?? matches.count)
        filter?.anchor = min(max(index, 0), max(photos.count - 1, 0))
        filter?.nearest = selected
    }

    mutating func beginFilter() {
        if filter == nil {
            filter = ListFilter(near: selected - firstPosition)
            filterAgain(near: selected - firstPosition)
        }
        filter?.isTyping = true
    }

    /// Shows all photos again, with the selected one in its row of the screen.
    mutating func endFilter(in geometry: ListGeometry) {
        guard filter != nil else { return }
        let offset = geometry.row(of: selected) - topRow
        let position = selectedResult
        (filter, destination) = (nil, nil)
        select(position)
        topRow = geometry.row(of: selected) - offset
    }

    mutating func setFilter(_ field: TextField) {
        guard let before = filter else { return }
        filter?.field = field
        guard field.text != before.field.text else { return }
        let isMoved = selected != before.nearest
        filterAgain(near: isMoved ? selectedResult - firstPosition : before.anchor)
    }

    /// Applies the filter to all photos, if there is one, and selects the photo of an index or the nearest one.
    mutating func filterAgain(near index: Int) {
        filter?.matches = []
        filter(photos.indices)
        select(near: index)
    }

    /// Adds those of the photos at these indices that match to the end of the matches.
    mutating func filter(_ indices: Range<Int>) {
        guard let pattern = filter?.pattern else { return }
        let matches = indices.filter { pattern.matches(photos[$0]) }
        filter?.matches += matches
    }
}

extension AppState {
    /// Whether keys go to the field of the filter.
    var isFiltering: Bool { if case .list = top { list?.filter?.isTyping == true } else { false } }

    /// Returns whether the action is one of the filter's field.
    mutating func performInFilter(_ action: Action) -> Bool {
        guard isFiltering, var field = list?.filter?.field else { return false }
        switch action {
        case .submit where field.text.trimmed.isEmpty: clearFilter()
        case .submit: list?.filter?.isTyping = false
        case .deleteBackward where field.text.isEmpty: clearFilter()
        default:
            guard field.perform(action) else { return false }
            list?.setFilter(field)
        }
        return true
    }

    mutating func clearFilter() {
        let geometry = geometry
        list?.endFilter(in: geometry)
    }
}

extension Action {
    static let filter = Action("filter", "filter", "filtern", "filtrer", "filtrar", "絞り込み", "تصفية")
}

extension KeyTable {
    static let filter =
        bind(in: photos, ([.plain("&")], .filter))
        + bind(in: [.filter], isHidden: true, ([Key(.pageUp)], .pageUp), ([Key(.pageDown)], .pageDown))
}

final class FilterTexts: Sendable {
    static let all = FilterTexts()
    let prompt = Text(
        "Title, photographer or description", "Titel, Fotograf oder Beschreibung", "Titre, photographe ou description",
        "Título, fotógrafo o descripción", "タイトル、撮影者、説明", "العنوان أو المصور أو الوصف")
    /// For a folder.
    let filePrompt = Text(
        "File or folder name", "Datei- oder Ordnername", "Nom de fichier ou de dossier", "Nombre de archivo o carpeta",
        "ファイル名、フォルダー名", "اسم الملف أو المجلد")
    let noMatch = Template(
        { "No photo here matches '\($0)'" }, { "Kein Foto hier passt zu „\($0)“" },
        { "Aucune photo ici ne correspond à « \($0) »" }, { "Ninguna foto de aquí coincide con «\($0)»" },
        { "ここに「\($0)」に一致する写真はありません" }, { "لا صورة هنا تطابق «\($0)»" })
    let matches = Template2(
        { "\($0) of \($1) match" }, { "\($0) von \($1) passen" }, { "\($0) sur \($1) correspondent" },
        { "\($0) de \($1) coinciden" }, { "\($1) 枚中 \($0) 枚が一致" }, { "\($0) من \($1) تطابق" })
    /// Where the source has photos that are not loaded.
    let matchesLoaded = Template2(
        { "\($0) of \($1) loaded photos match" }, { "\($0) von \($1) geladenen Fotos passen" },
        { "\($0) des \($1) photos chargées correspondent" }, { "\($0) de las \($1) fotos cargadas coinciden" },
        { "読み込み済み \($1) 枚中 \($0) 枚が一致" }, { "\($0) من \($1) صورة محمّلة تطابق" })
    /// The number of loaded photos, where the source has more.
    let loaded = Template(
        { "\($0) loaded" }, { "\($0) geladen" }, { "\($0) chargées" }, { "\($0) cargadas" }, { "読み込み済み \($0)" },
        { "محمّلة: \($0)" })
    let heading = Text("Filter", "Filter", "Filtre", "Filtro", "絞り込み", "التصفية")
    /// The names of Enter and Escape in the field.
    let keep = Text("keep", "behalten", "garder", "conservar", "確定", "إبقاء")
    let clear = Text(
        "clear filter", "Filter löschen", "effacer le filtre", "quitar el filtro", "絞り込み解除", "إلغاء التصفية")
}

extension UIStrings { var filter: Localized<FilterTexts> { Localized(.all, language) } }

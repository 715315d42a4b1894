internal import SpyglassTerminalUI

extension AppState {
    /// Changes the columns of the grid by a step to more or fewer, unless the screen has no room.
    mutating func changeGridColumns(_ step: Int) {
        let before = preferences.gridColumns
        let columns = geometry.columns
        preferences.gridColumns = max(columns + step, 1)
        if geometry.columns == columns { preferences.gridColumns = before }
    }
}

extension ListGeometry {
    private static let minGridWidth = 8
    private static let defaultGridWidth = 27
    private static let gridGap = 2

    init(gridOn screen: CellSize, _ preferences: Preferences, _ margins: ThemeMargins) {
        inner = Self.inner(of: screen, margins)
        leading = min(margins.leading(on: screen.columns), 1)
        isGrid = true
        crops = preferences.cropsGrid
        area = FrameRows.content(of: screen)
        let room = inner.columns + Self.gridGap
        let maxColumns = max(room / (Self.minGridWidth + Self.gridGap), 1)
        let defaultColumns = max(room / (Self.defaultGridWidth + Self.gridGap), 1)
        columns = min(max(preferences.gridColumns ?? defaultColumns, 1), maxColumns)
        let width = max(room / columns - Self.gridGap, 1)
        itemColumns = leading + width
        captionRows = Self.captionRows(in: area)
        let height = min(max(width / 3, 2), max(area.rows - captionRows, 1))
        thumbnail = CellSize(clamping: width, height)
        itemRows = max(min(height + captionRows + (area.rows > height + captionRows ? 1 : 0), area.rows), 1)
    }

    static func captionRows(in area: CellArea) -> Int { area.rows >= 12 ? 2 : area.rows >= 3 ? 1 : 0 }

    /// Returns the first column of an item; the last one ends where header and footer do.
    func gridColumn(of number: Int) -> Int {
        let pitch = itemColumns - leading + Self.gridGap
        let spare = max(inner.columns + Self.gridGap - pitch * columns, 0)
        return inner.column - leading + number * pitch + (columns > 1 ? number * spare / (columns - 1) : 0)
    }
}

extension ListItem {
    func drawInGrid(in area: CellArea, on canvas: inout Canvas) {
        guard let box = drawPicture(in: area, on: &canvas) else { return }
        var caption = area.inset(left: box.column - area.column, top: box.rows)
        caption.columns = box.columns
        caption.rows = geometry.captionRows
        drawText(in: caption, showsKind: showsKind, on: &canvas)
        drawSelection(rows: box.rows + geometry.captionRows, in: area, on: &canvas)
    }
}

extension Action {
    static let toggleArrangement = Action(
        "toggleArrangement", "list or grid", "Liste/Raster", "liste/grille", "lista/cuadrícula", "リスト/グリッド",
        "قائمة/شبكة", needsImages: true)
    static let toggleCropping = Action(
        "toggleCropping", "fill cells", "Felder füllen", "remplir les cases", "llenar celdas", "枠を埋める", "ملء الخلايا",
        needsImages: true)
}

extension KeyTable {
    static let grid =
        bind(in: photos, ([.plain("v")], .toggleArrangement)) + bind(in: [.grid], ([.plain("x")], .toggleCropping))
}

extension Setting {
    static let arrangement = Setting(
        "arrangement", \.arrangement, of: { _ in Preferences.Arrangement.allCases }, needsImages: true,
        label: Text("View", "Ansicht", "Affichage", "Vista", "表示", "العرض"),
        explanation: Text(
            "How photos are laid out; v changes it, too", "Wie Fotos angeordnet sind; auch mit v",
            "Disposition des photos ; v aussi", "Cómo se disponen las fotos; también con v", "写真の並べ方。v でも変えられます",
            "كيفية ترتيب الصور؛ أيضًا بـ v")
    ) { arrangement, context in
        arrangement == .list
            ? context.strings("list", "Liste", "liste", "lista", "リスト", "قائمة")
            : context.strings("grid", "Raster", "grille", "cuadrícula", "グリッド", "شبكة")
    }
}

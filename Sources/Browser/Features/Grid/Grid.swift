internal import SpyglassCatalog
internal import SpyglassFiles
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
    /// Columns that fit the pixels of a photo beside the longest date.
    private static let fitsLongDate = 34
    /// Columns that fit them beside a date of digits.
    private static let fitsDate = 26

    func drawInGrid(in area: CellArea, on canvas: inout Canvas) {
        guard let box = drawPicture(in: area, on: &canvas) else { return }
        var caption = area.inset(left: box.column - area.column, top: box.rows)
        caption.columns = box.columns
        caption.rows = geometry.captionRows
        drawName(in: caption, on: &canvas)
        if caption.rows > 1, let note = gridNote(columns: caption.columns, on: canvas) {
            canvas.put([note], in: caption, row: 1, .center)
        }
        if caption.rows == 0 { drawSelection(rows: box.rows, in: area, on: &canvas) }
    }

    /// Draws the name under its image, of the selected one in inverse; without colours a mark precedes it.
    private func drawName(in caption: CellArea, on canvas: inout Canvas) {
        guard caption.rows > 0 else { return }
        let hasStyles = canvas.styles != .plain && !canvas.isPlain
        let room = caption.columns - (isMarked ? 2 : 0) - (isSelected && !hasStyles ? 2 : 0)
        let title = photo.file.map { photo.title.shortened(to: room, hasExtension: !$0.isFolder) } ?? photo.title
        var name = canvas.clean(isMarked ? canvas.marking(title) : title, columns: caption.columns)
        if isSelected, !hasStyles {
            name = canvas.marks[.selection] + name + " "
        } else if isSelected, name.width + 2 <= caption.columns {
            name = " " + name + " "
        }
        name = name.truncated(to: caption.columns, glyphs: canvas.glyphs)
        let role: ThemeRole = isSelected ? .selected : isMarked ? .good : .text
        canvas.put([.init(name, role, marking: pattern)], in: caption, .center)
        guard isSelected, hasStyles else { return }
        let before = (caption.columns - name.width) / 2
        canvas.invert(caption.inset(left: before).first(name.width).firstRow)
    }

    /// The line under the name: damage, else the folder, size and date of an own file, the maker and date of another one.
    private func gridNote(columns: Int, on canvas: Canvas) -> Canvas.Piece? {
        if let damage = context.damage(of: photo, in: geometry) {
            return .init(canvas.clean(damage, columns: columns), .warning)
        }
        guard photo.file != nil else {
            var byline = byline(columns: columns, on: canvas)
            byline?.role = .dim
            return byline
        }
        if let contents = context.contents(of: photo) { return .init(canvas.clean(contents, columns: columns), .dim) }
        // In a row of narrow photos, all dates have one form, and either all or none have pixels beside them.
        let forms = context.formatter.dates(of: photo).dropFirst(columns < Self.fitsLongDate ? 1 : 0)
        let dates = hidesDate || context.state.list?.query.folderOrder == .size ? [] : Array(forms)
        let hasPixels = dates.isEmpty || columns >= Self.fitsDate
        let pixels = hasPixels ? context.pixels(of: photo).map { [$0] } ?? [] : []
        let endings = dates.isEmpty ? [context.byteCount(of: photo)].compactMap(\.self) : dates
        let folder = photo.albums.first.map { [$0] } ?? []
        let inFolder = folder.isEmpty ? [] : endings.map { folder + pixels + [$0] } + [folder + pixels, folder]
        let facts = inFolder + endings.map { pixels + [$0] } + dates.map { [$0] } + [pixels]
        let texts = facts.filter { !$0.isEmpty }.map { $0.joined(separator: RenderContext.separator) }
        return texts.map { canvas.clean($0, columns: columns) }.first { $0.width <= columns }.map { .init($0, .dim) }
    }
}

extension String {
    /// A longer name without its extension, then without its middle: files of one series differ at the end.
    func shortened(to count: Int, hasExtension: Bool) -> String {
        guard self.count > count else { return self }
        let name =
            !hasExtension ? self[...] : lastIndex(of: ".").flatMap { $0 == startIndex ? nil : self[..<$0] } ?? self[...]
        let end = min(count / 2, 12)
        return name.count > count && end > 1 ? "\(name.prefix(count - end - 1))…\(name.suffix(end))" : String(name)
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

internal import SpyglassTerminalUI

struct SavePanel {
    let context: RenderContext
    let save: SaveScreen
    func draw(on canvas: inout Canvas) {
        let columns = Panel.columns(60, on: canvas)
        let lines = save.isEditing ? choices(columns, canvas) : progress(columns, canvas)
        let title = canvas.clean(context.strings.title(of: save, context.number(save.items.count)), columns: columns)
        let panel = Panel(title: title, columns: columns, lines: lines, .title, on: &canvas)
        let first = panel.draw(lines, keys: context.hints, on: &canvas)
        guard save.isEditing else { return }
        for (line, row) in save.rows.enumerated() where first + line < panel.inner.rows {
            drawField(row, in: panel.inner.inset(left: indent(columns, canvas), top: first + line), on: &canvas)
        }
    }

    /// Draws the text that can be changed over the rest of its line.
    private func drawField(_ row: SaveScreen.Row, in rest: CellArea, on canvas: inout Canvas) {
        var area = rest
        area.rows = 1
        let isChosen = save.row == row
        switch row {
        case .path: FieldLine(field: save.path, isActive: isChosen).draw(in: area, on: &canvas)
        case .size:
            let mark = save.isSizeBad ? canvas.marks[.broken].string + " " : ""
            let hint = canvas.clean("  " + mark + context.strings.save.sizeHint, columns: area.columns)
            let field = area.first(min(Self.sizeColumns, area.columns))
            FieldLine(field: save.size, isActive: isChosen).draw(in: field, on: &canvas)
            canvas.put(hint, in: area.inset(left: field.columns), save.isSizeBad ? .error : .dim)
        case .format:
            let name = save.format == .same ? context.strings.save.sameFormat : save.format.rawValue.uppercased()
            let value = canvas.clean(name, columns: area.columns)
            canvas.put(canvas.stepping(value, isChosen: isChosen), in: area)
        }
        canvas.setTarget(.saveRow(row), in: area)
    }

    private static let sizeColumns = 14

    private func choices(_ columns: Int, _ canvas: Canvas) -> [[Canvas.Piece]] {
        let strings = context.strings.save
        guard save.isFile else {
            let labels = save.purpose == .copies ? [strings.folder, strings.size, strings.format] : [strings.folder]
            return labels.map { fact($0, "", columns, canvas) }
        }
        let size =
            switch save.originalSize {
            case .asking: strings.asking
            case .known(let bytes): context.size(bytes)
            case .unknown: strings.unknown
            }
        return [fact(strings.file, "", columns, canvas), fact(strings.size, " " + size, columns, canvas)]
    }

    private func progress(_ columns: Int, _ canvas: Canvas) -> [[Canvas.Piece]] {
        guard case .saving(let progress) = save.stage else { return [] }
        let strings = context.strings.save
        let label = save.isFile ? strings.file : strings.folder
        var lines = [fact(label, save.path.text, columns, canvas)]
        var size: Int?
        if save.isFile, case .known(let bytes) = save.originalSize { size = bytes }
        let bytes = progress.bytes ?? size
        let share = bytes.map { RenderContext.share(progress.received, of: $0) }
        let count = save.items.count
        if save.isFile {
            let all = bytes.map { " / " + context.size($0) } ?? ""
            lines.append(fact(strings.saving, context.size(progress.received) + all, columns, canvas))
        } else {
            let done = "\(context.number(progress.done)) / \(context.number(count))"
            let received = progress.received > 0 ? "  " + context.size(progress.received) : ""
            lines.append(fact(strings.saving, done + received, columns, canvas))
        }
        let whole = (Double(min(max(progress.done, 0), count)) + (share ?? 0)) / Double(max(count, 1))
        if !save.isFile || share != nil { lines.append(bar(min(whole, 1), columns, canvas)) }
        return lines
    }

    private func indent(_ columns: Int, _ canvas: Canvas) -> Int {
        let strings = context.strings.save
        let labels = [strings.file, strings.folder, strings.size, strings.format, strings.saving]
        let widest = labels.map { canvas.clean($0, columns: columns).width }.max() ?? 0
        return min(widest + 2, columns / 2)
    }

    private func fact(_ label: String, _ value: String, _ columns: Int, _ canvas: Canvas) -> [Canvas.Piece] {
        let indent = indent(columns, canvas)
        let name = canvas.clean(label, columns: columns).truncated(to: indent, glyphs: canvas.glyphs).padded(to: indent)
        return [.init(name, .dim), .init(canvas.clean(value, columns: columns))]
    }

    private func bar(_ share: Double, _ columns: Int, _ canvas: Canvas) -> [Canvas.Piece] {
        let percent = " " + context.percent(Int(share * 100), of: 100)
        let room = max(columns - percent.count, 0)
        let full = Int(share * Double(room))
        func run(_ mark: TerminalText, _ count: Int) -> TerminalText {
            TerminalText(cleaning: String(repeating: mark.string, count: max(count, 0)))
        }
        let (done, left) = (run(canvas.marks[.barFull], full), run(canvas.marks[.barEmpty], room - full))
        return [.init(done, .accent), .init(left, .dim), .init(TerminalText(cleaning: percent))]
    }
}

extension Action {
    static let save = Action("save", "save", "speichern", "enregistrer", "guardar", "保存", "حفظ")
    static let export = Action("export", "export", "ausgeben", "exporter", "exportar", "書き出し", "تصدير")
}

extension KeyTable {
    static let save = bind(in: photos.union([.detail]), ([.plain("s")], .save), ([.plain("e")], .export))
}

final class SaveTexts: Sendable {
    static let all = SaveTexts()
    /// The title for one original; for several originals, and for copies.
    let title = Text(
        "Save the original", "Original speichern", "Enregistrer l’original", "Guardar el original", "元の写真を保存",
        "حفظ الأصل")
    let all = Counted(
        { "Save \($1) \($0 == 1 ? "original" : "originals")" },
        { "\($1) \($0 == 1 ? "Original" : "Originale") speichern" },
        { "Enregistrer \($1) \($0 < 2 ? "original" : "originaux")" },
        { "Guardar \($1) \($0 == 1 ? "original" : "originales")" }, { _, written in "元の写真 \(written) 枚を保存" },
        { "حفظ الأصول: \(arabicPhotos($0, $1))" })
    let copies = Counted(
        { $0 == 1 ? "Export a resized copy" : "Export \($1) resized copies" },
        { $0 == 1 ? "Verkleinerte Kopie ausgeben" : "\($1) verkleinerte Kopien ausgeben" },
        { $0 == 1 ? "Exporter une copie réduite" : "Exporter \($1) copies réduites" },
        { $0 == 1 ? "Exportar una copia reducida" : "Exportar \($1) copias reducidas" },
        { _, written in "縮小コピー \(written) 枚を書き出す" }, { "تصدير نسخ مصغرة: \(arabicPhotos($0, $1))" })
    let file = Text("File", "Datei", "Fichier", "Archivo", "ファイル", "الملف")
    let folder = Text("Folder", "Ordner", "Dossier", "Carpeta", "フォルダー", "المجلد")
    let size = Text("Size", "Größe", "Taille", "Tamaño", "サイズ", "الحجم")
    let unknown = Text("unknown", "unbekannt", "inconnue", "desconocido", "不明", "غير معروف")
    let asking = Text(
        "Requesting the size", "Frage nach der Größe", "Taille demandée au serveur", "Preguntando el tamaño", "サイズを確認中",
        "جارٍ السؤال عن الحجم")
    let saving = Text("Saving", "Speichere", "Enregistrement", "Guardando", "保存中", "جارٍ الحفظ")
    let format = Text("Format", "Format", "Format", "Formato", "形式", "الصيغة")
    let sameFormat = Text(
        "as the original", "wie das Original", "comme l’original", "como el original", "元と同じ", "كالأصل")
    let sizeHint = Text(
        "1600, 1600x900 or 50%", "1600, 1600x900 oder 50%", "1600, 1600x900 ou 50%", "1600, 1600x900 o 50%",
        "1600、1600x900、50%", "1600 أو 1600x900 أو 50%")
    let heading = Text(
        "Save and export", "Speichern und exportieren", "Enregistrer et exporter", "Guardar y exportar", "保存と書き出し",
        "الحفظ والتصدير")
    let saveFailed = Text(
        "Could not save", "Speichern fehlgeschlagen", "L’enregistrement a échoué",
        "No se pudo guardar", "保存できませんでした", "تعذر الحفظ")
    let exportFailed = Text(
        "Could not export", "Die Ausgabe ist fehlgeschlagen", "L’exportation a échoué", "No se pudo exportar",
        "書き出せませんでした", "تعذر التصدير")
    let some = Template2(
        { "\($0) of \($1) done" }, { "\($0) von \($1) sind fertig" }, { "\($0) sur \($1) sont prêtes" },
        { "\($0) de \($1) están listas" }, { "\($1) 枚中 \($0) 枚が完了" }, { "اكتمل \($0) من \($1)" })
    let saved = Template(
        { "Saved as \($0)" }, { "Gespeichert als \($0)" }, { "Enregistré sous \($0)" }, { "Guardado como \($0)" },
        { "\($0) に保存しました" }, { "حُفظ باسم \($0)" })
    let savedSmaller = Template2(
        { "Saved as \($0), a smaller file: \($1)" }, { "Gespeichert als \($0), eine kleinere Datei: \($1)" },
        { "Enregistré sous \($0), un fichier plus petit : \($1)" },
        { "Guardado como \($0), un archivo más pequeño: \($1)" }, { "\($0) に保存しました（小さいファイル）: \($1)" },
        { "حُفظ باسم \($0)، ملف أصغر: \($1)" })
    let savedAll = Template2(
        { "\($0) saved in \($1)" }, { "\($0) gespeichert in \($1)" }, { "\($0) enregistrées dans \($1)" },
        { "\($0) guardadas en \($1)" }, { "\($0) 枚を \($1) に保存しました" }, { "حُفظت \($0) في \($1)" })
    let exported = Template2(
        { "\($0) exported to \($1)" }, { "\($0) ausgegeben nach \($1)" }, { "\($0) exportées dans \($1)" },
        { "\($0) exportadas a \($1)" }, { "\($0) 枚を \($1) に書き出しました" }, { "صُدّرت \($0) إلى \($1)" })
    let cancelled = Text(
        "Saving was cancelled", "Speichern abgebrochen", "Enregistrement annulé", "Se canceló el guardado", "保存を中止しました",
        "أُلغي الحفظ")
    let nothingToSave = Text(
        "There is no image here", "Hier ist kein Bild", "Il n’y a pas d’image ici", "Aquí no hay ninguna foto",
        "ここに写真はありません", "لا توجد صورة هنا")
}

extension UIStrings {
    var save: Localized<SaveTexts> { Localized(.all, language) }

    func title(of screen: SaveScreen, _ written: String) -> String {
        switch screen.purpose {
        case .originals: screen.isFile ? save.title : save.all(screen.items.count, written)
        case .copies: save.copies(screen.items.count, written)
        }
    }
}

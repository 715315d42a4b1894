internal import SpyglassTerminalUI

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
        { "حفظ الأصول: \(ArabicPlural.photos($0, $1))" })
    let copies = Counted(
        { $0 == 1 ? "Export a resized copy" : "Export \($1) resized copies" },
        { $0 == 1 ? "Verkleinerte Kopie ausgeben" : "\($1) verkleinerte Kopien ausgeben" },
        { $0 == 1 ? "Exporter une copie réduite" : "Exporter \($1) copies réduites" },
        { $0 == 1 ? "Exportar una copia reducida" : "Exportar \($1) copias reducidas" },
        { _, written in "縮小コピー \(written) 枚を書き出す" }, { "تصدير نسخ مصغرة: \(ArabicPlural.photos($0, $1))" })
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

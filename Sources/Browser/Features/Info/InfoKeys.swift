internal import SpyglassTerminalUI

extension Action {
    static let info = Action("info", "details", "Details", "détails", "detalles", "詳細", "التفاصيل")
}

extension KeyTable {
    static let info = [KeyBinding(keys: [.plain("i")], action: .info, scopes: photos.union([.detail, .info]))]
}

/// Texts about the facts of a photo.
final class InfoTexts: Sendable {
    static let all = InfoTexts()

    let title = Text(
        "About this photo", "Über dieses Foto", "À propos de cette photo", "Acerca de esta foto", "この写真について",
        "عن هذه الصورة")
    /// The labels of facts.
    let camera = Text("Camera", "Kamera", "Appareil", "Cámara", "カメラ", "الكاميرا")
    let lens = Text("Lens", "Objektiv", "Objectif", "Objetivo", "レンズ", "العدسة")
    let exposure = Text("Exposure", "Belichtung", "Exposition", "Exposición", "露出", "التعريض")
    let pixels = Text("Pixels", "Pixel", "Pixels", "Píxeles", "画素", "البكسلات")
    let profile = Text("Profile", "Farbprofil", "Profil", "Perfil", "プロファイル", "ملف الألوان")
    let format = Text("Format", "Format", "Format", "Formato", "形式", "الصيغة")
    let software = Text("Software", "Software", "Logiciel", "Programa", "ソフトウェア", "البرنامج")
    let modified = Text("Modified", "Geändert", "Modifié", "Modificado", "更新日時", "آخر تعديل")
    let address = Text("Address", "Adresse", "Adresse", "Dirección", "アドレス", "العنوان")
    let progressive = Text("progressive", "progressiv", "progressif", "progresivo", "プログレッシブ", "تدريجي")
    let reading = Text(
        "Reading the file", "Datei wird gelesen", "Lecture du fichier", "Leyendo el archivo", "ファイルを読み込み中",
        "جارٍ قراءة الملف")
    /// Two frames or more.
    let frames = Template(
        { "\($0) frames" }, { "\($0) Einzelbilder" }, { "\($0) images" }, { "\($0) fotogramas" }, { "\($0) フレーム" },
        { "عدد الإطارات: \($0)" })
    let megapixels = Template(
        { "\($0) megapixels" }, { "\($0) Megapixel" }, { "\($0) mégapixels" }, { "\($0) megapíxeles" },
        { "\($0) メガピクセル" }, { "\($0) ميغابكسل" })
    /// A focal length on 35 mm film.
    let onFilm = Template(
        { "\($0) on 35 mm film" }, { "\($0) auf Kleinbild" }, { "\($0) en 24 × 36" }, { "\($0) en 35 mm" },
        { "35 mm 判換算 \($0)" }, { "\($0) على فيلم 35 مم" })
}

extension UIStrings {
    var info: Localized<InfoTexts> { Localized(texts: .all, language: language) }
}

/// Texts that every screen uses.
final class AppTexts: Sendable {
    static let all = AppTexts()

    let decimalSeparator = Text(".", ",", ",", ",", ".", ".")
    let cancel = Text("cancel", "abbrechen", "annuler", "cancelar", "中止", "إلغاء")
    /// The name of the space bar.
    let space = Text("Space", "Leertaste", "Espace", "Espacio", "スペース", "المسافة")
    /// The name of Escape on the home screen.
    let quit = Text("quit", "beenden", "quitter", "salir", "終了", "خروج")
    /// The names of two keys together, shorter still.
    let change = Text("change", "ändern", "changer", "cambiar", "変更", "تغيير")
    let choose = Text("choose", "wählen", "choisir", "elegir", "選択", "اختيار")
    let scroll = Text("scroll", "blättern", "défiler", "desplazar", "スクロール", "تمرير")
    let page = Text("page", "Seite", "page", "página", "画面", "صفحة")
    let mouseOn = Text(
        "The mouse scrolls and selects", "Die Maus blättert und wählt aus", "La souris fait défiler et sélectionne",
        "El ratón desplaza y elige", "マウスでスクロールと選択ができます", "الفأرة تمرر وتختار")
    let mouseOff = Text(
        "The mouse is free to select text", "Die Maus ist frei, um Text zu markieren",
        "La souris est libre de sélectionner du texte", "El ratón queda libre para seleccionar texto", "マウスで文字を選択できます",
        "الفأرة حرة لتحديد النص")
}

extension UIStrings {
    var app: Localized<AppTexts> { Localized(texts: .all, language: language) }
}

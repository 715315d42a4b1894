/// Texts that every screen uses.
final class AppTexts: Sendable {
    static let all = AppTexts()

    let decimalSeparator = Text(".", ",", ",", ",", ".", ".")
    let cancel = Text("cancel", "abbrechen", "annuler", "cancelar", "中止", "إلغاء")
    /// The name of the space bar.
    let space = Text("Space", "Leertaste", "Espace", "Espacio", "スペース", "المسافة")
    /// The names of actions, short enough for the footer.
    let up = Text("up", "hoch", "haut", "arriba", "上", "أعلى")
    let down = Text("down", "runter", "bas", "abajo", "下", "أسفل")
    let left = Text("left", "links", "gauche", "izquierda", "左", "يسار")
    let right = Text("right", "rechts", "droite", "derecha", "右", "يمين")
    let pageUp = Text("page up", "Seite hoch", "page préc.", "página arriba", "前の画面", "صفحة لأعلى")
    let pageDown = Text("page down", "Seite runter", "page suiv.", "página abajo", "次の画面", "صفحة لأسفل")
    let first = Text("first", "Anfang", "début", "primera", "先頭", "الأولى")
    let last = Text("last", "Ende", "fin", "última", "末尾", "الأخيرة")
    let open = Text("open", "öffnen", "ouvrir", "abrir", "開く", "فتح")
    let back = Text("back", "zurück", "retour", "atrás", "戻る", "رجوع")
    let quit = Text("quit", "beenden", "quitter", "salir", "終了", "خروج")
    let retry = Text("retry", "noch einmal", "réessayer", "reintentar", "再試行", "إعادة المحاولة")
    let toggleMouse = Text("mouse", "Maus", "souris", "ratón", "マウス", "الفأرة")
    let repaint = Text("repaint", "neu zeichnen", "redessiner", "redibujar", "再描画", "إعادة الرسم")
    let suspend = Text("suspend", "anhalten", "suspendre", "suspender", "一時停止", "تعليق")
    let interrupt = Text("quit at once", "sofort beenden", "quitter aussitôt", "salir ya", "すぐに終了", "خروج فورًا")
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

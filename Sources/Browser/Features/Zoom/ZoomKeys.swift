internal import SpyglassTerminalUI

extension Action {
    static let zoomIn = Action(
        "zoomIn", "larger", "größer", "plus grand", "más grande", "拡大", "تكبير", needsImages: true)
    static let zoomOut = Action(
        "zoomOut", "smaller", "kleiner", "plus petit", "más pequeño", "縮小", "تصغير", needsImages: true)
    static let zoomToFit = Action(
        "zoomToFit", "fit", "einpassen", "ajuster", "ajustar", "全体表示", "ملاءمة", needsImages: true)
    static let zoomToPixels = Action(
        "zoomToPixels", "actual size", "Originalgröße", "taille réelle", "tamaño real", "等倍", "الحجم الفعلي",
        needsImages: true)
}

extension KeyTable {
    static let zoom = [
        KeyBinding(keys: [.plain("+"), .plain("=")], action: .zoomIn, scopes: [.detail]),
        KeyBinding(keys: [.plain("-")], action: .zoomOut, scopes: [.detail]),
        KeyBinding(keys: [.plain("0")], action: .zoomToFit, scopes: [.detail]),
        KeyBinding(keys: [.plain("1")], action: .zoomToPixels, scopes: [.detail]),
    ]
}

/// Texts about enlarging a photo.
final class ZoomTexts: Sendable {
    static let all = ZoomTexts()

    /// The name of the keys for larger and smaller together.
    let pair = Text("zoom", "Zoom", "zoom", "zoom", "拡大縮小", "تكبير")
    let cannotEnlarge = Template(
        { "Cannot enlarge further: \($0)" }, { "Weiter vergrößern nicht möglich: \($0)" },
        { "Impossible d'agrandir davantage : \($0)" }, { "No se puede ampliar más: \($0)" }, { "これ以上拡大できません: \($0)" },
        { "تعذر التكبير أكثر: \($0)" })
}

extension UIStrings {
    var zoom: Localized<ZoomTexts> { Localized(texts: .all, language: language) }
}

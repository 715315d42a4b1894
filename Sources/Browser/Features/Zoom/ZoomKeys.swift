internal import SpyglassTerminalUI

extension Action {
    static let zoomIn = Action("zoomIn", needsImages: true) { $0.zoom.zoomIn }
    static let zoomOut = Action("zoomOut", needsImages: true) { $0.zoom.zoomOut }
    static let zoomToFit = Action("zoomToFit", needsImages: true) { $0.zoom.zoomToFit }
    static let zoomToPixels = Action("zoomToPixels", needsImages: true) { $0.zoom.zoomToPixels }
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

    /// The names of actions.
    let zoomIn = Text("larger", "größer", "plus grand", "más grande", "拡大", "تكبير")
    let zoomOut = Text("smaller", "kleiner", "plus petit", "más pequeño", "縮小", "تصغير")
    let zoomToFit = Text("fit", "einpassen", "ajuster", "ajustar", "全体表示", "ملاءمة")
    let zoomToPixels = Text("actual size", "Originalgröße", "taille réelle", "tamaño real", "等倍", "الحجم الفعلي")
    let pair = Text("zoom", "Zoom", "zoom", "zoom", "拡大縮小", "تكبير")
    let cannotEnlarge = Template(
        { "Cannot enlarge further: \($0)" }, { "Weiter vergrößern nicht möglich: \($0)" },
        { "Impossible d'agrandir davantage : \($0)" }, { "No se puede ampliar más: \($0)" }, { "これ以上拡大できません: \($0)" },
        { "تعذر التكبير أكثر: \($0)" })
}

extension UIStrings {
    var zoom: Localized<ZoomTexts> { Localized(texts: .all, language: language) }
}

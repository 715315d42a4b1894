internal import SpyglassTerminalUI

extension Action {
    static let slideshow = Action(
        "slideshow", "slideshow", "Diaschau", "diaporama", "presentación", "スライドショー", "عرض الشرائح", needsImages: true)
    static let pauseSlideshow = Action(
        "pauseSlideshow", "pause", "anhalten", "pause", "pausa", "一時停止", "إيقاف مؤقت", needsImages: true)
}

extension KeyTable {
    static let slideshow = [
        KeyBinding(keys: [.plain("d")], action: .slideshow, scopes: photos.union([.detail])),
        KeyBinding(keys: [.plain(" ")], action: .pauseSlideshow, scopes: [.slideshow]),
        KeyBinding(keys: [Key(.up), .plain("k")], action: .up, scopes: [.slideshow], isHidden: true),
        KeyBinding(keys: [Key(.down), .plain("j")], action: .down, scopes: [.slideshow], isHidden: true),
        KeyBinding(keys: [Key(.left), .plain("h")], action: .left, scopes: [.slideshow], isHidden: true),
        KeyBinding(keys: [Key(.right), .plain("l")], action: .right, scopes: [.slideshow], isHidden: true),
    ]
}

extension Setting {
    static let slideshow = Setting(
        "slideshow", \.slideSeconds, of: { _ in [2, 3, 5, 10, 15, 30, 60] }, needsImages: true,
        label: Text("Slideshow", "Diaschau", "Diaporama", "Presentación", "スライドショー", "عرض الشرائح")
    ) { seconds, context in
        context.strings.slideshow.seconds(context.number(seconds))
    }
}

/// Texts of the slideshow.
final class SlideshowTexts: Sendable {
    static let all = SlideshowTexts()

    /// The value of the setting.
    let seconds = Template({ "\($0) s" }, { "\($0) s" }, { "\($0) s" }, { "\($0) s" }, { "\($0) 秒" }, { "\($0) ث" })
    /// The names of Space while it waits, and of Escape.
    let resume = Text("resume", "fortsetzen", "reprendre", "continuar", "再開", "استئناف")
    let end = Text("end", "beenden", "arrêter", "terminar", "終了", "إنهاء")
    /// Shown while it waits.
    let paused = Text("paused", "angehalten", "en pause", "en pausa", "一時停止中", "متوقف مؤقتًا")
}

extension UIStrings {
    var slideshow: Localized<SlideshowTexts> { Localized(texts: .all, language: language) }
}

internal import SpyglassTerminalUI

extension Action {
    static let slideshow = Action("slideshow", needsImages: true) { $0.slideshow.start }
    static let pauseSlideshow = Action("pauseSlideshow", needsImages: true) { $0.slideshow.pause }
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
        label: { $0.strings.slideshow.setting }
    ) { seconds, context in
        context.strings.slideshow.seconds(context.number(seconds))
    }
}

/// Texts of the slideshow.
final class SlideshowTexts: Sendable {
    static let all = SlideshowTexts()

    /// The setting and its value.
    let setting = Text("Slideshow", "Diaschau", "Diaporama", "Presentación", "スライドショー", "عرض الشرائح")
    let seconds = Template({ "\($0) s" }, { "\($0) s" }, { "\($0) s" }, { "\($0) s" }, { "\($0) 秒" }, { "\($0) ث" })
    /// The names of actions.
    let start = Text("slideshow", "Diaschau", "diaporama", "presentación", "スライドショー", "عرض الشرائح")
    let pause = Text("pause", "anhalten", "pause", "pausa", "一時停止", "إيقاف مؤقت")
    let resume = Text("resume", "fortsetzen", "reprendre", "continuar", "再開", "استئناف")
    let end = Text("end", "beenden", "arrêter", "terminar", "終了", "إنهاء")
    /// Shown while it waits.
    let paused = Text("paused", "angehalten", "en pause", "en pausa", "一時停止中", "متوقف مؤقتًا")
}

extension UIStrings {
    var slideshow: Localized<SlideshowTexts> { Localized(texts: .all, language: language) }
}

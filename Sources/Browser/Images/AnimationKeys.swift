internal import SpyglassTerminalUI

extension Action {
    static let toggleAnimation = Action(
        "toggleAnimation", "animation", "Animation", "animation", "animación", "アニメーション", "حركة", needsImages: true)
}

extension KeyTable {
    static let animation = [
        KeyBinding(keys: [.plain("a")], action: .toggleAnimation, scopes: photos.union([.detail]))
    ]
}

extension Setting {
    static let animations = Setting(
        "animations", \.animates, of: { _ in AnimationChoice.allCases }, needsImages: true,
        label: Text("Animations", "Animationen", "Animations", "Animaciones", "アニメーション", "الرسوم المتحركة")
    ) { choice, context in
        switch choice {
        case .none: context.strings.settings.off
        case .selected: context.strings.animation.selected
        case .all: context.strings.animation.all
        }
    }
}

/// Texts about animations.
final class AnimationTexts: Sendable {
    static let all = AnimationTexts()

    /// The values of the setting.
    let selected = Text("selected", "ausgewählte", "sélectionnée", "seleccionada", "選択中", "المحددة")
    let all = Text("all", "alle", "toutes", "todas", "すべて", "الكل")
    /// The name of the action that starts and stops them.
    let on = Text(
        "Animations playing", "Animationen laufen", "Les animations sont lues", "Las animaciones se reproducen",
        "アニメーションを再生します", "الرسوم المتحركة تعمل")
    let off = Text(
        "Animations stopped", "Animationen stehen still", "Les animations sont figées", "Las animaciones están quietas",
        "アニメーションを停止しました", "الرسوم المتحركة متوقفة")
}

extension UIStrings {
    var animation: Localized<AnimationTexts> { Localized(texts: .all, language: language) }
}

internal import SpyglassTerminalUI

extension Action {
    static let settings = Action("settings", "settings", "Einstellungen", "réglages", "ajustes", "設定", "إعدادات")
}

extension KeyTable {
    static let settings = [
        KeyBinding(keys: [.plain(","), Key(.function(2))], action: .settings, scopes: calm),
        KeyBinding(keys: [Key(.enter)], action: .right, scopes: [.settings], isHidden: true),
    ]
}

/// Texts of the settings.
final class SettingsTexts: Sendable {
    static let all = SettingsTexts()

    let title = Text("Settings", "Einstellungen", "Réglages", "Ajustes", "設定", "الإعدادات")
    /// The values of settings.
    let halfBlocks = Text("half-blocks", "Halbblöcke", "demi-blocs", "medios bloques", "半ブロック", "أنصاف كتل")
    let quadrants = Text("quadrants", "Quadranten", "quadrants", "cuadrantes", "四分割", "أرباع")
    let sextants = Text("sextants", "Sextanten", "sextants", "sextantes", "六分割", "أسداس")
    let octants = Text("octants", "Oktanten", "octants", "octantes", "八分割", "أثمان")
    let noColor = Text("none", "keine", "aucune", "ninguno", "なし", "بلا")
    let dark = Text("dark", "dunkel", "sombre", "oscuro", "ダーク", "داكنة")
    let light = Text("light", "hell", "clair", "claro", "ライト", "فاتحة")
    let neutral = Text("neutral", "neutral", "neutre", "neutro", "標準", "محايدة")
    let automatic = Text("automatic", "automatisch", "automatique", "automático", "自動", "تلقائي")
    let on = Text("on", "an", "oui", "sí", "オン", "نعم")
    let off = Text("off", "aus", "non", "no", "オフ", "لا")
    let colors = Counted(
        { _, written in "\(written) colours" }, { _, written in "\(written) Farben" },
        { _, written in "\(written) couleurs" }, { _, written in "\(written) colores" },
        { _, written in "\(written) 色" }, { _, written in "\(written) لونًا" })
}

extension UIStrings {
    var settings: Localized<SettingsTexts> { Localized(texts: .all, language: language) }
}

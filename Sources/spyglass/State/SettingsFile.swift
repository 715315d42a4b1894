import SpyglassBatch
import SpyglassBrowser
import SpyglassCatalog
import SpyglassJSON
import SpyglassTerminalUI

/// `settings.json`: the user's choices in the browser; unknown and missing members are ignored.
struct SettingsFile: Sendable {
    static let file = StateFile(name: "settings.json")
    /// Maximum bytes of a path (`PATH_MAX`).
    private static let textLimit = 4096
    let store: StateStore

    func read() throws(Failure) -> Preferences { try store.read(Self.file).map(Self.preferences) ?? Preferences() }

    /// Writes only what has changed: keeps values of newer versions, and stores no options of one run.
    func write(_ new: Preferences, changedFrom old: Preferences) throws(Failure) {
        let changes = zip(Self.members(of: new), Self.members(of: old)).filter { $0.value != $1.value }.map(\.0)
        guard !changes.isEmpty else { return }
        try store.change(Self.file) { $0 = ($0 ?? .object([])).setting(changes) }
    }

    private static func preferences(_ object: JSONValue) -> Preferences {
        func text(_ name: String) -> String? { object[name]?.text }
        func number(_ name: String, in range: ClosedRange<Int>) -> Int? {
            object[name]?.integer.flatMap { range.contains($0) ? $0 : nil }
        }
        func flag(_ name: String) -> Bool? { if case .bool(let isOn)? = object[name] { isOn } else { nil } }
        func accepted(_ name: String, _ isValid: (String) -> Bool) -> String? {
            text(name).flatMap { isValid($0) ? $0 : nil }
        }
        var result = Preferences()
        result.source = accepted("source") { SourceRegistry.named($0) != nil } ?? result.source
        result.arrangement = text("arrangement").flatMap(Preferences.Arrangement.init) ?? result.arrangement
        result.density = number("density", in: 0...ListGeometry.densities.count - 1) ?? result.density
        result.gridColumns = number("gridColumns", in: 1...CellSize.largestSide)
        result.cropsGrid = flag("cropsGrid") ?? result.cropsGrid
        result.color = text("color").flatMap(ColorDepth.init)
        // 0.2 stored a mode; a pixel protocol of one terminal shows nothing on another.
        result.prefersSymbols = text("pixels").map { $0 == symbols || PixelMode(rawValue: $0)?.symbols != nil } ?? false
        result.animates = text("animations").flatMap(AnimationChoice.init) ?? result.animates
        result.slideSeconds = number("slideSeconds", in: 1...3600) ?? result.slideSeconds
        result.theme = accepted("theme", Theme.names.contains)
        result.language = text("language").flatMap { Language(rawValue: $0) }
        result.memoryLimit = number("memoryLimit", in: 0...(1 << 50))
        result.diskLimit = number("diskLimit", in: 0...(1 << 50))
        result.isSafe = flag("safeSearch") ?? result.isSafe
        result.usesMouse = flag("mouse") ?? result.usesMouse
        result.saveFolder = accepted("saveFolder") { $0.hasPrefix("/") && $0.utf8.count <= textLimit }
        result.exportSize = accepted("exportSize") { OutputSize($0) != nil } ?? result.exportSize
        result.exportFormat = text("exportFormat").flatMap(ExportFormat.init) ?? result.exportFormat
        return result
    }

    private static let symbols = "symbols"

    private static func members(of preferences: Preferences) -> [(name: String, value: JSONValue?)] {
        func number(_ value: Int?) -> JSONValue? { value.map { .number("\($0)") } }
        func text(_ value: String?) -> JSONValue? { value.map { .string($0) } }
        return [
            ("source", text(preferences.source)), ("arrangement", text(preferences.arrangement.rawValue)),
            ("density", number(preferences.density)), ("gridColumns", number(preferences.gridColumns)),
            ("cropsGrid", .bool(preferences.cropsGrid)), ("color", text(preferences.color?.rawValue)),
            ("pixels", text(preferences.prefersSymbols ? symbols : nil)),
            ("animations", text(preferences.animates.rawValue)),
            ("slideSeconds", number(preferences.slideSeconds)), ("theme", text(preferences.theme)),
            ("language", text(preferences.language?.rawValue)), ("memoryLimit", number(preferences.memoryLimit)),
            ("diskLimit", number(preferences.diskLimit)), ("safeSearch", .bool(preferences.isSafe)),
            ("mouse", .bool(preferences.usesMouse)), ("saveFolder", text(preferences.saveFolder)),
            ("exportSize", text(preferences.exportSize)), ("exportFormat", text(preferences.exportFormat.rawValue)),
        ]
    }
}

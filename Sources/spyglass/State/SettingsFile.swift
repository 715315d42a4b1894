internal import SpyglassBatch
internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassJSON
internal import SpyglassTerminalUI

/// `settings.json`: the user's choices in the browser; unknown and missing members are ignored.
struct SettingsFile: Sendable {
    static let file = StateFile(name: "settings.json")
    /// Maximum bytes of a path (`PATH_MAX`).
    private static let textLimit = 4096

    private let store: StateStore

    init(_ store: StateStore) { self.store = store }

    func read() throws(Failure) -> Preferences { try store.read(Self.file).map(Self.preferences) ?? Preferences() }

    /// Writes only changes over the file, so that options of one run are not stored.
    ///
    /// Values that only a newer version knows stay, unless that setting is changed.
    func write(_ new: Preferences, changedFrom old: Preferences) throws(Failure) {
        let changes = zip(Self.members(of: new), Self.members(of: old)).filter { $0.value != $1.value }.map(\.0)
        guard !changes.isEmpty else { return }
        try store.change(Self.file) { $0 = ($0 ?? .object([])).setting(changes) }
    }

    static func preferences(_ object: JSONValue) -> Preferences {
        var preferences = Preferences()
        if let source = object["source"]?.text, SourceRegistry.named(source) != nil {
            preferences.source = source
        }
        if let name = object["arrangement"]?.text, let arrangement = Preferences.Arrangement(rawValue: name) {
            preferences.arrangement = arrangement
        }
        if let density = object["density"]?.integer, ListGeometry.densities.indices.contains(density) {
            preferences.density = density
        }
        preferences.gridColumns = number(object["gridColumns"], in: 1...CellSize.largestSide)
        if case .bool(let crops)? = object["cropsGrid"] { preferences.cropsGrid = crops }
        preferences.color = object["color"]?.text.flatMap(ColorDepth.init)
        preferences.pixels = object["pixels"]?.text.flatMap(PixelMode.init)
        if let choice = object["animations"]?.text.flatMap(AnimationChoice.init) { preferences.animates = choice }
        if let seconds = number(object["slideSeconds"], in: 1...3600) { preferences.slideSeconds = seconds }
        if let theme = object["theme"]?.text, Theme.names.contains(theme) { preferences.theme = theme }
        preferences.language = object["language"]?.text.flatMap { Language(rawValue: $0) }
        preferences.memoryLimit = number(object["memoryLimit"], in: 0...(1 << 50))
        preferences.diskLimit = number(object["diskLimit"], in: 0...(1 << 50))
        if case .bool(let isSafe)? = object["safeSearch"] { preferences.isSafe = isSafe }
        if let folder = object["saveFolder"]?.text, folder.hasPrefix("/"), folder.utf8.count <= textLimit {
            preferences.saveFolder = folder
        }
        if let size = object["exportSize"]?.text, OutputSize(size) != nil { preferences.exportSize = size }
        if let format = object["exportFormat"]?.text.flatMap(ExportFormat.init) { preferences.exportFormat = format }
        if case .bool(let usesMouse)? = object["mouse"] { preferences.usesMouse = usesMouse }
        return preferences
    }

    private static func members(of preferences: Preferences) -> [(name: String, value: JSONValue?)] {
        func number(_ value: Int?) -> JSONValue? { value.map { .number("\($0)") } }
        func text(_ value: String?) -> JSONValue? { value.map { .string($0) } }
        return [
            ("source", text(preferences.source)), ("arrangement", text(preferences.arrangement.rawValue)),
            ("density", number(preferences.density)), ("gridColumns", number(preferences.gridColumns)),
            ("cropsGrid", .bool(preferences.cropsGrid)), ("color", text(preferences.color?.rawValue)),
            ("pixels", text(preferences.pixels?.rawValue)), ("animations", text(preferences.animates.rawValue)),
            ("slideSeconds", number(preferences.slideSeconds)), ("theme", text(preferences.theme)),
            ("language", text(preferences.language?.rawValue)), ("memoryLimit", number(preferences.memoryLimit)),
            ("diskLimit", number(preferences.diskLimit)), ("safeSearch", .bool(preferences.isSafe)),
            ("mouse", .bool(preferences.usesMouse)), ("saveFolder", text(preferences.saveFolder)),
            ("exportSize", text(preferences.exportSize)), ("exportFormat", text(preferences.exportFormat.rawValue)),
        ]
    }

    private static func number(_ value: JSONValue?, in range: ClosedRange<Int>) -> Int? {
        value?.integer.flatMap { range.contains($0) ? $0 : nil }
    }
}

internal import SpyglassBatch
internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassJSON
internal import SpyglassTerminalUI

/// `settings.json`: the user's choices in the browser; unknown and missing members are ignored.
struct SettingsFile: Sendable {
    static let name = "settings.json"
    /// Maximum bytes of a path (`PATH_MAX`).
    private static let textLimit = 4096

    let folder: UserFolder

    func read() throws(Failure) -> Preferences {
        guard let bytes = try folder.read(Self.name) else { return Preferences() }
        return Self.preferences(try JSONFile.object(bytes, folder.path(of: Self.name)))
    }

    /// Writes only changes over the file, so that options of one run are not stored.
    func write(_ new: Preferences, changedFrom old: Preferences) throws(Failure) {
        var stored = (try? read()) ?? Preferences()
        func copy<Value: Equatable>(_ path: WritableKeyPath<Preferences, Value>) {
            if new[keyPath: path] != old[keyPath: path] { stored[keyPath: path] = new[keyPath: path] }
        }
        copy(\.source)
        copy(\.arrangement)
        copy(\.density)
        copy(\.gridColumns)
        copy(\.cropsGrid)
        copy(\.color)
        copy(\.pixels)
        copy(\.animates)
        copy(\.slideSeconds)
        copy(\.theme)
        copy(\.language)
        copy(\.memoryLimit)
        copy(\.diskLimit)
        copy(\.isSafe)
        copy(\.usesMouse)
        copy(\.saveFolder)
        copy(\.exportSize)
        copy(\.exportFormat)
        try folder.write(Self.name, Self.text(stored))
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

    static func text(_ preferences: Preferences) -> String {
        let members: [(String, String)?] = [
            ("source", JSONText.string(preferences.source)),
            ("arrangement", JSONText.string(preferences.arrangement.rawValue)),
            ("density", "\(preferences.density)"),
            preferences.gridColumns.map { ("gridColumns", "\($0)") },
            ("cropsGrid", preferences.cropsGrid ? "true" : "false"),
            preferences.color.map { ("color", JSONText.string($0.rawValue)) },
            preferences.pixels.map { ("pixels", JSONText.string($0.rawValue)) },
            ("animations", JSONText.string(preferences.animates.rawValue)),
            ("slideSeconds", "\(preferences.slideSeconds)"),
            preferences.theme.map { ("theme", JSONText.string($0)) },
            preferences.language.map { ("language", JSONText.string($0.rawValue)) },
            preferences.memoryLimit.map { ("memoryLimit", "\($0)") },
            preferences.diskLimit.map { ("diskLimit", "\($0)") },
            ("safeSearch", preferences.isSafe ? "true" : "false"),
            ("mouse", preferences.usesMouse ? "true" : "false"),
            preferences.saveFolder.map { ("saveFolder", JSONText.string($0)) },
            ("exportSize", JSONText.string(preferences.exportSize)),
            ("exportFormat", JSONText.string(preferences.exportFormat.rawValue)),
        ]
        return JSONText.object(members.compactMap(\.self).map { (name: $0.0, value: $0.1) }) + "\n"
    }

    private static func number(_ value: JSONValue?, in range: ClosedRange<Int>) -> Int? {
        value?.integer.flatMap { range.contains($0) ? $0 : nil }
    }
}

enum JSONFile {
    static func object(_ bytes: [UInt8], _ path: String) throws(Failure) -> JSONValue {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: bytes) } catch {
            throw Failure(.unavailable, "\(path): \(error) at byte \(error.offset); ignored")
        }
        guard case .object = value else {
            throw Failure(.unavailable, "\(path): not a JSON object; ignored")
        }
        return value
    }
}

internal import SpyglassBrowser
internal import SpyglassThreads

/// What the browser remembers from run to run, as far as it may.
struct BrowserFiles: Sendable {
    private let settingsFile: SettingsFile?
    private let historyFile: HistoryFile?
    private let placeFile: PlaceFile?

    let preferences: Preferences
    let history: [String]
    let place: SavedPlace?
    /// What could not be used, a line each.
    let problems: [String]

    /// Reads what there is; without history nothing of it is read or written.
    init(_ environment: Environment, keepsHistory: Bool) {
        settingsFile = UserFolder.settings(in: environment).map { SettingsFile(folder: $0) }
        let state = keepsHistory ? UserFolder.state(in: environment) : nil
        historyFile = state.map { HistoryFile(folder: $0) }
        placeFile = state.map { PlaceFile(folder: $0) }
        var problems: [String] = []
        preferences = Self.read(&problems) { [settingsFile] in try settingsFile?.read() } ?? Preferences()
        history = Self.read(&problems) { [historyFile] in try historyFile?.read() } ?? []
        place = Self.read(&problems) { [placeFile] in try placeFile?.read() } ?? nil
        self.problems = problems
    }

    /// What the browser calls; `begun` is what the run began with, options included.
    func memory(begunWith begun: Preferences) -> BrowserPersistence {
        let last = Mutex(begun)
        return BrowserPersistence(
            rememberSearch: { [historyFile] search in
                try Self.saying("searches are not remembered") { try historyFile?.remember(search) }
            },
            keepPlace: { [placeFile] place in
                try Self.saying("the place is not remembered") { try placeFile?.write(place) }
            },
            keepPreferences: { [settingsFile] new in
                // What is changed back is a change, too.
                try last.withLock { last in
                    try Self.saying("settings are not kept") { try settingsFile?.write(new, changedFrom: last) }
                    last = new
                }
            })
    }

    /// Puts what does not work before why.
    private static func saying(_ loss: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            throw UserFolder.Problem(description: "\(loss): \(error)")
        }
    }

    private static func read<Value>(_ problems: inout [String], _ body: () throws -> Value?) -> Value? {
        do {
            return try body()
        } catch {
            problems.append("\(error)")
            return nil
        }
    }
}

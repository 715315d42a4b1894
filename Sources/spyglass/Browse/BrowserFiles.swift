internal import SpyglassBrowser
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// The files of the browser: settings, searches, the last position and marks.
struct BrowserFiles: Sendable {
    private let settingsFile: SettingsFile?
    private let state: StateStore?
    private let terminalKey: String
    /// The preferences that the run started with, options included.
    private let preferences: Preferences

    let history: [RecentSearch]
    let place: SavedPlace?
    let marks: [PhotoMark]
    let seen: [HomePhoto]
    let problems: [String]

    /// `report` receives a line about each damaged file that was set aside.
    init(_ settings: Settings, report: @escaping @Sendable (String) -> Void = { _ in }) {
        preferences = settings.preferences
        settingsFile = settings.settingsFolder.map { SettingsFile(store: StateStore(folder: $0, report: report)) }
        let folder = settings.keepsHistory ? settings.stateFolder : nil
        let state = folder.map { StateStore(folder: $0, report: report) }
        self.state = state
        terminalKey = settings.terminal.support.key
        var problems = [settings.settingsProblem].compactMap(\.self)
        history = Self.read(&problems) { try state.map(HistoryFile.init)?.read() } ?? []
        place = Self.read(&problems) { try state.map(PlaceFile.init)?.read() } ?? nil
        marks = Self.read(&problems) { try state.map(MarksFile.init)?.read() } ?? []
        seen = Self.read(&problems) { try state.map(SeenFile.init)?.read() } ?? []
        self.problems = problems
    }

    /// Stores what the browser passes; errors say what was not stored.
    func persistence() -> BrowserPersistence {
        let last = Mutex(preferences)
        var persistence = BrowserPersistence()
        persistence.rememberSearch = { [state] search in
            try Self.explaining("cannot save the search") { try state.map(HistoryFile.init)?.remember(search) }
        }
        persistence.savePlace = { [state] place in
            try Self.explaining("cannot save the position") { try state.map(PlaceFile.init)?.write(place) }
        }
        persistence.keepMarks = { [state] changes in
            try Self.explaining("cannot save marks") { try state.map(MarksFile.init)?.write(changes) }
        }
        persistence.keepSeen = { [state] photos in
            try Self.explaining("cannot save the last pictures") { try state.map(SeenFile.init)?.put(photos) }
        }
        persistence.keepAnswers = { [state, terminalKey] answers in
            try Self.explaining("cannot save the terminal's replies") {
                try state.map(TerminalsFile.init)?.remember(answers, of: terminalKey)
            }
        }
        persistence.keepPreferences = { [settingsFile] new in
            // Compared with the previous value, so that undoing a change is stored, too.
            let old = last.withLock { $0 }
            try Self.explaining("cannot save settings") { try settingsFile?.write(new, changedFrom: old) }
            last.withLock { $0 = new }
        }
        return persistence
    }

    private static func explaining(_ loss: String, _ body: () throws -> Void) throws {
        do { try body() } catch {
            throw Failure(.unavailable, "\(loss): \(error)")
        }
    }

    private static func read<Value>(_ problems: inout [String], _ body: () throws -> Value?) -> Value? {
        do { return try body() } catch {
            problems.append("\(error)")
            return nil
        }
    }
}

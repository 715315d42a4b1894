internal import SpyglassBrowser
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// The files of the browser: settings, searches, the last position and marks.
struct BrowserFiles: Sendable {
    private let settingsFile: SettingsFile?
    private let historyFile: HistoryFile?
    private let placeFile: PlaceFile?
    private let marksFile: MarksFile?
    private let seenFile: SeenFile?
    private let terminals: TerminalsFile?
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
        settingsFile = settings.settingsFolder.map { SettingsFile(StateStore($0, report: report)) }
        let state = settings.keepsHistory ? settings.stateFolder.map { StateStore($0, report: report) } : nil
        historyFile = state.map(HistoryFile.init)
        placeFile = state.map(PlaceFile.init)
        marksFile = state.map(MarksFile.init)
        seenFile = state.map(SeenFile.init)
        terminals = state.map(TerminalsFile.init)
        terminalKey = settings.terminal.support.key
        var problems = [settings.settingsProblem].compactMap(\.self)
        history = Self.read(&problems) { [historyFile] in try historyFile?.read() } ?? []
        place = Self.read(&problems) { [placeFile] in try placeFile?.read() } ?? nil
        marks = Self.read(&problems) { [marksFile] in try marksFile?.read() } ?? []
        seen = Self.read(&problems) { [seenFile] in try seenFile?.read() } ?? []
        self.problems = problems
    }

    /// Stores what the browser passes; errors say what was not stored.
    func persistence() -> BrowserPersistence {
        let last = Mutex(preferences)
        var persistence = BrowserPersistence()
        persistence.rememberSearch = { [historyFile] search in
            try Self.explaining("cannot save the search") { try historyFile?.remember(search) }
        }
        persistence.savePlace = { [placeFile] place in
            try Self.explaining("cannot save the position") { try placeFile?.write(place) }
        }
        persistence.keepMarks = { [marksFile] changes in
            try Self.explaining("cannot save marks") { try marksFile?.write(changes) }
        }
        persistence.keepSeen = { [seenFile] photos in
            try Self.explaining("cannot save the last pictures") { try seenFile?.put(photos) }
        }
        persistence.keepAnswers = { [terminals, terminalKey] answers in
            try Self.explaining("cannot save the terminal's replies") {
                try terminals?.remember(answers, of: terminalKey)
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

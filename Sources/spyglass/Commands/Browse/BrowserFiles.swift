internal import SpyglassBrowser
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// The files of the browser: settings, searches, the last position and marks.
final class BrowserFiles: Sendable {
    private let settingsFile: SettingsFile?
    private let state: StateStore?
    private let terminalKey: String
    /// The stored preferences, at first those that the run started with, options included.
    private let stored: Mutex<Preferences>

    let history: [RecentSearch]
    let place: SavedPlace?
    let marks: [PhotoMark]
    let seen: [HomePhoto]
    let problems: [String]

    /// `report` receives a line about each damaged file that was set aside.
    init(_ settings: Settings, report: @escaping @Sendable (String) -> Void = { _ in }) {
        stored = Mutex(settings.preferences)
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

    /// Stores a change; an error says what was not stored.
    func store(_ change: StateChange) throws(Failure) {
        do {
            switch change {
            case .search(let search): try state.map(HistoryFile.init)?.remember(search)
            case .place(let place): try state.map(PlaceFile.init)?.write(place)
            case .marks(let changes): try state.map(MarksFile.init)?.write(changes)
            case .seen(let photos): try state.map(SeenFile.init)?.put(photos)
            case .answers(let answers): try state.map(TerminalsFile.init)?.remember(answers, of: terminalKey)
            case .preferences(let new):
                // Compared with the previous value, so that undoing a change is stored, too.
                try settingsFile?.write(new, changedFrom: stored.withLock { $0 })
                stored.withLock { $0 = new }
            }
        } catch {
            throw Failure(.unavailable, "cannot save \(change.name): \(error)")
        }
    }

    private static func read<Value>(_ problems: inout [String], _ body: () throws -> Value?) -> Value? {
        do { return try body() } catch {
            problems.append("\(error)")
            return nil
        }
    }
}

extension StateChange {
    fileprivate var name: String {
        switch self {
        case .search: "the search"
        case .place: "the position"
        case .marks: "marks"
        case .seen: "the last pictures"
        case .answers: "the terminal's replies"
        case .preferences: "settings"
        }
    }
}

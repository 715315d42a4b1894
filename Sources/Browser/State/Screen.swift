internal import SpyglassCatalog
internal import SpyglassFetching

/// One screen of the stack.
enum Screen: Hashable, Sendable {
    /// The search field, recent searches and where the last run was left.
    case home(SearchScreen)
    /// The photos of a search, as a list or a grid.
    case list
    /// One photo.
    case detail(DetailScreen)
    /// The search field over the screen below.
    case search(SearchScreen)
    /// The keys; rows scrolled.
    case help(scroll: Int)
    case settings(SettingsScreen)
    /// What failed, over the screen below.
    case alert(Alert)
    /// Saving an original, over the screen below.
    case save(SaveScreen)
}

/// The search field and what is offered under it, on the home screen and over others.
struct SearchScreen: Hashable, Sendable {
    var field = TextField()
    /// What was typed before a search of the past took its place.
    var draft = ""
    /// Which line under the field is chosen; `nil` while the caret is in the field.
    var choice: Int?
    /// What is wrong with what was typed, shown under the field.
    var mistake: SearchSyntaxError?
}

/// One line under the search field.
enum SearchChoice: Hashable, Sendable {
    /// Go on where the last run was left.
    case resume(SavedPlace)
    /// A search of the past.
    case recent(String)
    /// A search worth trying.
    case suggestion(String)
}

/// Why the text of the search field is not a query.
enum SearchSyntaxError: Hashable, Sendable {
    /// `colour:red`: not a filter of the source.
    case unknownFilter(String, known: [String])
    /// `year:soon`: not a value of the filter.
    case badValue(String, filter: String, examples: [String])
    /// `center:` without a value.
    case emptyFilter(String)
}

/// A line of text that is being edited.
struct TextField: Hashable, Sendable {
    /// What stands before the caret.
    var before = ""
    /// What stands behind it.
    var after = ""

    var text: String { before + after }

    init(_ text: String = "") { before = text }
}

/// One photo in full.
struct DetailScreen: Hashable, Sendable {
    /// Its place in the results.
    var position: Int
    /// Lines of the text scrolled away.
    var scroll = 0
    /// Whether all that the source knows of it has been asked for.
    var isComplete = false
    /// Which photo stood at the position: another one begins at its first line.
    var photoID: String?
}

/// The settings screen.
struct SettingsScreen: Hashable, Sendable {
    /// One line of it.
    enum Row: CaseIterable, Hashable, Sendable {
        case source, arrangement, density, color, theme, language, memoryLimit, diskLimit, mouse
    }

    var chosen = Row.source
    /// The source when the screen was opened: a change of it is acted on when the screen is left.
    var openedWith: String?
}

/// Saving an original.
struct SaveScreen: Hashable, Sendable {
    enum Stage: Hashable, Sendable {
        /// Finding out which file it is, as long as no address is known, then how large that is.
        case asking
        /// The user decides.
        case ready(bytes: Int?)
        case saving(received: Int, bytes: Int?)
    }

    /// Where it will be, as proposed.
    var path: String
    var stage = Stage.asking
    /// What is saved.
    var address: WebAddress?
    var trust = AddressTrust.publicService
    /// The photo whose files the source is asked for; `nil` when they are known.
    var awaited: Awaited?

    struct Awaited: Hashable, Sendable {
        /// The search whose answers hold it.
        var generation: Int
        var photoID: String
    }
}

/// Something failed; Enter tries again, Escape goes back.
struct Alert: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
        case search(String)
        case nextPage, previousPage
        case details
        case save
    }

    var subject: Subject
    /// One line: what, where and why.
    var reason: String
    /// Whether trying again may help.
    var canRetry = true
    /// What an archive holds instead, when that is why.
    var archiveHolds: [String]?
    /// What is saved when trying again: the selection may be another one by then.
    var saving: SaveScreen?
    /// What the reason comes to, where that can be said in the user's language.
    var kind: Problem.Kind?
}

internal import SpyglassCatalog

/// Everything that the browser says, in one language.
///
///     let words = UIStrings(.german)
///     words.end(345, "345")  // "Ende: 345 Fotos"
///
/// Each table names every member, so that the compiler says what a language lacks. Numbers come both as they are, for plurals, and
/// as `PhotoFormatter` writes them.
struct UIStrings: Sendable {
    typealias OneWord = @Sendable (_ word: String) -> String
    typealias Counted = @Sendable (_ number: Int, _ written: String) -> String

    /// What stands before the fraction of a number.
    let decimalSeparator: String

    let home: Home
    let list: List
    let detail: Detail
    let pictures: PictureFailures
    let settings: Settings
    let save: Save
    let alert: Alert
    let problems: Problems
    let notices: Notices
    let mistakes: Mistakes
    let help: Help
    let actions: Actions

    struct Home: Sendable {
        /// What the program is, under its name.
        let tagline: String
        /// Stands in the empty field.
        let prompt: String
        let recent: String
        let suggestions: String
        /// A search and a place in it.
        let resume: @Sendable (_ search: String, _ place: String) -> String
        let source: String
        let archiveHolds: OneWord
    }

    struct List: Sendable {
        /// A search without words.
        let everything: String
        let searching: OneWord
        let nothingFound: OneWord
        let nothingFoundHint: String
        let loading: String
        let loadingFailed: String
        let end: Counted
        let offline: String
        let stale: String
        /// Where photos come from when it is no source.
        let archive: String
    }

    struct Detail: Sendable {
        let photographer: String
        let date: String
        let center: String
        let location: String
        let keywords: String
        let credit: String
        let kind: String
        let original: String
        let page: String
    }

    struct Settings: Sendable {
        let title: String
        let source: String
        let arrangement: String
        let list: String
        let grid: String
        let density: String
        let oneLine: String
        /// The lines of a picture.
        let lines: Counted
        let color: String
        let noColor: String
        let colors: Counted
        let theme: String
        let dark: String
        let light: String
        let neutral: String
        let language: String
        let memoryLimit: String
        let diskLimit: String
        let mouse: String
        let automatic: String
        let on: String
        let off: String
    }

    struct Save: Sendable {
        let title: String
        let file: String
        let folder: String
        let size: String
        let unknown: String
        let asking: String
        let saving: String
        let cancel: String
    }

    struct Alert: Sendable {
        /// A search without words.
        let searchOfAll: String
        let search: OneWord
        let nextPage: String
        let previousPage: String
        let details: String
        let save: String
    }

    struct Notices: Sendable {
        let copied: OneWord
        let mouseOn: String
        let mouseOff: String
        let opened: OneWord
        let link: OneWord
        let cannotOpen: OneWord
        let saved: OneWord
        let saveCancelled: String
        let nothingToCopy: String
        let nothingToSave: String
        let noPage: String
        let refreshed: String
        let nothingNewer: String
    }

    struct Mistakes: Sendable {
        let unknownFilter: @Sendable (_ filter: String, _ known: String) -> String
        let badValue: @Sendable (_ value: String, _ filter: String, _ examples: String) -> String
        let emptyFilter: OneWord
    }

    struct Help: Sendable {
        let title: String
        let everywhere: String
        let lists: String
        let photo: String
        let field: String
        let panels: String
        /// The long key at the bottom of the keyboard.
        let space: String
        /// Ends the program while a line under the field is chosen: in the field the key is typed.
        let quitOnLine: String
    }
}

extension UIStrings {
    /// The table of a language.
    init(_ language: Language) { self = Self.table(of: language) }

    private static func table(of language: Language) -> UIStrings {
        switch language {
        case .english: .english
        case .german: .german
        case .french: .french
        case .spanish: .spanish
        case .japanese: .japanese
        case .arabic: .arabic
        }
    }

    /// What is said of a mistake in a search.
    func text(of mistake: SearchSyntaxError) -> String {
        switch mistake {
        case .unknownFilter(let filter, let known): mistakes.unknownFilter(filter, known.joined(separator: ", "))
        case .badValue(let value, let filter, let examples):
            mistakes.badValue(value, filter, examples.joined(separator: ", "))
        case .emptyFilter(let filter): mistakes.emptyFilter(filter)
        }
    }

    /// What a notice says.
    func text(of notice: Notice) -> String {
        switch notice {
        case .copied(let text): notices.copied(text)
        case .mouse(let isOn): isOn ? notices.mouseOn : notices.mouseOff
        case .opened(let page): notices.opened(page)
        case .link(let page): notices.link(page)
        case .cannotOpen(let reason): notices.cannotOpen(reason)
        case .saved(let path): notices.saved(path)
        case .saveCancelled: notices.saveCancelled
        case .nothingToCopy: notices.nothingToCopy
        case .nothingToSave: notices.nothingToSave
        case .noPage: notices.noPage
        case .refreshed: notices.refreshed
        case .failed(let problem): text(of: problem)
        case .nothingNewer: notices.nothingNewer
        case .problem(let line): line
        }
    }

    /// What failed.
    func title(of subject: SpyglassBrowser.Alert.Subject) -> String {
        switch subject {
        case .search(let search): search.isEmpty ? alert.searchOfAll : alert.search(search)
        case .nextPage: alert.nextPage
        case .previousPage: alert.previousPage
        case .details: alert.details
        case .save: alert.save
        }
    }
}

/// A search between a language's quotation marks.
func quoted(_ text: String, _ opening: String, _ closing: String) -> String { opening + text + closing }

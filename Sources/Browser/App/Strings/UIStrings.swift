internal import SpyglassCatalog
internal import SpyglassCodecs

/// Every text of the user interface, in one language.
///
///     let strings = UIStrings(.german)
///     strings.list.end(345, "345")  // "Ende: 345 Fotos"
///
/// Numbers come both as they are, for plurals, and as `PhotoFormatter` writes them.
struct UIStrings: Sendable {
    typealias Template = @Sendable (_ text: String) -> String
    typealias Template2 = @Sendable (_ first: String, _ second: String) -> String
    typealias Counted = @Sendable (_ number: Int, _ written: String) -> String

    let decimalSeparator: String
    let home: Home
    let list: List
    let detail: Detail
    /// An HTTP status; at most 22 columns, like all of `pictures`.
    let pictureStatus: Template
    /// Rows that a damaged file has, and all.
    let pictureTruncated: Template2
    let pictures: [FailureKind: String]
    let info: Info
    let settings: Settings
    let save: Save
    let alert: Alert
    /// Headlines of the common kinds.
    let problems: [FailureKind: String]
    let notices: Notices
    let mistakes: Mistakes
    let help: Help
    /// Names of actions, short enough for the last line of the screen.
    let actions: [Action: String]
    /// What two keys do together, shorter still.
    let pairs: [ActionPair: String]

    struct Home: Sendable {
        /// The name of the service.
        let tagline: Template
        /// The placeholder of the empty field.
        let prompt: String
        let recent, suggestions: String
        /// A search and the position in it.
        let resume: Template2
        let source: String
        let archiveHolds: Template
        /// What to type, for sources that search for something else than words.
        let operands: [String: String]
        /// What Enter does in an empty field: at home, and over a list.
        let showAll, start: String
        /// The title of the day's picture.
        let today: Template
    }

    struct List: Sendable {
        /// The name of a search without words.
        let everything: String
        let searching, nothingFound: Template
        /// The path of a folder.
        let reading, emptyFolder: Template
        let nothingFoundHint, loading, loadingFailed: String
        /// The placeholder of the filter's empty field.
        let filterPrompt: String
        /// What Enter and Escape do with a filter.
        let keepFilter, clearFilter: String
        /// The words of a filter.
        let noMatch: Template
        /// The numbers of photos that a filter leaves, and of those that are loaded.
        let matches: Template2
        /// The number of photos that a filter sees, where there are more.
        let loaded: Template
        let end: Counted
        let offline, stale: String
        /// The number of marked photos, for the header.
        let marked: Template
        /// What marks the photos of an open range.
        let endRange: String
        /// Follows the name of the source while an archive is replayed.
        let archive: String
    }

    struct Detail: Sendable {
        let photographer, date, center, location, keywords, credit, license, kind, original, page, picture: String
        /// A slideshow that waits, and what continues and ends one.
        let paused, resume, endSlideshow: String
    }

    struct Info: Sendable {
        let title, camera, lens, exposure, pixels, profile, format, progressive, software, modified, address: String
        let reading: String
        /// Two or more.
        let frames: Template
        let megapixels: Template
        /// A focal length on 35 mm film.
        let onFilm: Template
    }

    struct Settings: Sendable {
        let title, source, arrangement, list, grid, density, textSize, oneLine: String
        let lines: Counted
        let pixels, halfBlocks, quadrants, sextants, octants, color, noColor: String
        let colors: Counted
        let theme, dark, light, neutral, language, memoryLimit, diskLimit, safeSearch, mouse, automatic, on, off: String
        let animations, selectedAnimation, allAnimations: String
        let slideshow: String
        let seconds: Template
    }

    struct Save: Sendable {
        let title, file, folder, size, unknown, asking, saving, cancel: String
        /// Several originals; copies of one photo or several.
        let all, copies: Counted
        let format, sameFormat: String
        /// Sizes of copies that can be typed.
        let sizeHint: String
    }

    struct Alert: Sendable {
        /// A search without words.
        let searchOfAll: String
        let search, folder: Template
        let save, export: String
        /// How many were saved, and of how many, before it failed.
        let some: Template2
        /// The headings of searches that need none, and of those that an archive has.
        let withoutNetwork, inArchive: String
    }

    struct Notices: Sendable {
        let copied: Template
        let mouseOn, mouseOff, animationOn, animationOff: String
        let opened, link, cannotOpen, cannotView, saved: Template
        /// A path, and why the file is smaller than the original.
        let savedSmaller: Template2
        /// A number of files, and their folder.
        let savedAll, exported: Template2
        let fetching, noViewer: String
        let saveCancelled, nothingToCopy, nothingToSave, noPage, foldersHaveNoMarks, refreshed, nothingNewer: String
        let cannotEnlarge: Template
        let sorted: [FolderOrder: String]
    }

    struct Mistakes: Sendable {
        let unknownFilter: Template2
        let badValue: @Sendable (_ value: String, _ filter: String, _ examples: String) -> String
        let emptyFilter: Template
    }

    struct Help: Sendable {
        let title, everywhere, lists, photo, search, filter, save, field: String
        let space: String
        /// Quits while a line under the field is chosen; in the field the key is typed.
        let quitOnLine: String
    }
}

extension UIStrings {
    init(_ language: Language) {
        self =
            switch language {
            case .english: .english
            case .german: .german
            case .french: .french
            case .spanish: .spanish
            case .japanese: .japanese
            case .arabic: .arabic
            }
    }

    func name(of action: Action) -> String { actions[action] ?? "" }

    func text(of failure: FailureKind) -> String {
        switch failure {
        case .status(let status): pictureStatus("\(status)")
        case .format(let name): name
        default: pictures[failure] ?? ""
        }
    }

    /// What is missing; `nil` for a complete image.
    func text(of completeness: DecodedImage.Completeness) -> String? {
        switch completeness {
        case .complete: nil
        case .truncated(let rows, let all): pictureTruncated("\(rows)", "\(all)")
        case .degraded: pictures[.damaged]
        }
    }

    func headline(of error: BrowserError) -> String? { error.kind.flatMap { problems[$0] } }

    /// What the headline does not say; `nil` if that is all.
    func detail(of error: BrowserError) -> String? {
        let isSaid = error.kind == .notRecorded && error.archiveHolds != nil
        return isSaid ? nil : ShortAddresses.text(error.reason)
    }

    /// One line: the kind first, since the end may be cut off.
    func text(of problem: BrowserError) -> String {
        [headline(of: problem), detail(of: problem)].compactMap(\.self).joined(separator: ": ")
    }

    func text(of mistake: SearchSyntaxError) -> String {
        switch mistake {
        case .unknownFilter(let filter, let known): mistakes.unknownFilter(filter, known.joined(separator: ", "))
        case .badValue(let value, let filter, let examples):
            mistakes.badValue(value, filter, examples.joined(separator: ", "))
        case .emptyFilter(let filter): mistakes.emptyFilter(filter)
        }
    }

    /// As `text`; names the options of a limit.
    func fullText(of failure: FailureKind) -> String {
        text(of: failure) + (failure == .tooLarge ? " (--max-bytes, --max-pixels, --work-memory)" : "")
    }

    func text(of notice: Notice) -> String {
        switch notice {
        case .copied(let text): notices.copied(text)
        case .mouse(let isOn): isOn ? notices.mouseOn : notices.mouseOff
        case .animation(let isOn): isOn ? notices.animationOn : notices.animationOff
        case .opened(let page): notices.opened(page)
        case .link(let page): notices.link(page)
        case .cannotOpen(let reason): notices.cannotOpen(reason)
        case .saved(let path): notices.saved(path)
        case .savedSmaller(let path, let reason): notices.savedSmaller(path, reason)
        case .savedAll(let count, let folder): notices.savedAll("\(count)", folder)
        case .exported(let count, let folder): notices.exported("\(count)", folder)
        case .fetching: notices.fetching
        case .cannotView(let reason): notices.cannotView(reason)
        case .noViewer: notices.noViewer
        case .saveCancelled: notices.saveCancelled
        case .nothingToCopy: notices.nothingToCopy
        case .nothingToSave: notices.nothingToSave
        case .noPage: notices.noPage
        case .foldersHaveNoMarks: notices.foldersHaveNoMarks
        case .refreshed: notices.refreshed
        case .sorted(let order): notices.sorted[order] ?? ""
        case .failed(let problem): headline(of: problem) ?? text(of: problem)
        case .nothingNewer: notices.nothingNewer
        case .cannotEnlarge(let failure): notices.cannotEnlarge(fullText(of: failure))
        case .problem(let line), .waiting(let line): line
        }
    }

    func title(of screen: SaveScreen, _ written: String) -> String {
        switch screen.purpose {
        case .originals: screen.isFile ? save.title : save.all(screen.items.count, written)
        case .copies: save.copies(screen.items.count, written)
        }
    }

    func title(of subject: SpyglassBrowser.Alert.Subject) -> String {
        switch subject {
        case .search(let search): search.isEmpty ? alert.searchOfAll : alert.search(search)
        case .folder(let path): alert.folder(path)
        case .save(let screen): screen.purpose == .originals ? alert.save : alert.export
        }
    }
}

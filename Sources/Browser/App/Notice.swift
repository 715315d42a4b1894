internal import SpyglassCatalog

/// A short message in the last line of the screen.
enum Notice: Hashable, Sendable {
    /// A fixed text, such as why a key does nothing.
    case hint(Text)
    case copied(String)
    case opened(String)
    case link(String)
    case cannotOpen(String)
    case cannotView(String)
    case saved(path: String)
    /// A smaller file than the original, and why.
    case savedSmaller(path: String, String)
    case savedAll(Int, folder: String)
    case exported(Int, folder: String)
    case mouse(isOn: Bool)
    /// A number that `G` goes to.
    case number(Int)
    case animation(isOn: Bool)
    case sorted(FolderOrder)
    case refreshed, nothingNewer
    /// The marks of this many loaded photos, of more, were inverted.
    case invertedLoaded(Int)
    /// Marks of an earlier run.
    case marksFound(Int)
    /// The name of one file, and the number of all.
    case trashed(String, Int), restored(String, Int)
    case notTrashed(String), notRestored(String)
    /// The name of the file that was shown.
    case fileGone(String)
    case cannotRun(String)
    /// Escape leads nowhere from here.
    case quitByKey
    case cannotEnlarge(FailureKind)
    case failed(BrowserError)
    case problem(String)
    case waiting(String)

    /// Whether the notice fades by itself; others stay until the next key.
    var isWarning: Bool {
        switch self {
        case .problem, .waiting, .failed, .cannotOpen, .cannotView, .nothingNewer, .cannotEnlarge, .savedSmaller,
            .notTrashed, .notRestored, .cannotRun, .fileGone, .invertedLoaded:
            true
        default: false
        }
    }

    var role: ThemeRole {
        switch self {
        case .hint, .quitByKey, .number: .text
        default: isWarning ? .warning : .good
        }
    }
}

extension UIStrings {
    /// Returns the text of a notice; `key` returns the name of the key of an action, `written` a number as text.
    func text(of notice: Notice, key: (Action) -> String, written: (Int) -> String) -> String {
        switch notice {
        case .hint(let text): text[language]
        case .copied(let text): detail.copied(text)
        case .number(let number): list.goTo("\(number)", key(.last))
        case .mouse(let isOn): isOn ? app.mouseOn : app.mouseOff
        case .animation(let isOn): isOn ? animation.on : animation.off
        case .opened(let page): detail.opened(page)
        case .link(let page): detail.link(page)
        case .cannotOpen(let reason): detail.cannotOpen(reason)
        case .saved(let path): save.saved(path)
        case .savedSmaller(let path, let reason): save.savedSmaller(path, reason)
        case .savedAll(let count, let folder): save.savedAll(written(count), folder)
        case .exported(let count, let folder): save.exported(written(count), folder)
        case .cannotView(let reason): detail.cannotView(reason)
        case .invertedLoaded(let count): marks.invertedLoaded(written(count))
        case .marksFound(let count): marks.found(written(count))
        case .refreshed: list.refreshed
        case .quitByKey: app.quitByKey(key(.quit))
        case .trashed(let name, 1): trash.trashed(name, key(.restore))
        case .trashed(_, let count): trash.trashedAll(written(count), key(.restore))
        case .restored(let name, 1): trash.restored(name)
        case .restored(_, let count): trash.restoredAll(written(count))
        case .notTrashed(let reason): trash.notTrashed(reason)
        case .notRestored(let reason): trash.notRestored(reason)
        case .fileGone(let name): folders.fileGone(name)
        case .cannotRun(let reason): command.cannotRun(reason)
        case .sorted(let order): name(of: order)
        case .failed(let problem): headline(of: problem) ?? text(of: problem)
        case .nothingNewer: list.nothingNewer
        case .cannotEnlarge(let failure): zoom.cannotEnlarge(fullText(of: failure))
        case .problem(let line), .waiting(let line): line
        }
    }
}

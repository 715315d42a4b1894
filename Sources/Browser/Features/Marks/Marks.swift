internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// Identifies a marked photo in another run, by bytes: names of files may be canonically equal strings.
package struct PhotoMark: Hashable, Sendable {
    package let source: String
    private let key: PhotoID

    package init(source: String, id: String) { (self.source, key) = (source, PhotoID(id)) }
    package var id: String { key.text }
}

/// Photos that were marked and unmarked since the last changes.
package struct MarkChanges: Hashable, Sendable {
    package var added: [PhotoMark] = []
    package var removed: [PhotoMark] = []

    package init() {}

    package var isEmpty: Bool { added.isEmpty && removed.isEmpty }

    /// Adds later changes.
    package mutating func add(_ later: MarkChanges) {
        added.removeAll(where: Set(later.removed).contains)
        removed.removeAll(where: Set(later.added).contains)
        added += later.added
        removed += later.removed
    }
}

/// The marked photos of all sources.
///
/// A mark of an earlier run counts once a list has its photo.
struct Marks: Sendable {
    private var photos: [PhotoMark: (photo: Photo, number: Int)] = [:]
    /// Marks of earlier runs whose photos have not been listed.
    private var unseen: Set<PhotoMark>
    private var changes = MarkChanges()
    private var nextNumber = 0

    init(_ stored: [PhotoMark] = []) { unseen = Set(stored) }
    func contains(_ photo: Photo) -> Bool { photos[PhotoMark(of: photo)] != nil }
    func count(of source: String) -> Int { photos.keys.count { $0.source == source } }

    func photos(of source: String) -> [Photo] { all.filter { $0.source == source } }

    /// The photos of all sources, in the order in which they were marked.
    var all: [Photo] { photos.values.sorted { $0.number < $1.number }.map(\.photo) }

    /// Marks a photo, unless it is a folder.
    mutating func insert(_ photo: Photo) {
        guard photo.isMarkable, !contains(photo) else { return }
        put(photo)
        changes.added.append(PhotoMark(of: photo))
    }

    mutating func remove(_ photo: Photo) {
        guard photos.removeValue(forKey: PhotoMark(of: photo)) != nil else { return }
        changes.removed.append(PhotoMark(of: photo))
    }

    mutating func toggle(_ photo: Photo) { if contains(photo) { remove(photo) } else { insert(photo) } }

    /// Marks of earlier runs whose photos have not been listed stay.
    mutating func removeAll(of source: String) {
        changes.removed += photos.keys.filter { $0.source == source }
        photos = photos.filter { $0.key.source != source }
    }

    /// Completes marks of earlier runs by photos that were listed; returns how many.
    mutating func find(among listed: [Photo]) -> Int {
        guard !unseen.isEmpty else { return 0 }
        let found = listed.filter { unseen.remove(PhotoMark(of: $0)) != nil }
        for photo in found { put(photo) }
        return found.count
    }

    mutating func update(_ photo: Photo) { photos[PhotoMark(of: photo)]?.photo = photo }

    /// Returns the changes to store, and forgets them: a photo may have been marked and unmarked since.
    mutating func takeChanges() -> MarkChanges {
        defer { changes = MarkChanges() }
        changes.added.removeAll { photos[$0] == nil }
        changes.removed.removeAll { photos[$0] != nil }
        return changes
    }

    private mutating func put(_ photo: Photo) {
        photos[PhotoMark(of: photo)] = (photo, nextNumber)
        nextNumber += 1
    }
}

extension PhotoMark {
    fileprivate init(of photo: Photo) { self.init(source: photo.source, id: photo.id) }
}

extension Photo {
    var isMarkable: Bool { mediaType != .folder }
}

extension PhotoList {
    /// The positions between the start of an open range and the selection; empty without one.
    var range: Range<Int> {
        guard let rangeStart else { return 0..<0 }
        return (min(rangeStart, selected)..<max(rangeStart, selected) + 1).clamped(to: positions)
    }
}

extension AppState {
    /// The keys that the footer of a list names while photos are marked; `nil` while none are.
    var markHints: [Action]? {
        guard let list else { return nil }
        if list.rangeStart != nil { return [.markRange, .back, .save, .export, .up, .down, .help] }
        guard !list.positions.isEmpty else { return nil }
        if options.picks {
            return [.open, .mark, .quit, .fullScreen, .filter, .help] + leavingHints.filter { $0 != .quit }
                + (markedCount > 0 ? [.unmark] : []) + [.markRange, .invertMarks, .toggleArrangement]
        }
        guard marks.count(of: list.source) > 0 else { return nil }
        let own: [Action] = list.isLocal ? [.trash] : []
        return [.mark, .save, .export, .command] + own + leavingHints
            + [.help, .unmark, .markRange, .invertMarks, .open]
    }

    /// Returns what an action does in a run that picks photos; `nil` where it does as usual.
    func pickLabel(of action: Action, _ strings: UIStrings) -> String? {
        guard options.picks, [.open, .quit].contains(action) else { return nil }
        let isFolder = list?.wholeSelectedPhoto?.isMarkable == false
        if action == .open, isFolder { return nil }
        let count = markedCount
        if count > 0 { return strings.marks.print(number(count)) }
        return action == .quit ? nil : strings.marks.pick
    }

    /// Returns what an action does to an open range, and in a run that picks photos; `nil` where it does as usual.
    func markLabel(of action: Action, _ strings: UIStrings) -> String? {
        if let label = pickLabel(of: action, strings) { return label }
        guard list?.rangeStart != nil else { return nil }
        return action == .markRange ? strings.marks.endRange : action == .back ? strings.app.cancel : nil
    }

    func isMarked(_ photo: Photo, at position: Int) -> Bool {
        marks.contains(photo) || photo.isMarkable && list?.range.contains(position) == true
    }

    /// Returns whether the action is one on marks.
    ///
    /// `endsRange`: a range was open, and its photos are marked now.
    mutating func performOnMarks(_ action: Action, endsRange: Bool) -> Bool {
        guard let list else { return false }
        switch action {
        case .mark:
            if !endsRange, let photo = list.wholeSelectedPhoto { toggleMark(of: photo) }
            move(by: 1)
        case .markRange: if !endsRange, !list.positions.isEmpty { self.list?.rangeStart = list.selected }
        case .invertMarks: invertMarks()
        case .unmark: unmarkAll()
        default: return false
        }
        return true
    }

    /// Inverts the marks of what is loaded and shown; in a folder, also of what is loaded later.
    private mutating func invertMarks() {
        guard let list else { return }
        for index in list.positions.compactMap(list.index(at:)) { marks.toggle(list.photos[index]) }
        if list.hasFilesToLoad, list.awaited == nil {
            self.list?.inversions.append(list.filter?.pattern ?? FuzzyPattern(""))
        } else if list.isPartlyLoaded, !list.isLocal {
            notify(.invertedLoaded(list.positions.count))
        }
    }

    mutating func unmarkAll() {
        guard let list else { return }
        self.list?.inversions = []
        marks.removeAll(of: list.source)
    }

    mutating func toggleMark(of photo: Photo) {
        guard photo.isMarkable else { return notify(.hint(MarkTexts.all.notForFolders)) }
        marks.toggle(photo)
    }

    mutating func endRange() {
        guard let list, list.rangeStart != nil else { return }
        let photos = list.range.compactMap(list.wholePhoto)
        for photo in photos { marks.insert(photo) }
        if !photos.contains(where: \.isMarkable) { notify(.hint(MarkTexts.all.notForFolders)) }
        self.list?.rangeStart = nil
    }

    mutating func reconcileMarks(_ effects: inout Effects) {
        if list?.needsAllFiles == false { list?.inversions = [] }
        let changes = marks.takeChanges()
        if options.keepsHistory, !options.picks, !changes.isEmpty { effects.append(.store(.marks(changes))) }
    }

    /// The number of marked photos of the list's source, with those of an open range.
    var markedCount: Int {
        guard let list else { return 0 }
        // In place: a range may have ten thousand photos.
        let new = list.range.count { position in
            list.index(at: position).map { list.photos[$0].isMarkable && !marks.contains(list.photos[$0]) } ?? false
        }
        return marks.count(of: list.source) + new
    }
}

extension HeaderFooter {
    /// `● 3 marked`; the sign is there if the selected photo is one of them.
    func markPieces(on canvas: Canvas) -> [Canvas.Piece] {
        let state = context.state
        guard let list = state.list else { return [] }
        switch state.baseScreen {
        case .list, .detail: break
        default: return []
        }
        let count = state.markedCount
        guard count > 0 else { return [] }
        let text = context.strings.marks.marked(context.number(count))
        let isMarked = list.wholeSelectedPhoto.map { state.isMarked($0, at: list.selected) } ?? false
        return [.init(clean(isMarked ? canvas.marking(text) : text, canvas), .good)]
    }
}

extension Action {
    static let mark = Action("mark", "mark", "markieren", "marquer", "marcar", "選択", "تعليم")
    static let markRange = Action(
        "markRange", "mark a range", "Bereich markieren", "marquer une plage", "marcar un tramo", "範囲を選択", "تعليم نطاق")
    static let invertMarks = Action(
        "invertMarks", "invert marks", "Marken umkehren", "inverser les marques", "invertir marcas", "選択を反転",
        "عكس العلامات")
    static let unmark = Action(
        "unmark", "clear marks", "Marken löschen", "effacer les marques", "quitar marcas", "選択を解除", "مسح العلامات")

    /// Whether the action leaves an open range as it is, or extends it.
    var keepsRange: Bool {
        switch self {
        case .up, .down, .left, .right, .pageUp, .pageDown, .first, .last, .toggleArrangement, .looser, .denser: true
        default: false
        }
    }
}

extension KeyTable {
    static let marks =
        bind(in: photos.union([.detail]), ([.plain(" ")], .mark), ([.plain("u")], .unmark))
        + bind(in: photos, ([.plain("V")], .markRange), ([.plain("*")], .invertMarks))
}

final class MarkTexts: Sendable {
    static let all = MarkTexts()
    let marked = Template(
        { "\($0) marked" }, { "\($0) markiert" }, { "\($0) marquées" }, { "\($0) marcadas" }, { "選択 \($0) 枚" },
        { "المعلَّمة: \($0)" })
    /// The name of `open` in a run that prints its marks.
    let pick = Text("pick", "auswählen", "choisir", "elegir", "選んで終了", "اختيار")
    /// The name of `open` and `quit` while photos are marked that are printed then.
    let print = Template(
        { "print \($0)" }, { "\($0) ausgeben" }, { "afficher \($0)" }, { "imprimir \($0)" }, { "\($0) 件を出力" },
        { "طباعة \($0)" })
    /// The name of `markRange` while a range is open.
    let endRange = Text(
        "end the range", "Bereich abschließen", "terminer la plage", "cerrar el tramo", "範囲を確定", "إنهاء النطاق")
    /// The phrases for Enter and `q` in a run that prints its marks.
    let pickPhrase = Text(
        "print what is marked, or else this photo, and quit", "Markierte ausgeben, sonst dieses Foto, und beenden",
        "afficher les photos marquées, sinon celle-ci, et quitter", "imprimir las marcadas, o si no esta, y salir",
        "選択した写真、なければこの写真を出力して終了", "طباعة المعلَّمة، أو هذه الصورة، ثم الخروج")
    let quitPhrase = Text(
        "print what is marked, and quit", "Markierte ausgeben und beenden", "afficher les photos marquées et quitter",
        "imprimir las marcadas y salir", "選択した写真を出力して終了", "طباعة المعلَّمة ثم الخروج")
    let found = Template(
        { "\($0) marked last time" }, { "\($0) vom letzten Mal markiert" }, { "\($0) marquées la dernière fois" },
        { "\($0) marcadas la última vez" }, { "前回の選択 \($0) 枚" }, { "معلَّمة من المرة السابقة: \($0)" })
    let invertedLoaded = Template(
        { "Inverted the \($0) loaded photos; the search has more" },
        { "Die \($0) geladenen Fotos sind umgekehrt; die Suche hat mehr" },
        { "Les \($0) photos chargées sont inversées ; la recherche en a d’autres" },
        { "Se invirtieron las \($0) fotos cargadas; la búsqueda tiene más" },
        { "読み込み済みの \($0) 枚を反転しました。検索結果は続きます" },
        { "عُكس تعليم \($0) صورة محمّلة؛ وفي البحث المزيد" })
    let notForFolders = Text(
        "Folders cannot be marked", "Ordner lassen sich nicht markieren", "Les dossiers ne se marquent pas",
        "Las carpetas no se marcan", "フォルダーは選択できません", "لا يمكن تعليم المجلدات")
}

extension UIStrings { var marks: Localized<MarkTexts> { Localized(.all, language) } }

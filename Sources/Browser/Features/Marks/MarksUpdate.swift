internal import SpyglassCatalog

extension AppState {
    /// Whether a photo of the list's source is marked, or a range is open.
    private var hasMarks: Bool { list.map { $0.rangeStart != nil || marks.count(of: $0.source) > 0 } ?? false }

    /// The keys that the footer of a list names while photos are marked; `nil` while none are.
    var markHints: [Action]? {
        if list?.rangeStart != nil { return [.markRange, .back, .save, .export, .up, .down, .help] }
        guard hasMarks, list?.positions.isEmpty == false else { return nil }
        return [.mark, .save, .export, .back, .help, .unmark, .markRange, .invertMarks, .open]
    }

    /// Returns what an action does to an open range; `nil` while there is none.
    func markLabel(of action: Action, _ strings: UIStrings) -> String? {
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
            if !endsRange, let photo = list.wholePhoto(at: list.selected) { toggleMark(of: photo) }
            move(by: 1)
        case .markRange: if !endsRange, !list.positions.isEmpty { self.list?.rangeStart = list.selected }
        case .invertMarks:
            for photo in list.photos { if marks.contains(photo) { marks.remove(photo) } else { marks.insert(photo) } }
        case .unmark: marks.removeAll(of: list.source)
        default: return false
        }
        return true
    }

    private mutating func toggleMark(of photo: Photo) {
        guard photo.isMarkable else {
            notice = .notForFolders
            return
        }
        if marks.contains(photo) { marks.remove(photo) } else { marks.insert(photo) }
    }

    /// Marks the photos of an open range.
    mutating func endRange() {
        guard let list, list.rangeStart != nil else { return }
        for position in list.range { list.wholePhoto(at: position).map { marks.insert($0) } }
        self.list?.rangeStart = nil
    }

    /// Stores marks that have changed.
    mutating func reconcileMarks(_ effects: inout Effects) {
        let changes = marks.takeChanges()
        if options.keepsHistory, !changes.isEmpty { effects.append(.store(.marks(changes))) }
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
        let isMarked = list.wholePhoto(at: list.selected).map { state.isMarked($0, at: list.selected) } ?? false
        return [.init(clean(isMarked ? canvas.marking(text) : text, canvas), .good)]
    }
}

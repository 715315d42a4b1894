internal import SpyglassCatalog

extension BrowserState {
    /// Whether a photo of the list's source is marked, or a range is open.
    var hasMarks: Bool { list.map { $0.rangeStart != nil || marks.count(of: $0.source) > 0 } ?? false }

    /// The number of marked photos of the list's source, with those of an open range.
    var markedCount: Int {
        guard let list else { return 0 }
        return marks.count(of: list.source) + list.range.count { isNew(inRange: $0, of: list) }
    }

    func isMarked(_ photo: Photo, at position: Int) -> Bool {
        marks.contains(photo) || photo.isMarkable && list?.range.contains(position) == true
    }

    /// `endsRange`: a range was open, and its photos are marked now.
    mutating func performOnMarks(_ action: Action, endsRange: Bool) {
        guard let list else { return }
        switch action {
        case .mark:
            if !endsRange, let photo = list.wholePhoto(at: list.selected) { toggleMark(of: photo) }
            move(by: 1)
        case .markRange: if !endsRange, !list.positions.isEmpty { self.list?.rangeStart = list.selected }
        case .invertMarks:
            for photo in list.photos { if marks.contains(photo) { marks.remove(photo) } else { marks.insert(photo) } }
        case .unmark: marks.removeAll(of: list.source)
        default: break
        }
    }

    private mutating func toggleMark(of photo: Photo) {
        guard photo.isMarkable else {
            notice = .foldersHaveNoMarks
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

    mutating func reconcileMarks() {
        let changes = marks.takeChanges()
        if options.keepsHistory, !changes.isEmpty { emit(.keepMarks(changes)) }
    }

    private func isNew(inRange position: Int, of list: PhotoList) -> Bool {
        // In place: a range may have ten thousand photos.
        list.index(at: position).map { list.photos[$0].isMarkable && !marks.contains(list.photos[$0]) } ?? false
    }
}

extension PhotoList {
    /// The positions between the start of an open range and the selection; empty without one.
    var range: Range<Int> {
        guard let rangeStart else { return 0..<0 }
        return (min(rangeStart, selected)..<max(rangeStart, selected) + 1).clamped(to: positions)
    }
}

extension Action {
    /// Whether it leaves an open range as it is, or extends it.
    var keepsRange: Bool {
        switch self {
        case .up, .down, .left, .right, .pageUp, .pageDown, .first, .last, .toggleArrangement, .looser, .denser: true
        default: false
        }
    }
}

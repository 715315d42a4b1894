/// A filter of the loaded photos of a list, and the photos that it leaves.
struct ListFilter: Sendable {
    var field = TextField()
    /// Whether keys go to the field.
    var isTyping = true
    /// The indices of the photos that are left, ascending.
    var matches: [Int] = []
    /// The index of the photo that the user selected last.
    fileprivate(set) var anchor: Int
    /// The position of the match nearest to it.
    fileprivate var nearest = 0

    var pattern: FuzzyPattern { FuzzyPattern(field.text) }

    fileprivate init(near anchor: Int) { self.anchor = anchor }
}

extension PhotoList {
    /// Positions in the results of all loaded photos.
    var loaded: Range<Int> { firstPosition..<firstPosition + photos.count }

    /// The index of the photo at a position.
    func index(at position: Int) -> Int? {
        guard positions.contains(position) else { return nil }
        return filter?.matches[position] ?? position - firstPosition
    }

    /// The position in the results of the selected photo, or of the one selected before if the filter leaves none.
    var selectedResult: Int {
        guard let filter else { return selected }
        return firstPosition + (index(at: selected) ?? filter.anchor)
    }

    /// Selects the photo of an index, or the nearest one that the filter leaves, preferably after it.
    mutating func select(near index: Int) {
        guard let matches = filter?.matches else { return select(firstPosition + index) }
        select(matches.partitionIndex { $0 >= index })
        filter?.anchor = min(max(index, 0), max(photos.count - 1, 0))
        filter?.nearest = selected
    }

    /// Begins a filter, or another change of the present one.
    mutating func beginFilter() {
        if filter == nil {
            filter = ListFilter(near: selected - firstPosition)
            filterAgain(near: selected - firstPosition)
        }
        filter?.isTyping = true
    }

    /// Shows all photos again, with the selected one in its row of the screen.
    mutating func endFilter(in geometry: ListGeometry) {
        guard filter != nil else { return }
        let offset = geometry.row(of: selected) - topRow
        let position = selectedResult
        filter = nil
        select(position)
        topRow = geometry.row(of: selected) - offset
    }

    mutating func setFilter(_ field: TextField) {
        guard let before = filter else { return }
        filter?.field = field
        guard field.text != before.field.text else { return }
        let isMoved = selected != before.nearest
        filterAgain(near: isMoved ? selectedResult - firstPosition : before.anchor)
    }

    /// Applies the filter to all photos, if there is one, and selects the photo of an index or the nearest one.
    mutating func filterAgain(near index: Int) {
        if let pattern = filter?.pattern {
            let matches = matches(of: pattern, among: photos.indices)
            filter?.matches = matches
        }
        select(near: index)
    }

    /// Applies the filter to the last photos, which are new.
    mutating func filter(last count: Int) {
        guard let pattern = filter?.pattern else { return }
        let matches = matches(of: pattern, among: photos.count - count..<photos.count)
        filter?.matches += matches
    }

    private func matches(of pattern: FuzzyPattern, among indices: Range<Int>) -> [Int] {
        indices.filter { pattern.matches(photos[$0]) }
    }
}

extension [Int] {
    /// The first index of a sorted array whose element fulfils a condition, as all after it do; else the count.
    fileprivate func partitionIndex(where isAfter: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

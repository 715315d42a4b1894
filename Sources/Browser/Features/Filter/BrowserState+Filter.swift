internal import SpyglassCatalog

extension BrowserState {
    /// Whether keys go to the field of the filter.
    var isFiltering: Bool { if case .list = top { list?.filter?.isTyping == true } else { false } }

    mutating func openFilter() {
        guard let list, !list.photos.isEmpty else { return }
        self.list?.beginFilter()
    }

    mutating func editFilter(_ change: (inout TextField) -> Void) {
        guard var field = list?.filter?.field else { return }
        change(&field)
        list?.setFilter(field)
    }

    /// Returns whether the action is one of the filter's field.
    mutating func performInFilter(_ action: Action) -> Bool {
        guard isFiltering, var field = list?.filter?.field else { return false }
        switch action {
        case .submit where field.text.trimmed.isEmpty: clearFilter()
        case .submit: list?.filter?.isTyping = false
        case .deleteBackward where field.text.isEmpty: clearFilter()
        default:
            guard field.perform(action) else { return false }
            list?.setFilter(field)
        }
        return true
    }

    mutating func clearFilter() {
        let geometry = geometry
        list?.endFilter(in: geometry)
    }
}

internal import SpyglassTerminalUI

/// What a click on a cell of the screen hits.
enum ClickTarget: Hashable, Sendable {
    /// A photo, by its position in the results.
    case photo(Int)
    /// The search field.
    case field
    /// A line under the search field, by its index.
    case choice(Int)
    case setting(SettingsScreen.Row)
    /// A mark beside the chosen setting's value: the previous (-1) or the next one (1).
    case step(Int)
    /// A key hint, or anything else that works like a key.
    case action(Action)
}

/// One screen's cells, and what a click on them hits.
struct BrowserFrame: Sendable {
    var grid: CellGrid
    /// In grid columns; a later target covers an earlier one.
    var targets: [(area: CellArea, target: ClickTarget)] = []

    func target(at position: CellPosition) -> ClickTarget? {
        targets.last { $0.area.contains(position) }?.target
    }
}

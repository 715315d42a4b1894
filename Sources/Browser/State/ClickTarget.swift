internal import SpyglassTerminalUI

/// What a click on a cell of the screen hits.
enum ClickTarget: Hashable, Sendable {
    case photo(Int)
    case field
    /// A line under the search field, by its index.
    case choice(Int)
    case setting(SettingsScreen.Row)
    /// A mark beside the chosen setting's value: the previous (-1) or the next one (1).
    case step(Int)
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

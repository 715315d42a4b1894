internal import SpyglassTerminalUI

/// Draws the browser: a pure function of its state.
struct BrowserView: Sendable {
    /// The colours, marks and margins.
    let theme: Theme

    /// The screen that shows a state.
    func grid(of state: BrowserState) -> CellGrid { CellGrid(size: state.look.size) }
}

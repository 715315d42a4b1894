internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// Draws the browser: a pure function of its state.
///
///     let frame = BrowserView.frame(of: state)
enum BrowserView {
    /// Draws the screen; about 0.2 ms for a list on 120 by 40 cells.
    static func frame(of state: BrowserState) -> BrowserFrame {
        let scene = RenderContext(state)
        let sheet = state.theme.sheet(for: state.look, chosen: state.preferences.theme)
        var canvas = Canvas(
            size: state.look.size, sheet: sheet, look: state.look, isRightToLeft: state.language.isRightToLeft,
            showsImages: state.options.showsImages)
        var screens = state.screens[...]
        var panel: Screen?
        if let top = screens.last, top.isPanel {
            panel = top
            screens = screens.dropLast()
        }
        // Of panels over panels only the uppermost is shown.
        while let last = screens.last, last.isPanel { screens = screens.dropLast() }
        // Words beside a panel, cut off by it, would be read out between its own.
        if panel == nil || !canvas.isPlain {
            draw(screens.last ?? .list, scene, on: &canvas)
            if panel != nil { canvas.dimAll(towards: state.look.background) }
        }
        if let panel { draw(panel, scene, on: &canvas) }
        Frame(scene: scene).draw(on: &canvas)
        return canvas.frame
    }

    private static func draw(_ screen: Screen, _ scene: RenderContext, on canvas: inout Canvas) {
        switch screen {
        case .home(let search): HomeView(scene: scene, search: search).draw(on: &canvas)
        case .list: ListView(scene: scene).draw(on: &canvas)
        case .detail(let detail): DetailView(scene: scene, detail: detail).draw(on: &canvas)
        case .search(let search): SearchPanel(scene: scene, search: search).draw(on: &canvas)
        case .help(let scroll): HelpView(scene: scene, scroll: scroll).draw(on: &canvas)
        case .settings(let settings): SettingsView(scene: scene, settings: settings).draw(on: &canvas)
        case .alert(let alert): AlertPanel(scene: scene, alert: alert).draw(on: &canvas)
        case .save(let save): SavePanel(scene: scene, save: save).draw(on: &canvas)
        }
    }
}

extension Screen {
    /// Whether it stands over the screen below, which stays to be seen.
    var isPanel: Bool {
        switch self {
        case .search, .alert, .save: true
        case .home, .list, .detail, .help, .settings: false
        }
    }
}

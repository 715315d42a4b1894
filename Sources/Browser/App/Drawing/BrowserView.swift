internal import SpyglassCatalog

/// Draws the browser: a pure function of its state.
enum BrowserView {
    /// Draws the screen; about 0.2 ms for a list on 120 by 40 cells.
    static func frame(of state: BrowserState) -> BrowserFrame {
        let context = RenderContext(state)
        var canvas = canvas(for: state)
        var screens = state.screens[...]
        var panel: Screen?
        if let top = screens.last, top.isPanel {
            panel = top
            screens = screens.dropLast()
        }
        // Only the topmost panel is shown.
        while let last = screens.last, last.isPanel { screens = screens.dropLast() }
        // A screen reader would mix the text beside a panel with the panel's.
        if panel == nil || !canvas.isPlain {
            draw(screens.last ?? .list, context, on: &canvas)
            if panel != nil {
                canvas.dimAll(towards: state.traits.background ?? sheet(of: state).background.assumedColor)
            }
        }
        if let panel { draw(panel, context, on: &canvas) }
        HeaderFooter(context: context).draw(on: &canvas)
        return canvas.frame
    }

    /// An empty canvas with the theme and the language of the state.
    static func canvas(for state: BrowserState) -> Canvas {
        Canvas(
            size: state.traits.size, sheet: sheet(of: state), traits: state.traits,
            isRightToLeft: state.language.isRightToLeft,
            showsImages: state.options.showsImages)
    }

    private static func sheet(of state: BrowserState) -> ThemeSheet {
        state.theme.sheet(for: state.traits, chosen: state.preferences.theme)
    }

    private static func draw(_ screen: Screen, _ context: RenderContext, on canvas: inout Canvas) {
        switch screen {
        case .home(let search): HomeView(context: context, search: search).draw(on: &canvas)
        case .list: ListView(context: context).draw(on: &canvas)
        case .detail(let detail): DetailView(context: context, detail: detail).draw(on: &canvas)
        case .search(let search): SearchPanel(context: context, search: search).draw(on: &canvas)
        case .help(let scroll): HelpView(context: context, scroll: scroll).draw(on: &canvas)
        case .settings(let settings): SettingsView(context: context, settings: settings).draw(on: &canvas)
        case .alert(let alert): AlertPanel(context: context, alert: alert).draw(on: &canvas)
        case .save(let save): SavePanel(context: context, save: save).draw(on: &canvas)
        case .info(let info): InfoPanel(context: context, info: info).draw(on: &canvas)
        }
    }
}

extension Screen {
    var isPanel: Bool {
        switch self {
        case .search, .alert, .save, .info: true
        case .home, .list, .detail, .help, .settings: false
        }
    }
}

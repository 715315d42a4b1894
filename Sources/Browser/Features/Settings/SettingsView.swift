internal import SpyglassCatalog
internal import SpyglassTerminalUI

struct SettingsView {
    let context: RenderContext
    let settings: SettingsScreen

    private static let gap = 3
    private static let markColumns = 2

    func draw(on canvas: inout Canvas) {
        let content = RenderContext.content(of: canvas)
        let rows = SettingsScreen.rows(of: context.state.options)
        let labels = rows.map { canvas.clean(label(of: $0), columns: content.columns) }
        let widest = min(labels.map(\.width).max() ?? 0, content.columns / 2)
        let chosen = rows.firstIndex(of: settings.chosen) ?? 0
        let first = max(min(chosen - content.rows / 2, rows.count - content.rows), 0)
        let edge = CellArea(column: 0, row: content.row, columns: canvas.area.columns, rows: content.rows)
        for (line, row) in rows.dropFirst(first).prefix(content.rows).enumerated() {
            canvas.setTarget(.setting(row), in: edge, row: line)
            let isChosen = row == settings.chosen
            if isChosen, content.column > 0 { canvas.put(canvas.marks[.selection], in: edge, row: line, .accent) }
            canvas.put(
                labels[first + line].truncated(to: widest, glyphs: canvas.glyphs), in: content, row: line,
                isChosen ? .selected : .text)
            let value = canvas.clean(value(of: row), columns: content.columns)
            let valueArea = content.inset(left: widest + Self.gap)
            let used = canvas.put(canvas.stepping(value, isChosen: isChosen), in: valueArea, row: line)
            guard isChosen, used > 2 * Self.markColumns else { continue }
            let before = canvas.isRightToLeft ? 1 : -1
            let last = valueArea.inset(left: used - Self.markColumns)
            canvas.setTarget(.step(before), in: valueArea.first(Self.markColumns), row: line)
            canvas.setTarget(.step(-before), in: last.first(Self.markColumns), row: line)
        }
    }

    private func label(of row: SettingsScreen.Row) -> String {
        let strings = context.strings.settings
        return switch row {
        case .source: strings.source
        case .arrangement: strings.arrangement
        case .density: context.state.options.showsImages ? strings.density : strings.textSize
        case .pixels: strings.pixels
        case .color: strings.color
        case .animations: strings.animations
        case .slideshow: strings.slideshow
        case .theme: strings.theme
        case .language: strings.language
        case .memoryLimit: strings.memoryLimit
        case .diskLimit: strings.diskLimit
        case .safeSearch: strings.safeSearch
        case .mouse: strings.mouse
        }
    }

    private func value(of row: SettingsScreen.Row) -> String {
        let strings = context.strings.settings
        let state = context.state
        let preferences = state.preferences
        return switch row {
        case .source: preferences.source
        case .arrangement: preferences.arrangement == .list ? strings.list : strings.grid
        case .density: density(preferences.density)
        case .pixels: preferences.pixels.map(pixels) ?? automatic(pixels(state.traits.pixels))
        case .color: preferences.color.map(color) ?? automatic(color(state.traits.depth))
        case .animations: animations(preferences.animates)
        case .slideshow: strings.seconds(context.number(preferences.slideSeconds))
        case .theme:
            preferences.theme.map(theme) ?? automatic(theme(state.theme.sheet(for: state.traits, chosen: nil).name))
        case .language: preferences.language?.ownName ?? automatic(state.options.language.ownName)
        case .memoryLimit:
            preferences.memoryLimit.map(context.size) ?? automatic(state.options.automaticMemory.map(context.size))
        case .diskLimit:
            preferences.diskLimit.map(context.size) ?? automatic(state.options.automaticDisk.map(context.size))
        case .safeSearch: preferences.isSafe ? strings.on : strings.off
        case .mouse: preferences.usesMouse ? strings.on : strings.off
        }
    }

    /// `automatic (256 colours)`.
    private func automatic(_ value: String?) -> String {
        context.strings.settings.automatic + (value.map { " (\($0))" } ?? "")
    }

    private func density(_ level: Int) -> String {
        let level = min(max(level, 0), ListGeometry.densities.count - 1)
        guard level > 0 else { return context.strings.settings.oneLine }
        let rows =
            context.state.options.showsImages
            ? ListGeometry.thumbnailRows(density: level, on: context.state.traits.size) : ListGeometry.textRows[level]
        return context.strings.settings.lines(rows, context.number(rows))
    }

    private func pixels(_ mode: PixelMode) -> String {
        let strings = context.strings.settings
        return switch mode {
        case .half: strings.halfBlocks
        case .quadrant: strings.quadrants
        case .sextant: strings.sextants
        case .octant: strings.octants
        case .kitty: "kitty"
        case .iterm2: "iTerm2"
        case .sixel: "sixel"
        }
    }

    private func animations(_ choice: AnimationChoice) -> String {
        let strings = context.strings.settings
        return switch choice {
        case .none: strings.off
        case .selected: strings.selectedAnimation
        case .all: strings.allAnimations
        }
    }

    private func color(_ depth: ColorDepth) -> String {
        let strings = context.strings.settings
        return switch depth {
        case .monochrome: strings.noColor
        case .palette16: strings.colors(16, context.number(16))
        case .palette256: strings.colors(256, context.number(256))
        case .truecolor: strings.colors(1 << 24, context.number(1 << 24))
        }
    }

    private func theme(_ name: String) -> String {
        let strings = context.strings.settings
        return switch name {
        case "dark": strings.dark
        case "light": strings.light
        case "neutral": strings.neutral
        default: name
        }
    }
}

extension Language {
    fileprivate var ownName: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        case .french: "français"
        case .spanish: "español"
        case .japanese: "日本語"
        case .arabic: "العربية"
        }
    }
}

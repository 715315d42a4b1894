internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// The first and the last line of the screen.
struct HeaderFooter {
    let context: RenderContext
    private static let fitsTransfers = 40
    private static let statusGap = 2
    private static let minLocation = 6

    func draw(on canvas: inout Canvas) {
        let margin = canvas.margin
        let line = canvas.area.inset(left: margin, right: max(margin - 1, 0))
        let last = canvas.area.rows - 1
        let hasFrame = FrameRows.areShown(on: canvas.size)
        let fullScreen = context.state.fullScreen
        // A panel with a frame names its own keys.
        let scopesOfPanels: [KeyScope] = [.alert, .save, .export, .info, .question]
        if hasFrame, fullScreen == nil { drawHeader(in: line, on: &canvas) }
        if context.state.isFiltering, let filter = context.state.list?.filter {
            let texts = context.strings.filter
            let prompt = context.state.list?.isLocal == true ? texts.filePrompt : texts.prompt
            return FieldLine(field: filter.field, prompt: prompt)
                .draw(after: [.init("& ", .key)], keys: context.hints, in: line, row: last, on: &canvas)
        }
        if case .command(let command) = context.state.top {
            // It may be about the command, which stays visible.
            if last > 0, let notice = context.state.notice { _ = draw(notice, in: line, row: last - 1, on: &canvas) }
            return command.draw(context, in: line, row: last, on: &canvas)
        }
        let used = context.state.notice.map { draw($0, in: line, row: last, on: &canvas) } ?? 0
        if let fullScreen, !context.state.top.isPanel {
            if used == 0, !fullScreen.hidesLine || fullScreen.isPaused || context.state.originalTransfer != nil {
                drawLine(of: fullScreen, in: line, row: last, on: &canvas)
            }
        } else if hasFrame, !Panel.hasFrame(on: canvas.area) || !scopesOfPanels.contains(context.state.scope) {
            let rest = used > 0 ? line.inset(left: used + canvas.margins.gap + 1) : line
            context.hints.draw(in: rest, row: last, on: &canvas)
        }
    }

    /// Draws a notice; returns the columns that it takes.
    private func draw(_ notice: Notice, in line: CellArea, row: Int, on canvas: inout Canvas) -> Int {
        let text = canvas.clean(
            context.strings.text(of: notice, key: context.keyName, written: context.number), columns: line.columns)
        canvas.fill(CellArea(column: 0, row: row, columns: canvas.area.columns, rows: 1), .text)
        if case .link(let address) = notice { canvas.setLink(to: address, in: line.first(text.width), row: row) }
        return canvas.put(text, in: line, row: row, notice.role)
    }

    func factPieces(on canvas: Canvas) -> [Canvas.Piece] {
        markPieces(on: canvas) + picturePieces(on: canvas)
            + (context.state.hasStatusLine ? [] : zoomPieces(on: canvas))
    }

    func positionPieces(on canvas: Canvas) -> [Canvas.Piece] {
        guard let position = context.state.positionInResults else { return [] }
        return [.init(clean(context.formatter.count(position.number, of: position.total), canvas), .dim)]
    }

    private func drawHeader(in line: CellArea, on canvas: inout Canvas) {
        let location = locationPieces(on: canvas)
        let status = statusPieces(columns: line.columns, on: canvas)
        let used = canvas.put(status, in: line, .trailing)
        let rest = line.inset(right: used > 0 ? used + canvas.margins.gap : 0)
        guard let first = location.first, rest.columns >= min(first.text.width, Self.minLocation) else { return }
        let columns = canvas.put(location, in: rest)
        if !context.state.top.isPanel, context.state.list != nil {
            canvas.setTarget(.action(.search), in: rest.first(columns), row: 0)
        }
    }

    private func locationPieces(on canvas: Canvas) -> [Canvas.Piece] {
        let state = context.state
        switch state.baseScreen {
        case .help: return [.init(TerminalText(cleaning: context.strings.help.title), .title)]
        case .settings: return [.init(TerminalText(cleaning: context.strings.settings.title), .title)]
        case .home: return []
        default: break
        }
        guard let list = state.list else { return [] }
        var pieces = [Canvas.Piece(clean(context.words(of: list.search), canvas), .title)]
        if !list.isLocal { pieces.append(.init(clean("  " + context.name(of: list.source), canvas), .dim)) }
        if list.query.includesSubfolders {
            pieces.append(.init(clean("  " + context.strings.folders.withSubfolders, canvas), .dim))
        }
        if let order = list.query.folderOrder, order != .name {
            pieces.append(.init(clean("  " + context.strings.name(of: order), canvas), .dim))
        }
        if let filter = list.filter, !filter.isTyping {
            pieces.append(.init(clean("  & " + filter.field.text.trimmed, canvas), .match))
        }
        return pieces
    }

    /// Returns activity and position; the least important is left out where there is little room.
    private func statusPieces(columns: Int, on canvas: Canvas) -> [Canvas.Piece] {
        let state = context.state
        var groups: [[Canvas.Piece]] = []
        if !state.hasStatusLine { groups += positionPieces(on: canvas).map { [$0] } }
        if let list = state.list, list.filter != nil, list.isPartlyLoaded {
            let loaded = context.strings.filter.loaded(context.number(list.photos.count))
            groups.append([.init(clean(loaded, canvas), .dim)])
        }
        groups += factPieces(on: canvas).map { [$0] }
        if let damage = damage(on: canvas) { groups.append([.init(damage, .warning)]) }
        if state.options.isOffline { groups.append([.init(clean(context.strings.list.offline, canvas), .warning)]) }
        if state.isBusy {
            let spinner = canvas.isPlain ? clean("…", canvas) : canvas.marks.spinner(at: state.activity.phase)
            groups.append([.init(spinner, .accent)])
            if state.activity.transfers > 1, columns >= Self.fitsTransfers {
                let count = clean(" \(context.number(state.activity.transfers))", canvas)
                groups[groups.count - 1].append(.init(count, .dim))
            }
        }
        if state.activity.isStale { groups.append([.init(clean(context.strings.list.stale, canvas), .warning)]) }
        func width(_ groups: [[Canvas.Piece]]) -> Int {
            groups.joined().reduce(0) { $0 + $1.text.width } + max(groups.count - 1, 0) * Self.statusGap
        }
        while groups.count > 1, width(groups) > columns { groups.removeLast() }
        let gap = Canvas.Piece(TerminalText(cleaning: "").padded(to: Self.statusGap))
        return Array(groups.reversed().joined(separator: [gap]))
    }

    func damage(on canvas: Canvas) -> TerminalText? {
        context.state.completeness.flatMap(context.strings.text).map { clean($0, canvas) }
    }

    func clean(_ text: String, _ canvas: Canvas) -> TerminalText {
        canvas.clean(text, columns: canvas.area.columns)
    }
}

extension AppState {
    fileprivate var isBusy: Bool {
        let isReading = list.map { $0.isLoadingNext || $0.isLoadingPrevious || $0.awaited != nil } ?? false
        return activity.transfers > 0 || isReading
    }

    /// Whether the line under an enlarged photo says what the header says else.
    var hasStatusLine: Bool { zoomPercent != nil && fullScreen == nil && detailGeometry.isLine }

    var positionInResults: (number: Int, total: PhotoPage.Total?)? {
        guard let list, !list.photos.isEmpty else { return nil }
        let left = list.filter?.matches.count
        let known = left.map { .exact($0) } ?? list.total ?? (list.isAtEnd ? .exact(list.positions.upperBound) : nil)
        switch baseScreen {
        case .list, .detail: return (min(list.selected + 1, left ?? .max), known)
        default: return nil
        }
    }
}

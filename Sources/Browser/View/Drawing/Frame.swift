internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// The first and the last line of the screen: where one is, what is going on, and which keys matter here.
struct Frame {
    let context: RenderContext

    /// From so many columns on, the number of transfers is said.
    private static let fitsTransfers = 40
    private static let statusGap = 2
    /// Fewer letters of a search tell nothing.
    private static let narrowestPlace = 6

    func draw(on canvas: inout Canvas) {
        let margin = RenderContext.margin(of: canvas)
        let line = canvas.area.inset(left: margin, right: max(margin - 1, 0))
        let last = canvas.area.rows - 1
        let hasFrame = FrameRows.areShown(on: canvas.size)
        if hasFrame { drawHeader(in: line, on: &canvas) }
        guard let notice = context.state.notice else {
            if hasFrame, !panelHasKeys(on: canvas) { context.hints.draw(in: line, row: last, on: &canvas) }
            return
        }
        let text = canvas.clean(context.strings.text(of: notice), columns: line.columns)
        canvas.fill(CellArea(column: 0, row: last, columns: canvas.area.columns, rows: 1), .text)
        canvas.put(text, in: line, row: last, role(of: notice))
        if case .link(let address) = notice { canvas.setLink(to: address, in: line.first(text.width), row: last) }
    }

    /// Whether the keys stand in the panel already.
    private func panelHasKeys(on canvas: Canvas) -> Bool {
        switch context.state.top {
        case .alert, .save: Panel.hasFrame(on: canvas.area)
        default: false
        }
    }

    private func role(of notice: Notice) -> ThemeRole {
        switch notice {
        case .problem, .failed, .cannotOpen, .nothingNewer: .warning
        case .nothingToCopy, .nothingToSave, .noPage, .saveCancelled: .text
        case .copied, .mouse, .opened, .link, .saved, .refreshed: .good
        }
    }

    // MARK: The first line

    private func drawHeader(in line: CellArea, on canvas: inout Canvas) {
        let place = placePieces(on: canvas)
        let status = statusPieces(columns: line.columns, on: canvas)
        let used = canvas.put(status, in: line, .trailing)
        let rest = line.inset(right: used > 0 ? used + canvas.margins.gap : 0)
        guard let first = place.first, rest.columns >= min(first.text.width, Self.narrowestPlace) else { return }
        let columns = canvas.put(place, in: rest)
        if !context.state.top.isPanel, context.state.list != nil {
            canvas.setTarget(.action(.search), in: rest.first(columns), row: 0)
        }
    }

    /// What is shown: the search and its source, or the name of the screen.
    private func placePieces(on canvas: Canvas) -> [Canvas.Piece] {
        let state = context.state
        switch state.baseScreen {
        case .help: return [.init(TerminalText(cleaning: context.strings.help.title), .title)]
        case .settings: return [.init(TerminalText(cleaning: context.strings.settings.title), .title)]
        case .home: return []
        default: break
        }
        guard let list = state.list else { return [] }
        let search = list.search.isEmpty ? context.strings.list.everything : list.search
        let columns = canvas.area.columns
        return [
            .init(canvas.clean(search, columns: columns), .title),
            .init(canvas.clean("  " + context.place(of: list.source), columns: columns), .dim),
        ]
    }

    /// What is going on, and how far one is; where there is little room, what matters least is left out.
    private func statusPieces(columns: Int, on canvas: Canvas) -> [Canvas.Piece] {
        let state = context.state
        // From the one that is left out last.
        var groups: [[Canvas.Piece]] = []
        if let place = state.placeInResults {
            groups.append([.init(clean(context.formatter.count(place.number, of: place.total), canvas), .dim)])
        }
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

    private func clean(_ text: String, _ canvas: Canvas) -> TerminalText {
        canvas.clean(text, columns: canvas.area.columns)
    }
}

extension BrowserState {
    /// The uppermost screen that is no panel.
    var baseScreen: Screen { screens.last { !$0.isPanel } ?? .list }

    /// Whether something is under way that the user waits for.
    var isBusy: Bool {
        let isReading = list.map { $0.isLoadingNext || $0.isLoadingPrevious || $0.awaited != nil } ?? false
        return activity.transfers > 0 || isReading
    }

    /// The chosen photo, counted from 1, and how many there are.
    fileprivate var placeInResults: (number: Int, total: PhotoPage.Total?)? {
        guard let list, !list.photos.isEmpty else { return nil }
        let known = list.total ?? (list.isAtEnd ? .exact(list.positions.upperBound) : nil)
        switch baseScreen {
        case .list: return (list.selected + 1, known)
        case .detail(let detail): return (detail.position + 1, known)
        default: return nil
        }
    }
}

internal import SpyglassCatalog
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassTerminalUI

struct DetailView {
    let context: RenderContext
    let detail: DetailScreen
    private static let fitsDate = 40

    func draw(on canvas: inout Canvas) {
        let state = context.state
        guard let photo = state.list?.selectedPhoto else { return }
        let geometry = state.detailGeometry(of: photo)
        if let area = geometry.picture, let covered = geometry.covered {
            let picture = shownPicture(of: photo)
            // A box has the shape of the picture to come.
            PictureBox(context: context, photo: photo, anchor: geometry.isBeside ? .top : .center)
                .draw(picture, in: picture?.image == nil ? covered : area, on: &canvas)
        }
        guard let area = geometry.text else { return }
        if geometry.isLine { return drawLine(of: photo, in: area, on: &canvas) }
        drawText(DetailLines(photo: photo, context: context, geometry), in: area, on: &canvas)
    }

    /// Draws the title, and in the other half the maker and the licence, if there is one, or else the date.
    private func drawLine(of photo: Photo, in area: CellArea, on canvas: inout Canvas) {
        if context.state.hasStatusLine { return drawStatus(of: photo, in: area, on: &canvas) }
        let line = DetailLine(photo, context)
        if line.fits(area.columns) {
            canvas.put(line.title, in: area, .title)
            canvas.put(line.facts, in: area, .dim, .trailing)
            return
        }
        var title = area
        let dates = context.formatter.dates(of: photo).map { [$0] }
        let (maker, center) = (context.formatter.maker(of: photo), context.formatter.center(besideMakerOf: photo))
        let credits = [[maker, center, photo.license], [maker, photo.license]].map { $0.compactMap(\.self) }
        let own = photo.file == nil ? [] : line.shorter
        let facts =
            own + credits.filter { !$0.isEmpty }.flatMap { credit in dates.map { credit + $0 } + [credit] } + dates
        let texts = facts.map { canvas.clean($0.joined(separator: " · "), columns: area.columns) }
        let room = max(area.columns / 2, area.columns - line.title.width - canvas.margins.gap)
        let fact = texts.first { $0.width <= room } ?? texts.last ?? ""
        if fact.width > 0, area.columns >= Self.fitsDate {
            canvas.put(fact, in: area, .dim, .trailing)
            title = area.inset(right: fact.width + canvas.margins.gap)
        }
        canvas.put(cleaning: photo.title, in: title, .title)
    }

    /// Draws the name of an enlarged photo, how much it is enlarged, and its position.
    private func drawStatus(of photo: Photo, in area: CellArea, on canvas: inout Canvas) {
        let header = HeaderFooter(context: context)
        var pieces = header.zoomPieces(on: canvas).reversed() + header.positionPieces(on: canvas)
        for index in pieces.indices { pieces[index].text = "  " + pieces[index].text }
        let used = canvas.put(pieces, in: area, .trailing)
        canvas.put(cleaning: photo.title, in: area.inset(right: used), .title)
    }

    private func drawText(_ text: DetailLines, in area: CellArea, on canvas: inout Canvas) {
        let first = min(max(detail.scroll, 0), max(text.lines.count - area.rows, 0))
        for (row, line) in text.lines.dropFirst(first).prefix(area.rows).enumerated() {
            if let label = line.label { canvas.put(label, in: area, row: row, .dim) }
            let rest = area.inset(left: line.label == nil ? 0 : text.indent)
            canvas.put(line.text, in: rest, row: row, line.role)
        }
        var behind = area
        behind.column = area.endColumn
        behind.columns = min(DetailGeometry.marks, canvas.area.columns - area.endColumn)
        canvas.putScrollMarks(isMoreAbove: first > 0, isMoreBelow: first + area.rows < text.lines.count, in: behind)
    }

    private func shownPicture(of photo: Photo) -> Picture? {
        let whole = picture(of: photo)
        guard let key = context.state.zoomedKey(of: photo, in: detail), let part = context.state.images.pictures[key]
        else { return whole }
        return part.image == nil && whole?.image != nil ? whole : part
    }

    /// Returns the best image for this box: a preview stays until a better one comes.
    private func picture(of photo: Photo) -> Picture? {
        guard let size = context.state.fitGeometry(of: photo).box else { return nil }
        let turns = context.state.turns(of: photo)
        let keys = photo.sources.map { PictureKey(source: $0, box: size, isFull: true, turns: turns) }
        let pictures = keys.compactMap(context.state.images.picture)
        return pictures.first(where: \.isFinal) ?? pictures.first { $0.image != nil }
            ?? pictures.first(where: \.hasFailed) ?? pictures.first
    }
}

// MARK: - Header and footer

extension HeaderFooter {
    private static let slideshowColumns = 60

    /// Draws title, position and keys of the full screen; the title has at most half of the line.
    func drawLine(of screen: DetailScreen, in line: CellArea, row: Int, on canvas: inout Canvas) {
        guard let photo = context.state.list?.selectedPhoto else { return }
        canvas.fill(CellArea(row: row, columns: canvas.area.columns, rows: 1), .text)
        let half = line.columns / 2
        let room = screen.slideshow == nil ? half : max(half / 2, min(half, line.columns - Self.slideshowColumns))
        let title = canvas.clean(photo.title, columns: line.columns)
            .truncated(to: max(room, 1), glyphs: canvas.glyphs)
        let gap = TerminalText(cleaning: "").padded(to: canvas.margins.gap)
        var pieces = [Canvas.Piece(title, .title)]
        if let position = context.state.positionInResults {
            let count = context.formatter.count(position.number, of: position.total)
            pieces.append(.init(gap + clean(count, canvas), .dim))
        }
        pieces += factPieces(on: canvas).map { .init(gap + $0.text, $0.role) }
        if screen.isPaused { pieces.append(.init(gap + clean(context.strings.slideshow.paused, canvas), .accent)) }
        if let damage = damage(on: canvas) { pieces.append(.init(gap + damage, .warning)) }
        let used = canvas.put(pieces, in: line, row: row)
        context.hints.draw(in: line.inset(left: used + canvas.margins.gap + 1), row: row, on: &canvas)
    }

    /// `2/5`: the shown picture of a photo with several.
    func picturePieces(on canvas: Canvas) -> [Canvas.Piece] {
        guard case .detail = context.state.baseScreen, let list = context.state.list, list.pictureCount > 1
        else { return [] }
        return [.init(clean("\(context.number(list.picture))/\(context.number(list.pictureCount))", canvas), .accent)]
    }
}

extension AppState {
    /// How much of the photo in full its file has; `nil` until all of that is shown.
    var completeness: DecodedImage.Completeness? {
        guard case .detail = baseScreen, let photo = list?.selectedPhoto,
            let picture = detailKey(of: photo).flatMap({ images.pictures[$0] }), picture.isFinal
        else { return nil }
        return picture.facts?.completeness
    }

    var detailLineCount: Int {
        guard case .detail = baseScreen, let photo = list?.selectedPhoto else { return 0 }
        let geometry = detailGeometry(of: photo)
        return geometry.isLine ? 1 : DetailLines(photo: photo, context: RenderContext(self), geometry).lines.count
    }
}

/// The title of a photo and all its facts, for one line.
struct DetailLine {
    let title: TerminalText
    let facts: TerminalText
    /// The facts without the last, without the last two, and so on.
    let shorter: [[String]]
    private let isAll: Bool
    private static let gap = 3
    private static let limit = 400

    init(_ photo: Photo, _ context: RenderContext) {
        let glyphs = context.state.traits.glyphs
        title = TerminalText(cleaning: photo.title, limit: Self.limit).shown(in: glyphs)
        let values = DetailLines.facts(of: photo, context).map(\.value)
        shorter = values.indices.dropFirst().reversed().map { Array(values[..<$0]) }
        let texts = values.joined(separator: RenderContext.separator)
        facts = TerminalText(cleaning: texts, limit: Self.limit).shown(in: glyphs)
        isAll = photo.description?.isEmpty != false && texts.unicodeScalars.count <= Self.limit
    }

    func fits(_ columns: Int) -> Bool { isAll && title.width + Self.gap + facts.width <= columns }
}

struct DetailLines {
    struct Line {
        var label: TerminalText?
        var text: TerminalText
        var role: ThemeRole
    }

    private(set) var lines: [Line] = []
    private(set) var indent = 0
    private let columns: Int
    private let glyphs: GlyphSet
    /// The maximum number of scalars; bounds the transcript of a podcast.
    private static let descriptionLimit = 24_000
    private static let fitsLabels = 34
    private static let labelGap = 2

    init(photo: Photo, context: RenderContext, _ geometry: DetailGeometry) {
        columns = max(geometry.text?.columns ?? 1, 1)
        glyphs = context.state.traits.glyphs
        // Below a picture every row counts.
        let hasBlanks = geometry.picture == nil || geometry.isBeside
        add(photo.title, .title)
        let facts = Self.facts(of: photo, context)
        if !facts.isEmpty, hasBlanks { addBlank() }
        let widest = facts.map { TerminalText(cleaning: $0.label).shown(in: glyphs).width }.max() ?? 0
        indent = columns >= Self.fitsLabels ? min(widest, columns * 2 / 5) + Self.labelGap : 0
        let title = lines
        for fact in facts { add(fact.value, fact.role, label: indent > 0 ? fact.label : nil) }
        let sharesLines = !hasBlanks && lines.count > geometry.text?.rows ?? .max
        if sharesLines {
            lines = title
            addFlowing(facts)
        }
        if let description = photo.description, !description.isEmpty {
            if !sharesLines { addBlank() }
            addDescription(description)
        }
    }

    fileprivate typealias Fact = (label: String, value: String, role: ThemeRole)

    fileprivate static func facts(of photo: Photo, _ context: RenderContext) -> [Fact] {
        let strings = context.strings.detail
        var facts: [Fact] = []
        func add(_ label: String, _ value: String?, _ role: ThemeRole = .text) {
            if let value, !value.isEmpty { facts.append((label, value, role)) }
        }
        if photo.mediaType != .image {
            add(strings.kind, context.contents(of: photo) ?? context.formatter.placeholder(for: photo))
        }
        let maker = photo.photographer ?? photo.secondaryCreator
        let center = maker == nil ? nil : context.formatter.center(besideMakerOf: photo)
        add(strings.photographer, maker.map { ([$0] + [center].compactMap(\.self)).joined(separator: " · ") })
        add(context.strings.save.folder, photo.file == nil ? nil : photo.albums.first)
        add(photo.isDatedByFile ? context.strings.info.modified : strings.date, context.formatter.date(of: photo))
        add(context.strings.info.camera, photo.camera)
        add(context.strings.info.exposure, photo.exposure.flatMap { context.exposure($0) })
        if maker == nil { add(strings.center, context.formatter.center(of: photo)) }
        add(strings.location, photo.location)
        add(strings.keywords, photo.keywords.joined(separator: ", "))
        add(strings.credit, photo.credit == maker ? nil : photo.credit)
        add(strings.license, photo.license)
        // "Original" tells it from the smaller file that is shown.
        let hasSmaller = photo.file == nil && photo.renditions.contains { $0.address != photo.thumbnail }
        add(hasSmaller ? strings.original : context.strings.save.size, original(of: photo, context), .dim)
        add(strings.page, photo.page?.description, .dim)
        return facts
    }

    private static func original(of photo: Photo, _ context: RenderContext) -> String? {
        let largest = photo.renditions.max {
            Double($0.width ?? 0) * Double($0.height ?? 0) < Double($1.width ?? 0) * Double($1.height ?? 0)
        }
        guard let width = photo.width ?? largest?.width, let height = photo.height ?? largest?.height else {
            return nil
        }
        let pixels = context.pixels(width, height)
        guard let bytes = photo.file?.byteCount ?? largest?.bytes, bytes > 0 else { return pixels }
        let parts = [pixels, context.size(bytes), photo.format].compactMap(\.self)
        return parts.joined(separator: RenderContext.separator)
    }

    private mutating func addBlank() { lines.append(Line(text: "", role: .text)) }

    private mutating func add(_ text: String, _ role: ThemeRole, label: String? = nil) {
        let room = columns - (label == nil ? 0 : indent)
        var label = label.map { TerminalText(cleaning: $0).truncated(to: indent - Self.labelGap, glyphs: glyphs) }
        for line in TerminalText(cleaning: text).wrapped(to: room, glyphs: glyphs) {
            lines.append(Line(label: label, text: line, role: role))
            if label != nil { label = "" }
        }
    }

    /// As many facts on a line as fit, without their labels.
    private mutating func addFlowing(_ facts: [Fact]) {
        let separator = TerminalText(cleaning: RenderContext.separator).shown(in: glyphs)
        var rows: [TerminalText] = []
        for fact in facts {
            let text = TerminalText(cleaning: fact.value).shown(in: glyphs)
            if let last = rows.last, last.width + separator.width + text.width <= columns {
                rows[rows.count - 1] = last + separator + text
            } else {
                rows.append(text)
            }
        }
        lines += rows.flatMap { $0.wrapped(to: columns, glyphs: glyphs) }.map { Line(text: $0, role: .dim) }
    }

    private mutating func addDescription(_ description: String) {
        var left = Self.descriptionLimit
        for paragraph in description.split(separator: "\n", omittingEmptySubsequences: false) where left > 0 {
            let text = TerminalText(cleaning: String(paragraph), limit: left)
            left -= text.string.unicodeScalars.count + 1
            let wrapped = text.wrapped(to: columns, glyphs: glyphs).map { Line(text: $0, role: .text) }
            if text.isEmpty { addBlank() } else { lines += wrapped }
        }
    }
}

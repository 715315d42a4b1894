internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassTerminalUI

extension AppState {
    var detailLineCount: Int {
        guard case .detail(let detail) = baseScreen, let photo = list?.photo(at: detail.position) else { return 0 }
        let geometry = detailGeometry(of: photo)
        return geometry.isLine ? 1 : DetailLines(photo: photo, context: RenderContext(self), geometry).lines.count
    }
}

/// The lines of text about one photo in full.
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
        for fact in facts { add(fact.value, fact.role, label: indent > 0 ? fact.label : nil) }
        if let description = photo.description, !description.isEmpty {
            addBlank()
            addDescription(description)
        }
    }

    private typealias Fact = (label: String, value: String, role: ThemeRole)

    private static func facts(of photo: Photo, _ context: RenderContext) -> [Fact] {
        let strings = context.strings.detail
        var facts: [Fact] = []
        func add(_ label: String, _ value: String?, _ role: ThemeRole = .text) {
            if let value, !value.isEmpty { facts.append((label, value, role)) }
        }
        if photo.mediaType != .image { add(strings.kind, context.formatter.placeholder(for: photo)) }
        let maker = photo.photographer ?? photo.secondaryCreator
        add(strings.photographer, maker)
        add(strings.date, context.formatter.date(of: photo))
        add(context.strings.info.camera, photo.camera)
        add(strings.center, photo.center == maker ? nil : photo.center)
        add(strings.location, photo.location)
        add(strings.keywords, photo.keywords.joined(separator: ", "))
        add(strings.credit, photo.credit == maker ? nil : photo.credit)
        add(strings.license, photo.license)
        add(strings.original, original(of: photo, context), .dim)
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
        return pixels + " · " + context.size(bytes)
    }

    private mutating func addBlank() { lines.append(Line(label: nil, text: "", role: .text)) }

    private mutating func add(_ text: String, _ role: ThemeRole, label: String? = nil) {
        let room = columns - (label == nil ? 0 : indent)
        var label = label.map { TerminalText(cleaning: $0).truncated(to: indent - Self.labelGap, glyphs: glyphs) }
        for line in TerminalText(cleaning: text).wrapped(to: room, glyphs: glyphs) {
            lines.append(Line(label: label, text: line, role: role))
            if label != nil { label = "" }
        }
    }

    private mutating func addDescription(_ description: String) {
        var left = Self.descriptionLimit
        for paragraph in description.split(separator: "\n", omittingEmptySubsequences: false) where left > 0 {
            let text = TerminalText(cleaning: String(paragraph), limit: left)
            left -= text.string.unicodeScalars.count + 1
            if text.isEmpty { addBlank() } else { lines += wrapped(text) }
        }
    }

    private func wrapped(_ text: TerminalText) -> [Line] {
        text.wrapped(to: columns, glyphs: glyphs).map { Line(label: nil, text: $0, role: .text) }
    }
}

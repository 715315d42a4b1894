internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// The columns of a list of lines, after the titles: those that a photo on the screen or near it fills, as wide as their texts.
struct ListColumns {
    /// In their order on the screen.
    enum Kind: CaseIterable {
        case note, license, maker, camera, exposure, format, pixels, size, date

        var isNumber: Bool { self == .pixels || self == .size }
    }

    private(set) var shown: [(kind: Kind, columns: Int)] = []
    private let context: RenderContext
    /// The form of dates, of `PhotoFormatter.dates(of:)`.
    private var dateForm = 0

    private static let maxColumns = 28
    /// Between a title and its damage.
    static let gap = "  "
    /// A title has so many columns before others have any, or two fifths, if it needs them.
    private static let titleColumns = 24
    private static let titleShare = (part: 2, whole: 5)
    /// What is left out first.
    private static let leastImportant: [Kind] = [
        .exposure, .format, .camera, .license, .maker, .pixels, .size, .note, .date,
    ]

    init(of photos: [Photo], in columns: Int, _ context: RenderContext, on canvas: Canvas) {
        self.context = context
        func width(_ kind: Kind) -> Int {
            let widths = photos.map { canvas.clean(text(kind, of: $0), columns: Self.maxColumns).width }
            return min(widths.max() ?? 0, Self.maxColumns)
        }
        shown = Kind.allCases.map { ($0, width($0)) }.filter { $0.columns > 0 }
        let longest = photos.map { canvas.clean($0.title, columns: columns).width }.max() ?? 0
        let share = columns * Self.titleShare.part / Self.titleShare.whole
        let title = min(longest, max(Self.titleColumns, share))
        func isTooWide() -> Bool { shown.reduce(title) { $0 + $1.columns + canvas.margins.gap } > columns }
        while isTooWide(), dateForm < 1, let index = shown.firstIndex(where: { $0.kind == .date }) {
            dateForm += 1
            shown[index].columns = width(.date)
        }
        for kind in Self.leastImportant where isTooWide() { shown.removeAll { $0.kind == kind } }
    }

    func text(_ kind: Kind, of photo: Photo) -> String {
        let isOwn = photo.file != nil
        let text: String? =
            switch kind {
            case .note:
                context.contents(of: photo)
                    ?? (photo.mediaType != .image ? context.formatter.placeholder(for: photo) : photo.unsupportedFormat)
                    // The folder, in a list of several.
                    ?? (isOwn ? photo.albums.first : nil)
            case .license: photo.license
            case .maker: isOwn ? nil : context.formatter.maker(of: photo)
            case .camera: photo.camera
            case .exposure: photo.exposure.flatMap { context.exposure($0) }
            case .format: photo.format
            case .pixels: isOwn ? context.pixels(of: photo) : nil
            case .size: context.byteCount(of: photo)
            case .date:
                context.formatter.dates(of: photo).enumerated().filter { $0.offset <= dateForm }.last?.element
            }
        return text ?? ""
    }

    /// Draws the texts of a photo at the end of its line; returns what is left for the title.
    ///
    /// Texts that would leave less than `needed` columns are left out.
    func draw(
        _ photo: Photo, in line: CellArea, leaving needed: Int, marking pattern: FuzzyPattern?, on canvas: inout Canvas
    ) -> CellArea {
        var rest = line
        for (kind, columns) in shown.reversed() {
            guard rest.columns - columns - canvas.margins.gap >= needed else { break }
            let column = rest.inset(left: rest.columns - columns)
            let found = kind == .maker && photo.namedMaker != nil ? pattern : nil
            let whole = canvas.clean(text(kind, of: photo), columns: columns)
            let text = whole.truncated(to: columns, glyphs: canvas.glyphs)
            let role: ThemeRole = kind == .maker ? .text : .dim
            canvas.put([.init(text, role, marking: found)], in: column, kind.isNumber ? .trailing : .leading)
            rest = rest.inset(right: columns + canvas.margins.gap)
        }
        return rest
    }
}

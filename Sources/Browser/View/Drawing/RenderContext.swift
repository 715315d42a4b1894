internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// What every part of a frame is drawn from: the state, and how numbers, dates and words are written.
///
/// An object, since every item of a list holds it and a copy would count the references to hundreds of words.
final class RenderContext: Sendable {
    let state: BrowserState
    let strings: UIStrings
    let formatter: PhotoFormatter

    init(_ state: BrowserState) {
        self.state = state
        strings = UIStrings(state.language)
        formatter = PhotoFormatter(language: state.language)
    }

    /// Columns at the leading edge that text and pictures keep free; the mark of what is chosen stands in the first of them.
    static func margin(of canvas: Canvas) -> Int {
        let columns = canvas.area.columns
        // A margin that takes a fifth of the screen is none.
        if columns < 5 { return 0 }
        return min(canvas.margins.side + 1, max(columns / 10, 1))
    }

    /// The rows between header and footer, with margins at the sides.
    static func content(of canvas: Canvas) -> CellArea {
        let margin = margin(of: canvas)
        return FrameRows.content(of: canvas.size).inset(left: margin, right: max(margin - 1, 0))
    }

    /// The keys that matter now.
    var hints: KeyHints { KeyHints(state: state, strings: strings, glyphs: state.traits.glyphs) }

    /// Where the photos of a source come from: an archive has them of more than one.
    func place(of source: String) -> String {
        state.options.archiveHolds == nil ? source : strings.list.archive
    }

    /// A number as this language writes it.
    func number(_ number: Int) -> String { formatter.number(number) }

    /// A picture's cells, as far as they have come.
    func picture(of photo: Photo, in box: CellSize) -> Picture? {
        photo.thumbnail.flatMap { state.pictures[PictureKey(address: $0, box: box)] }
    }
}

extension BrowserState {
    /// The language that the screen speaks.
    var language: Language { preferences.language ?? options.language }
}

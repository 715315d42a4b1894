internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// The selected photo beside a list of lines: its picture, and its text under it.
struct PreviewPane {
    let context: RenderContext
    let photo: Photo
    let geometry: ListGeometry
    var pattern: FuzzyPattern?

    func draw(_ preview: ListGeometry.Preview, on canvas: inout Canvas) {
        var box = preview.area
        var text = preview.area
        let hasPicture = photo.preview != nil || photo.unsupportedFormat != nil || photo.mediaType != .image
        if hasPicture {
            box.rows = min(preview.picture.rows, box.rows)
            PictureBox(context: context, photo: photo, anchor: .caption)
                .draw(context.picture(of: photo, in: geometry), in: box, on: &canvas)
            text = text.inset(top: box.rows + 1)
        }
        let lines = PhotoText(
            photo: photo, formatter: context.formatter, showsKind: photo.preview != nil, pattern: pattern
        )
        .lines(in: text.columns, rows: text.rows, isSelected: false, isMarked: false, on: canvas)
        for (row, line) in lines.enumerated() { canvas.put([line], in: text, row: row) }
    }
}

import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import SpyglassTerminalUI

/// Prints the images of `show` with their captions and problems.
///
/// Images of a grid wait until their row is complete; `finish` prints the last row.
struct ImagePrinter {
    private let console: Console
    private let statistics: Statistics
    private let layout: ShowLayout
    private let caption: CaptionFormat?
    private var renderer: ImageRenderer
    /// Whether an empty line separates several images.
    private let separates: Bool
    private var row: [Slot] = []
    private var hasPrinted = false

    private enum Slot {
        case image(PixelBuffer, caption: TerminalText, name: String)
        /// In a grid the message replaces the image.
        case failure(TerminalText)

        var name: String? { if case .image(_, _, let name) = self { name } else { nil } }
    }

    /// `background` is the terminal's, if it was asked.
    init(
        _ settings: Settings, _ layout: ShowLayout, _ console: Console, _ statistics: Statistics,
        background: RGB? = nil
    ) {
        self.console = console
        self.statistics = statistics
        self.layout = layout
        caption = settings.caption
        separates = settings.terminal.isTerminal
        console.explain(settings.terminal)
        console.verbose("pixels: \(settings.pixels.value.rawValue) (\(settings.pixels.evidence))")
        var options = ImageRenderer.Options(settings, settings.pixels.value)
        options.background = background ?? options.background
        renderer = ImageRenderer(options)
    }

    /// Prints the failure of an image, in a grid also in its place.
    mutating func print(_ failure: Failure) throws(TerminalError) {
        console.failed(failure.message, statistics)
        try add(.failure(TerminalText(cleaning: failure.message)))
    }

    /// Prints a file or standard input; a damaged image also counts as failed.
    mutating func print(_ image: DecodedImage, name: String) throws(TerminalError) {
        statistics.decodedLocally()
        try print(image, note: image.note, name, title: name)
    }

    /// Prints a frame of an animation from the web.
    mutating func print(_ image: DecodedImage, of address: WebAddress) throws(TerminalError) {
        try print(image, note: image.note, "\(address)", title: address.title)
    }

    mutating func print(_ frame: ImageResponse, of address: WebAddress) throws(TerminalError) {
        try print(frame.image, note: frame.note, "\(address)", title: address.title)
        guard frame.freshness == .stale else { return }
        console.note("\(address) is from the disk cache and may be out of date")
    }

    private mutating func print(
        _ image: DecodedImage, note: String?, _ name: String, title: String
    ) throws(TerminalError) {
        console.verbose("\(name): \(image.info.size) \(image.info.format), \(image.info.colorDescription)")
        let caption = caption?.text(of: image.info, title: title) ?? ""
        try add(.image(image.pixels, caption: caption, name: name))
        if separates, image.info.format == .raw { console.remark("\(name): preview of a RAW file") }
        if let warning = image.colorWarning { console.verbose("\(name): \(warning)") }
        if let note {
            console.failed("\(name): \(note)", statistics)
        } else if image.warnings > 0 {
            console.verbose("\(name): \(image.firstWarning ?? "damaged"), warnings: \(image.warnings)")
        }
    }

    private mutating func add(_ slot: Slot) throws(TerminalError) {
        row.append(slot)
        if row.count == layout.columns { try finish() }
    }

    /// Prints the incomplete row, if it has an image.
    mutating func finish() throws(TerminalError) {
        let slots = row
        row = []
        let names = slots.compactMap(\.name)
        guard !names.isEmpty else { return }
        let bytes: TerminalBytes
        do { bytes = try encode(slots) } catch {
            return console.failed("cannot encode \(names.joined(separator: ", ")): \(error)", statistics)
        }
        if hasPrinted, separates { try console.print("\n") }
        hasPrinted = true
        try console.print(bytes)
        for _ in names { statistics.printedImage() }
    }

    private mutating func encode(_ slots: [Slot]) throws -> TerminalBytes {
        if caption == nil, slots.count == 1, case .image(let pixels, _, _) = slots[0] {
            return try renderer.encode(pixels)
        }
        var composer = StreamComposer(renderer)
        try composer.append(slots.enumerated().map { tile(of: $1, column: layout.column(of: $0), composer.glyphs) })
        renderer = composer.renderer
        guard caption != nil else { return composer.take() }
        try composer.append(
            slots.enumerated().map { index, slot in
                guard case .image(_, let caption, _) = slot else { return StreamTile([]) }
                let text = caption.truncated(to: layout.captionColumns, glyphs: composer.glyphs)
                return StreamTile([[StyledText(text)]], column: layout.column(of: index))
            })
        return composer.take()
    }

    private func tile(of slot: Slot, column: Int, _ glyphs: GlyphSet) -> StreamTile {
        switch slot {
        case .image(let pixels, _, _): return StreamTile(pixels, column: column)
        case .failure(let message):
            let box = layout.imageBox
            let lines = message.wrapped(to: box.columns, maxLines: box.rows, glyphs: glyphs)
            return StreamTile(lines.map { [StyledText($0)] }, column: column)
        }
    }
}

extension WebAddress {
    /// The text whose end is the name in captions.
    var title: String { "\(host)\(path)" }
}

extension ImageRenderer.Options {
    /// The options for drawing images in a mode.
    init(_ settings: Settings, _ mode: PixelMode) {
        self.init(for: settings.terminal, mode: mode, codecs: .standard)
        glyphs = settings.imageGlyphs
        background = settings.background ?? background
        drawsBackground = settings.background != nil
    }
}

extension DecodedImage {
    /// Describes the missing part of the image; `nil` if it is complete.
    var note: String? {
        let missing: String? =
            switch completeness {
            case .complete: nil
            case .truncated(let rows, let all): "truncated: \(rows) of \(all) rows"
            case .degraded: "damaged: part of the image is missing"
            }
        return missing.map { $0 + (firstWarning.map { " (\($0))" } ?? "") }
    }
}

extension ImageResponse {
    /// Describes the missing part of the image, and why; `nil` if it is complete.
    var note: String? { image.note.map { note in transferError.map { "\(note); \($0.description)" } ?? note } }
}

extension PixelCodecs {
    /// The encoders of this program's libraries.
    static let standard = PixelCodecs(
        png: { try ImageEncoder(.png).encode($0) },
        jpeg: { try ImageEncoder(.jpeg(.init(quality: $1)), background: RGBA(0, 0, 0)).encode($0) })
}

/// The cells of each image of `show`, alone or in a row of a grid.
struct ShowLayout: Sendable {
    /// Images per row.
    let columns: Int
    /// The largest image.
    let imageBox: CellSize
    /// The columns of a caption; a longer one is truncated.
    let captionColumns: Int

    private static let gap = 2

    init(_ settings: Settings) {
        let terminal = settings.terminal
        let screen = terminal.size.value
        // Images that do not fit side by side continue in further rows.
        let isBounded = terminal.isTerminal || settings.cells == nil
        let most = isBounded ? max((screen.columns + Self.gap) / (1 + Self.gap), 1) : .max
        columns = min(settings.grid ?? 1, most)
        let share = max((screen.columns - Self.gap * (columns - 1)) / columns, 1)
        var box = CellSize(clamping: share, terminal.drawingBox.rows - (settings.caption == nil ? 0 : 1))
        if let cells = settings.cells {
            let isOpen = !terminal.isTerminal && columns == 1
            box = cells.filled(from: isOpen ? .largest : CellSize(clamping: share, CellSize.largestSide))
            if terminal.isTerminal, columns > 1 { box = CellSize(clamping: min(box.columns, share), box.rows) }
        }
        // A pixel protocol moves the cursor up to the first row, which must still be on the screen.
        if terminal.isTerminal, settings.pixels.value.symbols == nil {
            box = CellSize(clamping: box.columns, min(box.rows, terminal.drawingBox.rows))
        }
        imageBox = box
        captionColumns = columns > 1 ? box.columns : screen.columns
    }

    /// The first column of the image at an index of its row.
    func column(of index: Int) -> Int { index * (imageBox.columns + Self.gap) }
}

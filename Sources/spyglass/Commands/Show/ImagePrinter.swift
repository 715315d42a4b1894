import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import SpyglassTerminalUI

/// Prints the images of `show` with their captions, and what is wrong with them.
///
/// Images of a grid wait until their row is complete; `finish` prints the last one.
struct ImagePrinter {
    private let console: Console
    private let statistics: Statistics
    private let layout: ShowLayout
    private let caption: CaptionFormat?
    private var renderer: ImageRenderer
    /// Asks for the terminal's background, before the first image that shows it through.
    private var background: (() -> RGB?)?
    private var row: [Slot] = []
    private var hasPrinted = false

    private enum Slot {
        case image(PixelBuffer, caption: TerminalText, name: String)
        /// In a grid the message takes the place of the image.
        case failure(TerminalText)

        var name: String? { if case .image(_, _, let name) = self { name } else { nil } }
    }

    /// `background` asks the terminal for its own, which images show through.
    init(
        _ settings: Settings, _ layout: ShowLayout, _ console: Console, _ statistics: Statistics,
        background: (() -> RGB?)? = nil
    ) {
        self.console = console
        self.statistics = statistics
        self.layout = layout
        caption = settings.caption
        console.explain(settings.terminal)
        console.verbose("pixels: \(settings.pixels.value.rawValue) (\(settings.pixels.evidence))")
        let options = ImageRenderer.Options(settings, settings.pixels.value)
        renderer = ImageRenderer(options)
        let isKnown = settings.background != nil || settings.terminal.support.answers.background != nil
        // These protocols send transparent pixels as such.
        let isSent = options.mode == .kitty || options.mode == .iterm2
        if settings.terminal.isTerminal, !isKnown, !isSent { self.background = background }
    }

    /// Prints why an image failed, in a grid also in its place.
    mutating func print(_ failure: Failure) throws(TerminalError) {
        console.failed(failure.message, statistics)
        try add(.failure(TerminalText(cleaning: failure.message)))
    }

    /// Prints a file or standard input; a damaged image also counts as failed.
    mutating func print(_ image: DecodedImage, name: String) throws(TerminalError) {
        statistics.decodedLocally()
        try print(image, note: image.note, name, title: name)
    }

    /// Prints an image of an address, as it is; a frame of an animation.
    mutating func print(_ image: DecodedImage, of address: WebAddress) throws(TerminalError) {
        try print(image, note: image.note, "\(address)", title: address.title)
    }

    mutating func print(_ frame: ImageFrame, of address: WebAddress) throws(TerminalError) {
        try print(frame.image, note: frame.note, "\(address)", title: address.title)
        guard frame.freshness == .stale else { return }
        console.note("\(address) is from the disk cache and may be out of date")
    }

    private mutating func print(
        _ image: DecodedImage, note: String?, _ name: String, title: String
    ) throws(TerminalError) {
        console.verbose("\(name): \(image.info.size) \(image.info.format), \(image.info.colorDescription)")
        if image.info.hasAlpha { findBackground(of: image.pixels) }
        try add(
            .image(
                image.pixels, caption: caption?.text(of: image.info, title: title) ?? TerminalText(cleaning: ""),
                name: name))
        if let warning = image.colorWarning { console.verbose("\(name): \(warning)") }
        if let note {
            console.failed("\(name): \(note)", statistics)
        } else if image.warnings > 0 {
            console.verbose("\(name): \(image.firstWarning ?? "damaged"), warnings: \(image.warnings)")
        }
    }

    private mutating func findBackground(of image: PixelBuffer) {
        guard let ask = background, image.isPartlyTransparent else { return }
        background = nil
        guard let color = ask() else { return }
        var options = renderer.options
        options.background = color
        renderer = ImageRenderer(options)
    }

    // MARK: Rows

    private mutating func add(_ slot: Slot) throws(TerminalError) {
        row.append(slot)
        if row.count == layout.columns { try finish() }
    }

    /// Prints the row that is not complete yet, if it has an image.
    mutating func finish() throws(TerminalError) {
        let slots = row
        row = []
        let names = slots.compactMap(\.name)
        guard !names.isEmpty else { return }
        let bytes: TerminalBytes
        do { bytes = try encode(slots) } catch {
            return console.failed("cannot encode \(names.joined(separator: ", ")): \(error)", statistics)
        }
        if hasPrinted, layout.separates { try console.print("\n") }
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
    /// The text that captions take the name from.
    var title: String { "\(host)\(path)" }
}

extension CaptionFormat {
    /// The caption of an image; `title` is its path, or its host and path.
    func text(of info: ImageInfo, title: String) -> TerminalText {
        TerminalText(
            cleaning: text { field in
                switch field {
                case .name: title.split(separator: "/").last.map(String.init) ?? title
                case .size: "\(info.size)"
                case .format: "\(info.format)"
                }
            })
    }
}

extension ImageRenderer.Options {
    /// How `settings` draw images in a mode.
    init(_ settings: Settings, _ mode: PixelMode) {
        let terminal = settings.terminal
        self.init(mode: mode, depth: terminal.color.value)
        glyphs = settings.imageGlyphs
        background = settings.background ?? terminal.support.answers.background ?? .black
        palette = terminal.support.answers.palette ?? .xterm
        drawsBackground = settings.background != nil
        dithers = true
        aspect = terminal.aspect.value
        cellPixels = terminal.cellPixels?.value
        maxSixelSide = terminal.support.maxSixelSide
        usesPlaceholders = terminal.usesPlaceholders
        isInsideTmux = terminal.isInsideTmux
        streamID = .random(in: 1...0xFF_FFFF)
        codecs = .standard
    }
}

extension PixelBuffer {
    /// Whether a pixel is neither opaque nor fully transparent.
    fileprivate var isPartlyTransparent: Bool {
        Swift.stride(from: 3, to: bytes.count, by: Self.bytesPerPixel).contains { (1..<255).contains(bytes[$0]) }
    }
}

extension DecodedImage {
    /// Which part of the image is missing, or `nil`.
    var note: String? {
        let missing: String
        switch completeness {
        case .complete: return nil
        case .truncated(let rows, let all): missing = "truncated: \(rows) of \(all) rows"
        case .degraded: missing = "damaged: part of the image is missing"
        }
        return missing + (firstWarning.map { " (\($0))" } ?? "")
    }
}

extension ImageFrame {
    /// Which part of the image is missing, or `nil`.
    var note: String? {
        guard let missing = image.note else { return nil }
        return transferError.map { "\(missing); \($0.description)" } ?? missing
    }
}

extension PixelCodecs {
    /// The encoders of this program's libraries.
    static let standard = PixelCodecs(
        png: { try ImageEncoder(.png).encode($0) },
        jpeg: { try ImageEncoder(.jpeg(.init(quality: $1)), background: RGBA(0, 0, 0)).encode($0) })
}

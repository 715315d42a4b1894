internal import SpyglassCatalog
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassPipeline
internal import SpyglassPixels
internal import SpyglassTerminalUI

/// The facts of the selected photo, over a list or one photo.
struct InfoScreen: Hashable, Sendable {
    let photoID: String
    var scroll = 0
    /// `nil` until they are read, and for remote photos.
    var facts: PhotoFacts?
}

extension InfoScreen: ScreenFeature {
    static let kind = ScreenKind.panel

    func scope(in state: AppState) -> KeyScope { .info }

    func hints(in state: AppState) -> [Action] {
        InfoPanel.scrollRange(of: state).last > 0 ? [.up, .down, .pageUp, .pageDown, .back] : [.back]
    }

    func perform(_ action: Action, in state: inout AppState, _ effects: inout Effects) {
        let (last, page) = InfoPanel.scrollRange(of: state)
        guard let line = action.scrolled(from: scroll, page: page, last: last) else { return }
        var screen = self
        screen.scroll = line
        state.replaceTop(.info(screen))
    }

    func draw(_ context: RenderContext, on canvas: inout Canvas) {
        InfoPanel(context: context, info: self).draw(on: &canvas)
    }
}

extension AppState {
    mutating func openInfo(_ effects: inout Effects) {
        guard let list, let photo = list.photo(at: list.selected) else { return }
        push(.info(InfoScreen(photoID: photo.id)))
        if photo.file?.isFolder == false { effects.append(.loadFacts(photo)) }
        guard photo.file == nil, !list.completed.contains(photo.id), list.awaited == nil else { return }
        effects.append(.loadDetails(generation: list.generation, photo))
    }

    mutating func receive(_ facts: PhotoFacts, of id: String) {
        for case (let index, .info(var screen)) in zip(screens.indices, screens) where screen.photoID == id {
            screen.facts = facts
            screens[index] = .info(screen)
        }
    }
}

// MARK: - View

/// The facts of one photo: camera, exposure, pixels and file, as far as they are known.
struct InfoPanel {
    let context: RenderContext
    let info: InfoScreen

    private static let columns = 64
    private static let titleLines = 2
    private static let valueLines = 3
    private static let labelGap = 2

    func draw(on canvas: inout Canvas) {
        let columns = Self.columns(on: canvas)
        let lines = lines(columns: columns, on: canvas)
        let title = canvas.clean(context.strings.info.title, columns: columns)
        let panel = Panel(title: title, columns: columns, lines: lines, .title, on: &canvas)
        panel.draw(lines, keys: context.hints, scroll: info.scroll, on: &canvas)
    }

    /// Returns the last line to scroll to, and the number of lines of a page.
    static func scrollRange(of state: AppState) -> (last: Int, page: Int) {
        guard case .info(let info) = state.top else { return (0, 1) }
        let context = RenderContext(state)
        let canvas = BrowserView.canvas(for: state)
        let panel = InfoPanel(context: context, info: info)
        return Panel.scrollRange(of: panel.lines(columns: columns(on: canvas), on: canvas), on: canvas)
    }

    private static func columns(on canvas: Canvas) -> Int {
        min(columns, max(canvas.area.columns - 2 * (canvas.margins.panel + 1), 1))
    }

    private func lines(columns: Int, on canvas: Canvas) -> [[Canvas.Piece]] {
        guard let list = context.state.list, let photo = list.photo(at: list.selected) else { return [] }
        let blocks = [imageFacts, { fileFacts(of: photo) }].map { $0().filter { !$0.value.isEmpty } }
        let labels = blocks.joined().map { canvas.clean($0.label, columns: columns) }
        let indent = min((labels.map(\.width).max() ?? 0) + Self.labelGap, columns / 2)
        var lines = canvas.lines(of: photo.title, columns: columns, limit: Self.titleLines).map {
            [Canvas.Piece($0, .title)]
        }
        for block in blocks where !block.isEmpty {
            lines.append([])
            for fact in block { lines += self.lines(of: fact, indent: indent, columns: columns, on: canvas) }
        }
        return lines
    }

    private func lines(of fact: Fact, indent: Int, columns: Int, on canvas: Canvas) -> [[Canvas.Piece]] {
        var label = canvas.clean(fact.label, columns: columns).truncated(to: indent, glyphs: canvas.glyphs)
        return canvas.lines(of: fact.value, columns: columns - indent, limit: Self.valueLines).map { line in
            defer { label = "" }
            return [.init(label.padded(to: indent), .dim), .init(line, fact.role)]
        }
    }

    // MARK: Facts

    private struct Fact {
        let label: String
        let value: String
        var role = ThemeRole.text

        init(_ label: String, _ value: String?, _ role: ThemeRole = .text) {
            self.label = label
            self.value = value ?? ""
            self.role = role
        }
    }

    private func imageFacts() -> [Fact] {
        let strings = context.strings.info
        guard let metadata = info.facts?.metadata else { return [] }
        let header = metadata.info
        return [
            Fact(strings.camera, metadata.camera), Fact(strings.lens, metadata.lens),
            Fact(strings.exposure, exposure(metadata)), Fact(context.strings.detail.date, metadata.date.map(moment)),
            Fact(strings.pixels, pixels(header.size)),
            Fact(Setting.color.label(in: context.state), header.colorDescription),
            Fact(strings.profile, metadata.profile),
            Fact(strings.format, format(header)),
            Fact(strings.software, metadata.software),
        ]
    }

    /// `JPEG · progressive`, `GIF · 26 frames`.
    private func format(_ header: ImageInfo) -> String {
        let strings = context.strings.info
        let parts: [String?] = [
            "\(header.format)", header.isProgressive ? strings.progressive : nil,
            info.facts?.frameCount.map { strings.frames(context.number($0)) },
        ]
        return parts.compactMap(\.self).joined(separator: " · ")
    }

    private func fileFacts(of photo: Photo) -> [Fact] {
        let strings = context.strings
        guard let file = photo.file else { return remoteFacts(of: photo) }
        let bytes = file.isFolder ? nil : context.size(file.byteCount)
        return [
            Fact(strings.save.file, file.name), Fact(strings.save.folder, file.folder), Fact(strings.save.size, bytes),
            Fact(strings.info.modified, info.facts?.modified.map(moment)),
            // Problems are in English, as everywhere.
            Fact("", info.facts?.problem, .warning),
            Fact("", info.facts == nil && !file.isFolder ? strings.info.reading : nil, .dim),
        ]
    }

    /// Returns what the catalogue knows of the file that would be saved.
    private func remoteFacts(of photo: Photo) -> [Fact] {
        let strings = context.strings
        let original = photo.renditions.first { $0.address == photo.original }
        let size = original.flatMap { PixelSize(checking: $0.width ?? 0, $0.height ?? 0) }
        return [
            Fact(strings.detail.date, context.formatter.date(of: photo)),
            Fact(strings.info.pixels, size.map(pixels)),
            Fact(strings.save.size, original?.bytes.flatMap { $0 > 0 ? context.size($0) : nil }),
            Fact(strings.info.address, photo.original?.description),
            Fact(strings.detail.page, photo.page?.description),
            Fact(Setting.source.label(in: context.state), context.name(of: photo.source)),
        ]
    }

    // MARK: Numbers

    /// Formats time, aperture, sensitivity and focal length: `1/250 s, f/2.8, ISO 100, 35 mm`.
    private func exposure(_ metadata: ImageMetadata) -> String {
        // Longer times are written in seconds, as cameras do.
        let longestFraction = 0.3
        var parts: [String] = []
        if let time = metadata.exposureTime {
            parts.append(
                time < longestFraction ? "1/\(context.number(Int((1 / time).rounded()))) s" : "\(decimal(time)) s")
        }
        if let number = metadata.fNumber { parts.append("f/\(decimal(number, digits: 2))") }
        if let iso = metadata.iso { parts.append("ISO \(iso)") }
        if let length = metadata.focalLength { parts.append("\(decimal(length)) mm") }
        if let onFilm = metadata.focalLengthOn35mmFilm, Double(onFilm) != metadata.focalLength {
            parts.append(context.strings.info.onFilm("\(onFilm) mm"))
        }
        return parts.joined(separator: ", ")
    }

    /// Formats a number without zeros at the end.
    private func decimal(_ value: Double, digits: Int = 1) -> String {
        let unit = digits == 1 ? 10 : 100
        return context.decimal(Int((value * Double(unit)).rounded()), of: unit, keepsZeros: false)
    }

    private func pixels(_ size: PixelSize) -> String {
        let megapixels = Double(size.pixelCount) / 1e6
        let text = context.pixels(size.width, size.height)
        guard megapixels >= 0.05 else { return text }
        return text + " · " + context.strings.info.megapixels(decimal(megapixels))
    }

    /// Formats the day in the language, and the time and its offset, if there is one.
    private func moment(_ text: String) -> String {
        let parts = text.split(separator: "T")
        guard parts.count == 2, let day = context.formatter.date(text) else { return text }
        let offset = parts[1].dropFirst(8)
        return "\(day), \(parts[1].prefix(8))" + (offset.isEmpty ? "" : " \(offset)")
    }
}

// MARK: - Facts

/// The facts in the file of a photo.
struct PhotoFacts: Hashable, Sendable {
    /// `nil` if it cannot be read.
    var metadata: ImageMetadata?
    /// The frames of an animation; `nil` for a still image.
    var frameCount: Int?
    /// Why it cannot be read.
    var problem: String?
    /// When the file was last changed, in local time: `2024-05-17T12:30:45`.
    var modified: String?
}

extension PhotoFacts {
    /// Reads a file on a thread of the pipeline; `nil` if the task is cancelled.
    init?(of file: LocalFile, by pipeline: ImagePipeline) async {
        modified = file.localTime
        do {
            metadata = try await pipeline.metadata(of: .localFile(file))
            if metadata?.info.format.mayMove == true {
                let count = try await pipeline.frameCount(of: .localFile(file))
                frameCount = count > 1 ? count : nil
            }
        } catch let error as CodecError where error.kind != .cancelled {
            problem = error.description
        } catch {
            return nil
        }
    }
}

internal import SpyglassCatalog
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassPipeline
internal import SpyglassPixels
internal import SpyglassTerminalUI

struct InfoScreen: Hashable, Sendable {
    let photoID: PhotoID
    var scroll = 0
    /// `nil` until they are read, and for remote photos.
    var facts: PhotoFacts?
}

extension InfoScreen: ScreenFeature {
    static let kind = ScreenKind.panel
    func scope(in state: AppState) -> KeyScope { .info }

    func hints(in state: AppState) -> [Action] {
        InfoPanel(context: RenderContext(state), info: self).scrollRange.last > 0
            ? [.up, .down, .pageUp, .pageDown, .back] : [.back]
    }

    func perform(_ action: Action, in state: inout AppState, _ effects: inout Effects) {
        let (last, page) = InfoPanel(context: RenderContext(state), info: self).scrollRange
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
        guard let list, let photo = list.selectedPhoto else { return }
        push(.info(InfoScreen(photoID: photo.key)))
        if photo.file?.isFolder == false { effects.append(.loadFacts(photo)) }
        guard photo.file == nil, !list.completed.contains(photo.key), list.awaited == nil else { return }
        effects.append(.loadDetails(generation: list.generation, photo))
    }

    mutating func receive(_ facts: PhotoFacts, of id: PhotoID) {
        for case (let index, .info(var screen)) in zip(screens.indices, screens) where screen.photoID == id {
            screen.facts = facts
            screens[index] = .info(screen)
        }
    }
}

// MARK: - View

struct InfoPanel {
    let context: RenderContext
    let info: InfoScreen
    private static let columns = 64
    private static let titleLines = 2
    private static let valueLines = 3
    private static let labelGap = 2

    func draw(on canvas: inout Canvas) {
        let columns = Panel.columns(Self.columns, on: canvas)
        let lines = lines(columns: columns, on: canvas)
        let title = canvas.clean(context.strings.info.title, columns: columns)
        let panel = Panel(title: title, columns: columns, lines: lines, .title, on: &canvas)
        panel.draw(lines, keys: context.hints, scroll: info.scroll, on: &canvas)
    }

    var scrollRange: (last: Int, page: Int) {
        let canvas = BrowserView.canvas(for: context.state)
        return Panel.scrollRange(of: lines(columns: Panel.columns(Self.columns, on: canvas), on: canvas), on: canvas)
    }

    private func lines(columns: Int, on canvas: Canvas) -> [[Canvas.Piece]] {
        guard let photo = context.state.list?.selectedPhoto else { return [] }
        let blocks = [imageFacts(), fileFacts(of: photo)].map { $0.filter { !$0.value.isEmpty } }
        let labels = blocks.joined().map { canvas.clean($0.label, columns: columns) }
        let indent = min((labels.map(\.width).max() ?? 0) + Self.labelGap, columns / 2)
        let title = canvas.lines(of: photo.title, columns: columns, limit: Self.titleLines)
        var lines = title.map { [Canvas.Piece($0, .title)] }
        for block in blocks where !block.isEmpty {
            lines.append([])
            for fact in block {
                var label = canvas.clean(fact.label, columns: columns).truncated(to: indent, glyphs: canvas.glyphs)
                for line in canvas.lines(of: fact.value, columns: columns - indent, limit: Self.valueLines) {
                    lines.append([.init(label.padded(to: indent), .dim), .init(line, fact.role)])
                    label = ""
                }
            }
        }
        return lines
    }

    // MARK: Facts

    private struct Fact {
        let label, value: String
        let role: ThemeRole

        init(_ label: String, _ value: String?, _ role: ThemeRole = .text) {
            (self.label, self.value, self.role) = (label, value ?? "", role)
        }
    }

    private func imageFacts() -> [Fact] {
        let strings = context.strings.info
        guard let metadata = info.facts?.metadata else { return [] }
        let header = metadata.info
        return [
            Fact(strings.object, metadata.object), Fact(strings.camera, metadata.camera),
            Fact(strings.lens, metadata.lens),
            Fact(strings.filter, metadata.filter), Fact(strings.exposure, exposure(metadata)),
            Fact(context.strings.detail.date, metadata.date.map(moment)),
            Fact(strings.pixels, pixels(header.size)),
            Fact(strings.pixelScale, metadata.pixelScale.map { context.decimal($0, digits: 3) + "″" }),
            Fact(Setting.color.label(in: context.state), header.colorDescription),
            Fact(strings.profile, metadata.profile), Fact(strings.format, format(header)),
            Fact(strings.software, metadata.software),
        ]
    }

    /// `JPEG · progressive`, `GIF · 26 frames`.
    private func format(_ header: ImageInfo) -> String {
        let strings = context.strings.info
        let progressive = header.isProgressive ? strings.progressive : nil
        let frames = info.facts?.frameCount.map {
            (header.format.mayHavePages ? strings.pages : strings.frames)(context.number($0))
        }
        return ["\(header.format)", progressive, frames].compactMap(\.self).joined(separator: " · ")
    }

    private func fileFacts(of photo: Photo) -> [Fact] {
        let strings = context.strings
        guard let file = photo.file else { return remoteFacts(of: photo) }
        let bytes = file.isFolder ? nil : context.size(file.byteCount)
        return [
            Fact(strings.save.file, file.name),
            Fact(strings.save.folder, context.state.shortened(Array(file.folder.utf8))), Fact(strings.save.size, bytes),
            Fact(strings.info.modified, info.facts?.modified.map(moment)),
            // Problems are in English, as everywhere.
            Fact(strings.info.problem, info.facts?.problem ?? damage(of: photo), .warning),
            Fact("", info.facts == nil && !file.isFolder ? strings.info.reading : nil, .dim),
        ]
    }

    private func damage(of photo: Photo) -> String? {
        context.state.completeness.flatMap(context.strings.text)
            ?? context.damage(of: photo, in: context.state.geometry)
    }

    /// Returns what the catalogue knows of the file that would be saved.
    private func remoteFacts(of photo: Photo) -> [Fact] {
        let strings = context.strings
        let original = photo.renditions.first { $0.address == photo.original }
        let size = original.flatMap { PixelSize(checking: $0.width ?? 0, $0.height ?? 0) }
        return [
            Fact(strings.detail.date, context.formatter.date(of: photo)), Fact(strings.info.pixels, size.map(pixels)),
            Fact(strings.save.size, original?.bytes.flatMap { $0 > 0 ? context.size($0) : nil }),
            Fact(strings.info.address, photo.original?.description), Fact(strings.detail.page, photo.page?.description),
            Fact(Setting.source.label(in: context.state), context.name(of: photo.source)),
        ]
    }

    private func exposure(_ metadata: ImageMetadata) -> String? {
        let exposure = Exposure(
            time: metadata.exposureTime, fNumber: metadata.fNumber, iso: metadata.iso,
            focalLength: metadata.focalLength)
        return context.exposure(exposure, onFilm: metadata.focalLengthOn35mmFilm)
    }

    private func pixels(_ size: PixelSize) -> String {
        let megapixels = Double(size.pixelCount) / 1e6
        let text = context.pixels(size.width, size.height)
        guard megapixels >= 0.05 else { return text }
        return text + " · " + context.strings.info.megapixels(context.decimal(megapixels))
    }

    /// Formats the day in the language, and the time and its offset, if there is one.
    private func moment(_ text: String) -> String {
        let parts = text.split(separator: "T")
        guard let day = context.formatter.date(text) else { return text }
        guard parts.count == 2 else { return day }
        let offset = parts[1].dropFirst(8)
        return "\(day), \(parts[1].prefix(8))" + (offset.isEmpty ? "" : " \(offset)")
    }
}

// MARK: - Facts

struct PhotoFacts: Hashable, Sendable {
    /// `nil` if it cannot be read.
    var metadata: ImageMetadata?
    /// The frames of an animation, or pages; `nil` for a still image.
    var frameCount: Int?
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
            if let format = metadata?.info.format, format.mayMove || format.mayHavePages {
                let count = try await pipeline.frameCount(of: .localFile(file))
                frameCount = count > 1 ? count : nil
            }
        } catch ImageError.decode(let error, _) {
            problem = error.description
        } catch {
            return nil
        }
    }
}

extension Action {
    static let info = Action("info", "info", "Info", "infos", "info", "情報", "معلومات")
}

extension KeyTable {
    static let info = bind(in: photos.union([.detail, .info]), ([.plain("i")], .info))
}

final class InfoTexts: Sendable {
    static let all = InfoTexts()
    let title = Text("Info", "Info", "Infos", "Info", "情報", "معلومات")
    let camera = Text("Camera", "Kamera", "Appareil", "Cámara", "カメラ", "الكاميرا")
    let object = Text("Object", "Objekt", "Objet", "Objeto", "天体", "الجرم")
    let filter = Text("Filter", "Filter", "Filtre", "Filtro", "フィルター", "المرشح")
    let pixelScale = Text(
        "Pixel scale", "Pixelmaßstab", "Échantillonnage", "Escala de píxel", "ピクセルスケール", "مقياس البكسل")
    let lens = Text("Lens", "Objektiv", "Objectif", "Objetivo", "レンズ", "العدسة")
    let exposure = Text("Exposure", "Belichtung", "Exposition", "Exposición", "露出", "التعريض")
    let pixels = Text("Pixels", "Pixel", "Pixels", "Píxeles", "画素", "البكسلات")
    let profile = Text("Profile", "Farbprofil", "Profil", "Perfil", "プロファイル", "ملف الألوان")
    let format = Text("Format", "Format", "Format", "Formato", "形式", "الصيغة")
    let software = Text("Software", "Software", "Logiciel", "Programa", "ソフトウェア", "البرنامج")
    let modified = Text("Modified", "Geändert", "Modifié", "Modificado", "更新日時", "آخر تعديل")
    let address = Text("Address", "Adresse", "Adresse", "Dirección", "アドレス", "العنوان")
    let progressive = Text("progressive", "progressiv", "progressif", "progresivo", "プログレッシブ", "تدريجي")
    let problem = Text("Problem", "Problem", "Problème", "Problema", "問題", "المشكلة")
    let reading = Text(
        "Reading the file", "Datei wird gelesen", "Lecture du fichier", "Leyendo el archivo", "ファイルを読み込み中",
        "جارٍ قراءة الملف")
    let frames = Template(
        { "\($0) frames" }, { "\($0) Einzelbilder" }, { "\($0) images" }, { "\($0) fotogramas" }, { "\($0) フレーム" },
        { "عدد الإطارات: \($0)" })
    let pages = Template(
        { "\($0) pages" }, { "\($0) Seiten" }, { "\($0) pages" }, { "\($0) páginas" }, { "\($0) ページ" },
        { "عدد الصفحات: \($0)" })
    let megapixels = Template(
        { "\($0) megapixels" }, { "\($0) Megapixel" }, { "\($0) mégapixels" }, { "\($0) megapíxeles" },
        { "\($0) メガピクセル" }, { "\($0) ميغابكسل" })
    /// A focal length on 35 mm film.
    let onFilm = Template(
        { "\($0) on 35 mm film" }, { "\($0) auf Kleinbild" }, { "\($0) en 24 × 36" }, { "\($0) en 35 mm" },
        { "35 mm 判換算 \($0)" }, { "\($0) على فيلم 35 مم" })
}

extension UIStrings { var info: Localized<InfoTexts> { Localized(.all, language) } }

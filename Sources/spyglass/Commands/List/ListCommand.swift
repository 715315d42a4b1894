import SpyglassBrowser
import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
import SpyglassPipeline
import SpyglassPixels
import SpyglassTerminalUI

/// `spyglass list [QUERY...]`: prints thumbnails with their metadata, in the source's order.
struct ListCommand: Sendable {
    private let settings: Settings
    private let query: PhotoQuery
    private let system: SystemServices
    private let formatter: PhotoFormatter

    init(_ settings: Settings, _ operands: [Argument], _ system: SystemServices) throws(Failure) {
        self.settings = settings
        self.system = system
        query = try settings.query(operands)
        formatter = PhotoFormatter(language: settings.language.value)
    }

    private var terminal: TerminalCapabilities { settings.terminal }

    func run(_ console: Console) async throws -> ExitCode {
        console.explain(terminal)
        if let hint = settings.options.hint { console.note(hint) }
        let stack = try PipelineStack(settings, system, console)
        defer { console.report(stack.statistics, settings.stats, system) }
        let source = try settings.photoSource(
            settings.source, clock: system.clock, readsFiles: true, onWait: { console.note($0) })(stack.transport)
        let layout = ListLayout(screen: terminal.size.value, hasImages: showsImages)
        let drawing = drawing(layout)
        let composer = settings.printsJSON ? nil : ListComposer(layout, formatter, ImageRenderer(drawing))
        var printer = ListPrinter(console: console, statistics: stack.statistics, composer: composer)
        let target = drawing.target(for: layout.imageBox)
        let loader = ThumbnailLoader(pipeline: stack.pipeline, target: target, limits: settings.limits)
        var run = ListRun(
            PagedPhotos(query, from: source, startingAt: .first), limit: settings.limit,
            thumbnail: showsImages ? loader.thumbnail : nil, clock: system.clock)
        do {
            try await run.forEach(
                progress: { waiting, total in
                    console.progress(progress(printed: printer.count, waiting: waiting, of: total))
                },
                item: { photo, thumbnail in try printer.print(photo, thumbnail) })
        } catch let error as FetchError where error.kind == .notRecorded {
            if printer.count == 0 {
                await stack.finish()
                return try await settings.absence(query, at: .first, from: stack.archive, error).report(to: console)
            }
            console.note("the archive has no further pages of this search")
        } catch let error as FetchError where error.kind == .unreachable || error.kind == .timedOut {
            console.verbose(error.description)
            throw settings.silence(of: settings.source, error)
        }
        await stack.finish()
        summarize(printer.count, of: run.total, isEnd: run.hasReachedEnd, console)
        noteStale(stack.statistics.staleCount, console)
        return stack.statistics.exitCode
    }

    /// Whether thumbnails are fetched: never for JSON; for a file or a pipe only if an option requests them.
    private var showsImages: Bool {
        settings.showsImages && !settings.printsJSON && (terminal.isTerminal || settings.requestsImages)
    }

    private func drawing(_ layout: ListLayout) -> ImageRenderer.Options {
        // A pixel protocol moves the cursor up to the first row, which must still be on the screen.
        let fits = !terminal.isTerminal || layout.imageBox.rows < terminal.size.value.rows
        var options = ImageRenderer.Options(settings, fits ? settings.pixels.value : .half)
        options.dithers = false
        if !terminal.isTerminal, !settings.requestsImages { options.depth = .monochrome }
        return options
    }

    private func progress(printed: Int, waiting: Int, of total: PhotoPage.Total?) -> String {
        if printed == 0, waiting == 0 {
            return "searching \(settings.source.name)\(query.text.isEmpty ? "" : " for '\(query.text)'")"
        }
        let known: PhotoPage.Total? =
            switch total {
            case .exact(let all)?: .exact(min(all, settings.limit))
            case .estimate?: total
            case nil: settings.limit < .max ? .exact(settings.limit) : nil
            }
        let ahead = waiting == 0 ? "" : ", fetching \(formatter.number(waiting)) ahead"
        return formatter.count(printed, of: known) + ahead
    }

    private func noteStale(_ count: Int, _ console: Console) {
        guard count > 0 else { return }
        let what = count == 1 ? "one response is" : "\(formatter.number(count)) responses are"
        let why = settings.isOffline ? "--offline" : "could not revalidate"
        console.note("\(what) from the disk cache and may be out of date: \(why)")
    }

    private func summarize(_ printed: Int, of total: PhotoPage.Total?, isEnd: Bool, _ console: Console) {
        guard printed > 0 else {
            return console.note(query.paths.isEmpty ? query.nothingFound : "no images in the folder")
        }
        guard let total else { return }
        // A total counts repeated photos, and NASA's more than it ever returns.
        let repeated = isEnd ? printed / 10 : 0
        guard total.number > printed + repeated else { return }
        console.note(formatter.count(printed, of: total))
    }
}

extension PhotoQuery {
    /// Says that a search has no results.
    var nothingFound: String { text.isEmpty ? "nothing found" : "nothing found for '\(text)'" }
}

/// Prints the items of a list, each in one write, and counts failures.
struct ListPrinter {
    let console: Console
    let statistics: Statistics
    /// `nil`: prints JSON.
    var composer: ListComposer?
    private(set) var count = 0

    mutating func print(_ photo: Photo, _ thumbnail: Thumbnail) throws {
        count += 1
        var thumbnail = thumbnail
        if var composer {
            let bytes: TerminalBytes
            do { bytes = try composer.item(photo, thumbnail) } catch {
                let file = photo.file.map { "\($0.path.shown): " } ?? ""
                thumbnail = .failed("\(file)cannot encode the image: \(error)")
                bytes = try composer.item(photo, thumbnail)
            }
            self.composer = composer
            try console.print(bytes)
        } else {
            try console.print(PhotoJSON.line(for: photo) + "\n")
        }
        // Messages of own files name them.
        let prefix = photo.file == nil ? "\(photo.id): " : ""
        switch thumbnail {
        case .absent: break
        case .image(_, let note, _):
            statistics.printedImage()
            if let note { console.failed(prefix + note, statistics) }
        case .failed(let reason): console.failed(prefix + reason, statistics)
        }
    }
}

enum Thumbnail: Hashable, Sendable {
    /// The image at its target size; `note` names the missing part.
    case image(PixelBuffer, note: String?, isStale: Bool = false)
    /// The photo has no preview: a sound, or an item that was never scanned.
    case absent
    case failed(String)
}

/// Makes thumbnails of photos through the pipeline, which limits the work of concurrent calls.
struct ThumbnailLoader: Sendable {
    let pipeline: ImagePipeline
    let target: TargetSize
    let limits: ImageLimits

    func thumbnail(of photo: Photo) async -> Thumbnail {
        guard let source = photo.preview else { return .absent }
        let thumbnail = await thumbnail(source, of: photo)
        guard case .failed = thumbnail, let spare = photo.sparePreview, !Task.isCancelled else { return thumbnail }
        return await self.thumbnail(spare, of: photo)
    }

    private func thumbnail(_ source: ImageSource, of photo: Photo) async -> Thumbnail {
        let name = photo.file == nil ? photo.thumbnail.map { "\($0)" } ?? photo.title : photo.id
        do {
            let frame = try await pipeline.image(for: ImageRequest(source, target: target))
            let note = frame.note.map { "\(name): \($0)" }
            return .image(frame.image.pixels, note: note, isStale: frame.freshness == .stale)
        } catch { return .failed(Failure(error, of: name, within: limits).message) }
    }
}

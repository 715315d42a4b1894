import SpyglassCatalog
import SpyglassFetching
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
        var printer = ListPrinter(writer(layout), console, stack.statistics)
        var run = ListRun(
            PagedPhotos(query, from: source, startingAt: .first), limit: settings.limit.maximum,
            thumbnail: showsImages ? loader(layout, stack).thumbnail : nil, clock: system.clock)
        do {
            try await run.forEach(
                progress: { waiting, total in
                    console.progress(progress(printed: printer.count, waiting: waiting, of: total))
                },
                item: { photo, thumbnail in try printer.print(photo, thumbnail) })
        } catch let error as FetchError where error.kind == .notRecorded {
            if printer.count == 0 {
                let absence = await settings.absence(query, at: .first, from: stack.archive, error)
                // An archive of another endpoint is an error; an empty result is not.
                guard !absence.held.isEmpty else { throw Failure.usage(absence.reason) }
                console.note(absence.line)
                await stack.finish()
                return .success
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

    // MARK: Output

    /// Whether thumbnails are fetched: never for JSON, and for a file or a pipe only if an option requests them.
    private var showsImages: Bool {
        settings.showsImages && !settings.printsJSON && (terminal.isTerminal || settings.requestsImages)
    }

    private func writer(_ layout: ListLayout) -> ListPrinter.Writer {
        guard !settings.printsJSON else { return .json }
        return .text(ListComposer(layout, formatter, ImageRenderer(drawing(layout))))
    }

    private func drawing(_ layout: ListLayout) -> ImageRenderer.Options {
        // A pixel protocol moves the cursor up to the first row, which must still be on the screen.
        let fits = !terminal.isTerminal || layout.imageBox.rows < terminal.size.value.rows
        var options = ImageRenderer.Options(settings, fits ? settings.listPixels : .half)
        options.dithers = false
        let isPlain = !terminal.isTerminal && !settings.requestsImages
        if isPlain { options.depth = .monochrome }
        return options
    }

    private func loader(_ layout: ListLayout, _ stack: PipelineStack) -> ThumbnailLoader {
        ThumbnailLoader(
            pipeline: stack.pipeline, target: layout.target(drawing(layout)), limits: settings.limits)
    }

    // MARK: Messages

    private func progress(printed: Int, waiting: Int, of total: PhotoPage.Total?) -> String {
        if printed == 0, waiting == 0 {
            return "searching \(settings.source.name)\(query.text.isEmpty ? "" : " for '\(query.text)'")"
        }
        let known: PhotoPage.Total?
        switch (total, settings.limit) {
        case (.exact(let all), .count(let limit)): known = .exact(min(all, limit))
        case (nil, .count(let limit)): known = .exact(limit)
        default: known = total
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
            guard query.paths.isEmpty else { return console.note("no pictures in the folder") }
            return console.note(query.text.isEmpty ? "nothing found" : "nothing found for '\(query.text)'")
        }
        guard let total else { return }
        // A source's total counts repeated photos, which are printed once. Photos that it never returns (NASA's
        // results after the first 10,000) exceed this margin by far.
        let repeated = isEnd ? printed / 10 : 0
        guard total.number > printed + repeated else { return }
        console.note(formatter.count(printed, of: total))
    }
}

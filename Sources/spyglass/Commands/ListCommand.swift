import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassTerminalUI

/// `spyglass list [QUERY...]`: prints thumbnails with what is known of them, in the source's order.
struct ListCommand: Sendable {
    private let settings: Settings
    private let query: PhotoQuery
    private let system: SystemServices
    private let terminal: TerminalCapabilities
    private let formatter: PhotoFormatter

    init(_ settings: Settings, _ operands: [Argument], _ system: SystemServices) throws(Failure) {
        self.settings = settings
        self.system = system
        query = try settings.query(operands.map(\.text))
        terminal = settings.terminal(of: system, cellsAreScreen: true)
        formatter = PhotoFormatter(language: settings.language(in: system.environment).language)
    }

    /// The streams of this run; progress is shown where people see it.
    var console: Console { Console(system, settings, progressOn: terminal) }

    /// Prints the list.
    func run(_ console: Console) async throws -> ExitCode {
        console.explain(terminal)
        let stack = try PipelineStack(settings, system, console, memoryLimit: Self.memoryLimit)
        defer { console.report(stack.statistics, settings.stats, system) }
        let source = settings.source(over: stack.transport, system) { wait in
            console.progress(
                "\(settings.source.rawValue) gave a passing error: asking again in \(wait.components.seconds) s")
        }
        let layout = ListLayout(screen: terminal.size.value, hasPictures: showsPictures)
        var printer = ListPrinter(writer(layout), console, stack.statistics)
        var run = ListRun(
            PagedPhotos(query, from: source, startingAt: .page(settings.page)), limit: settings.limit.maximum,
            thumbnail: showsPictures ? loader(layout, stack).thumbnail : nil, clock: system.clock)
        do {
            try await run.forEach(
                progress: { waiting, total in
                    console.progress(progress(printed: printer.count, waiting: waiting, of: total))
                },
                item: { photo, thumbnail in try printer.print(photo, thumbnail) })
        } catch let error as FetchError where error.kind == .notRecorded {
            guard printer.count > 0 else {
                throw await settings.missing(query, at: .page(settings.page), from: stack.archive, error)
            }
            console.note("the archive holds no more of this search")
        }
        await stack.finish()
        summarize(printer.count, of: run.total, isEnd: run.hasReachedEnd, console)
        remarkStale(stack.statistics.staleCount, console)
        return printer.code
    }

    /// Bytes of decoded pictures that are kept: each is printed once, and only what repeats itself soon is found again.
    private static let memoryLimit = 8 << 20

    // MARK: What is printed

    /// Whether thumbnails are fetched: never for JSON, and to a file or a pipe only when an option asks for them.
    private var showsPictures: Bool {
        settings.showsImages && !settings.printsJSON && (terminal.isTerminal || settings.asksForPictures)
    }

    private func writer(_ layout: ListLayout) -> ListPrinter.Writer {
        guard !settings.printsJSON else { return .json }
        let isPlain = !terminal.isTerminal && !settings.asksForPictures
        let blocks =
            isPlain
            ? HalfBlock(depth: .monochrome, glyphs: terminal.glyphs.value) : HalfBlock(settings, terminal)
        return .text(ListComposer(layout, formatter, blocks))
    }

    private func loader(_ layout: ListLayout, _ stack: PipelineStack) -> ThumbnailLoader {
        ThumbnailLoader(
            pipeline: stack.pipeline, target: layout.target(pixelAspect: terminal.aspect.value.halfBlockPixel),
            isExact: settings.isExact, limits: ImageDecoder(settings).limits)
    }

    // MARK: What is said

    private func progress(printed: Int, waiting: Int, of total: PhotoPage.Total?) -> String {
        if printed == 0, waiting == 0 {
            return "searching \(settings.source.rawValue)\(query.text.isEmpty ? "" : " for '\(query.text)'")"
        }
        let known: PhotoPage.Total?
        switch (total, settings.limit) {
        case (.exact(let all), .count(let limit)): known = .exact(min(all, limit))
        case (nil, .count(let limit)): known = .exact(limit)
        default: known = total
        }
        let pictures = waiting == 0 ? "" : ", fetching \(formatter.number(waiting)) ahead"
        return formatter.count(printed, of: known) + pictures
    }

    /// Says that what was shown may have changed since.
    private func remarkStale(_ count: Int, _ console: Console) {
        guard count > 0 else { return }
        let what = count == 1 ? "one answer is" : "\(formatter.number(count)) answers are"
        let why = settings.isOffline ? "--offline was given" : "nothing newer could be had"
        console.note("\(what) from the disk cache and may be out of date: \(why)")
    }

    /// Says how much more there is, or that there is nothing.
    private func summarize(_ printed: Int, of total: PhotoPage.Total?, isEnd: Bool, _ console: Console) {
        guard printed > 0 else {
            let what = query.text.isEmpty ? "nothing found" : "nothing found for '\(query.text)'"
            console.note(settings.page > 1 ? "\(what) on page \(settings.page)" : what)
            return
        }
        guard let total else { return }
        let all =
            switch total {
            case .exact(let all), .estimate(let all): all
            }
        // A source counts what it repeats, which is shown once; what it never shows (NASA's results behind the first
        // 10,000) is far more than that.
        let repeated = isEnd ? printed / 10 : 0
        guard all > printed + repeated else { return }
        console.note(formatter.count(printed, of: total))
    }
}

import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassTerminalUI

/// `spyglass list [QUERY...]`: prints thumbnails with what is known of them, in the source's order.
struct ListCommand: Sendable {
    private let settings: Settings
    private let query: PhotoQuery
    private let world: World
    private let terminal: TerminalCapabilities
    private let formatter: PhotoFormatter

    init(_ settings: Settings, _ operands: [Argument], _ world: World) {
        self.settings = settings
        self.world = world
        query = settings.query(operands.map(\.text))
        terminal = settings.terminal(of: world, cellsAreScreen: true)
        formatter = PhotoFormatter(language: settings.language ?? Language(environment: { world.environment[$0] }))
    }

    /// The streams of this run; progress is shown where people see it.
    var console: Console { Console(world, settings, progressOn: terminal) }

    /// Prints the list.
    func run(_ console: Console) async throws -> ExitCode {
        console.explain(terminal)
        let statistics = Statistics(clock: world.clock)
        defer { console.report(statistics, settings.stats, world) }
        console.progress(progress(printed: 0, waiting: 0, of: nil))
        let transport = settings.transport(of: world, counting: statistics)
        let source = settings.source(over: transport, world)
        let layout = ListLayout(screen: terminal.size.value, hasPictures: showsPictures)
        var printer = ListPrinter(writer(layout), console, statistics)
        var run = ListRun(
            PagedPhotos(query, from: source, startingAt: settings.page), limit: settings.limit.maximum,
            loader: showsPictures ? loader(layout, transport, statistics) : nil, clock: world.clock)
        do {
            try await run.forEach(
                progress: { waiting, total in
                    console.progress(progress(printed: printer.count, waiting: waiting, of: total))
                },
                item: { photo, thumbnail in try printer.print(photo, thumbnail) })
        } catch let error as FetchError where error.kind == .notRecorded {
            guard printer.count > 0 else { throw await missing(from: settings.archive ?? "") }
            console.remark("the archive holds no more of this search")
        }
        summarize(printer.count, of: run.total, console)
        return printer.code
    }

    /// What to say when an archive lacks the search: the command line must change, since trying again later cannot help.
    private func missing(from archive: String) async -> Failure {
        let searches = (settings.endpoint ?? NASASource.defaultEndpoint).search
        let held = (try? await ArchiveTransport(folder: archive).recordedSearches(at: searches)) ?? []
        let words = held.prefix(Self.mostWords).map { "'\($0)'" }.joined(separator: ", ")
        let more = held.count > Self.mostWords ? " and others" : ""
        let wanted =
            if query.text.isEmpty {
                "this search"
            } else if held.contains(query.text) {
                "'\(query.text)' with these options"
            } else {
                "'\(query.text)'"
            }
        return .usage(
            "This archive has nothing for \(wanted). It holds: \(words.isEmpty ? "no search" : words)\(more).")
    }

    /// Searches of an archive that a message names.
    private static let mostWords = 8

    // MARK: What is printed

    /// Whether thumbnails are fetched: never for JSON, and to a file or a pipe only when an option asks for them.
    private var showsPictures: Bool {
        settings.showsImages && !settings.printsJSON && (terminal.isTerminal || settings.asksForPictures)
    }

    private func writer(_ layout: ListLayout) -> ListPrinter.Writer {
        guard !settings.printsJSON else { return .json }
        let isPlain = !terminal.isTerminal && !settings.asksForPictures
        let blocks = HalfBlock(
            depth: isPlain ? .monochrome : terminal.color.value, glyphs: terminal.glyphs.value,
            background: settings.background ?? .black)
        return .text(ListComposer(layout, formatter, blocks))
    }

    private func loader(
        _ layout: ListLayout, _ transport: any Transport, _ statistics: Statistics
    ) -> ThumbnailLoader {
        ThumbnailLoader(
            transport: transport, threads: DecodingThreads(), decoder: ImageDecoder(settings),
            isExact: settings.isExact, target: layout.target(pixelAspect: terminal.aspect.value.halfBlockPixel),
            bodyLimit: settings.maxBytes,
            statistics: statistics)
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

    /// Says how much more there is, or that there is nothing.
    private func summarize(_ printed: Int, of total: PhotoPage.Total?, _ console: Console) {
        guard printed > 0 else {
            let what = query.text.isEmpty ? "nothing found" : "nothing found for '\(query.text)'"
            console.remark(settings.page > 1 ? "\(what) on page \(settings.page)" : what)
            return
        }
        switch total {
        case .exact(let all) where all > printed, .estimate(let all) where all > printed:
            console.remark(formatter.count(printed, of: total))
        default: break
        }
    }
}

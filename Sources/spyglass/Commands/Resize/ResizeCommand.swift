import Glibc
import SpyglassBatch
import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
import SpyglassPixels
import SpyglassSandbox
import SpyglassTerminalUI
import SpyglassThreads

/// `spyglass resize FILE|FOLDER|URL... --out DIR`: makes resized files; checks the options before it touches a file.
struct ResizeCommand: Sendable {
    private let settings: Settings
    private let inputs: ResizeInputs
    private let job: BatchJob
    private let output: String
    private let sheet: ContactSheet?
    private let system: SystemServices
    /// The image of standard input, in memory; an error fails its item only.
    private var inputFile: Result<Int32, BatchError>?

    init(_ settings: Settings, _ operands: [Argument], _ system: SystemServices) throws(Failure) {
        let resize = settings.resize
        self.settings = settings
        self.system = system
        inputs = try ResizeInputs(settings, operands)
        guard let output = resize.output else { throw .usage("resize needs an output folder: --out DIR") }
        self.output = output
        try Self.check(output, inputs)
        if resize.manifest == nil, resize.verify != nil || resize.columns != ManifestColumns() {
            throw .usage("--\(resize.verify != nil ? "verify" : "columns") needs a list of images: --manifest FILE")
        }
        if resize.job.focus != .center, resize.job.fit != .cover {
            throw .usage("--focus \(resize.job.focus) chooses what a crop keeps: add --fit cover")
        }
        if output == "-" { try Self.checkStream(resize, inputs, settings.terminal.isTerminal) }
        if resize.manifest == "-", system.input.isTerminal {
            throw .usage("standard input is a terminal; pipe a manifest into it")
        }
        do throws(BatchError) {
            job = try Self.job(settings)
            sheet = try resize.contactSheet.map { (path) throws(BatchError) in try ContactSheet(path: path) }
        } catch { throw Failure(error) }
    }

    /// Refuses the name of an image: results go into a folder.
    private static func check(_ output: String, _ inputs: ResizeInputs) throws(Failure) {
        guard FileKind(extensionOf: output.utf8) != nil, Argument(output).kind != .folder else { return }
        var (remedy, formats) = ("use --out DIR", "")
        if case .operands(let files) = inputs, files.count == 1, files[0].kind != .folder {
            let start = output.lastIndex(of: "/").map { output.index(after: $0) } ?? output.startIndex
            let (folder, name) = (start > output.startIndex ? output[..<start] : ".", output[start...])
            let isName = (try? NameTemplate(parsing: String(name))) != nil
            remedy = "use --out \(folder)" + (isName ? " --name \(name)" : "")
            if !isName { formats = " (.jpg, .png, .webp or .avif)" }
        }
        let problem = "names an image, and results\(formats) go into a folder"
        throw .usage("--out \(output): \(problem); \(remedy), or --out \(output)/ for a folder")
    }

    /// Standard output takes a tar file, or the image of one input in one size.
    private static func checkStream(
        _ resize: ResizeOptions, _ inputs: ResizeInputs, _ isTerminal: Bool
    ) throws(Failure) {
        let stream = "--out - writes to standard output"
        if resize.report == "-" { throw .usage("\(stream), and so does --report -; use --report FILE") }
        if resize.job.isDryRun { throw .usage("\(stream), and so does --dry-run; use --out DIR") }
        if resize.contactSheet != nil { throw .usage("\(stream), and a contact sheet needs files; use --out DIR") }
        if isTerminal { throw .usage("\(stream), which is a terminal; pipe it into a program or a file") }
        if let count = resize.pack {
            guard count == TarPacker.defaultInputs else {
                throw .usage("\(stream), where --pack tar writes one tar file of all; leave out ':\(count)'")
            }
            return
        }
        guard case .operands(let operands) = inputs, operands.count == 1, operands[0].kind != .folder,
            resize.job.sizes.count <= 1
        else { throw .usage("--out - writes one image; add --pack tar to write several") }
    }

    private static func job(_ settings: Settings) throws(BatchError) -> BatchJob {
        var job = settings.resize.job
        if job.sizes.isEmpty { job.sizes = [OutputSize(ResizeOptions.defaultSize)].compactMap(\.self) }
        job.allowsUpscaling = settings.enlarges
        if let color = settings.background { job.background = RGBA(color.red, color.green, color.blue) }
        job.isPacked = settings.resize.pack != nil
        job.hashesSources = job.isPacked || settings.resize.report != nil
        try job.template?.check(job.sizes, job.format)
        let format = job.format == .same ? job.template?.format ?? .same : job.format
        if job.quality == .lossless, format != .webp {
            throw BatchError(.usage, "--quality lossless is for WebP; add --format webp, or use --format png")
        }
        if job.quality != nil, format == .png {
            throw BatchError(
                .usage, "--quality is not for PNG, which is lossless; leave it out, or choose another --format")
        }
        // The lines of a list may name WebP and AVIF files.
        let mayBeNamed = settings.resize.manifest != nil && format == .same
        if job.effort != nil, format != .webp, format != .avif, !mayBeNamed {
            throw BatchError(.usage, "--effort is for WebP and AVIF; add --format webp or --format avif")
        }
        return job
    }

    /// Reads the image of standard input, which is `-` among the operands.
    mutating func readInput() throws(Failure) {
        guard case .operands(let operands) = inputs, operands.contains(where: { $0.text == "-" }) else { return }
        guard !system.input.isTerminal else { throw .usage("standard input is a terminal; pipe an image into it") }
        do throws(FileError) {
            var bytes = try system.input.readAll(limit: settings.pipedBytes, timeout: nil)
            let file = try SharedMemory.sealed { () throws(FileError) in
                defer { bytes = [] }
                return bytes
            }
            inputFile = .success(file.number)
            file.detach()
        } catch {
            inputFile = .failure(BatchError(error.cause == .tooLarge ? .limit : .unreadable, error.message(settings)))
        }
    }

    func run(_ console: Console) async throws -> ExitCode {
        let interruption = system.interruption()
        // Cancelled by a signal, or when the report's reader is gone.
        let stop = Cancellation()
        interruption?.onSignal { stop.cancel() }
        let statistics = Statistics(clock: system.clock)
        let result: Result<ExitCode, any Error>
        do { result = .success(try await make(statistics, stop, interruption, console)) } catch {
            result = .failure(error)
        }
        console.clearProgress()
        console.report(statistics, settings.stats, system)
        interruption?.terminateIfReceived()
        return try result.get()
    }

    private func make(
        _ statistics: Statistics, _ stop: Cancellation, _ interruption: (any Interruption)?, _ console: Console
    ) async throws -> ExitCode {
        if let hint = settings.options.hint { console.note(hint) }
        let transports = try transports(statistics, console)
        let isStream = output == "-"
        let folder =
            try isStream ? nil : job.isDryRun ? OutputFolder.readOnly(at: output) : OutputFolder(path: output)
        defer { folder?.removeTemporaries() }
        let packer = try packer(folder, console)
        // The folder of the sheet may have been created just now.
        if !job.isDryRun { try sheet?.check() }
        let report = try reportWriter(console)
        if case .manifest = inputs { folder?.keepForeignFiles() }
        console.progress("looking for images")
        let services = services(transports)
        let feed = try await feed(into: folder, transports, services.decoder, stop, console)
        let reporter = ResizeReporter(
            console, report, statistics, count: feed.count, printsPlan: job.isDryRun && !reportsOnOutput,
            style: progressStyle, clock: system.clock, onReportClosed: { stop.cancel() })
        let batch = BatchRun(
            job, feed, into: folder, services: services, jobs: jobs,
            transfers: settings.connections ?? Self.defaultTransfers, sheet: sheet, packer: packer
        ) { reporter.receive($0) }
        let work = Task { try await batch.run() }
        let registration = stop.onCancel { work.cancel() }
        let result = await work.result
        withExtendedLifetime(registration) {}
        await transports.finish()
        let hasSignal = interruption?.received != nil
        if let error = reporter.reportError, let failure = Failure(error) {
            // Ctrl-C also ends the report's reader, maybe first; the summary is printed all the same.
            guard hasSignal else { throw error }
            console.error(failure.message)
        }
        if case .search(let query) = inputs, case .failure(let error as FetchError) = result,
            error.kind == .notRecorded
        {
            return try await settings.absence(query, at: .first, from: transports.archive, error).report(to: console)
        }
        if let summary = reporter.summary {
            var error = packer?.streamFailure
            if error == nil, case .failure(let thrown) = result { error = thrown }
            if !hasSignal, let error, let failure = Failure(error) {
                let counts = settings.isQuiet || summary.total == 0 ? "" : "; \(summary.counts)"
                throw Failure(failure.code, failure.message + counts)
            }
            let isEmpty = summary.total == 0 && !summary.isInterrupted && summary.leftOut.isEmpty
            if isEmpty, settings.shard == nil {
                console.note(inputs.nothing)
            } else if !summary.isOneFailure {
                console.note(summary.text)
            }
            if !summary.isInterrupted, !job.isDryRun { noteLeftBehind(packer, console) }
            // The reader of standard output is gone.
            if packer?.streamFailure != nil, !hasSignal { return .someFailed }
            // The report's reader is gone, such as `head`: an error only if images are left.
            if reporter.reportError != nil, !hasSignal {
                return summary.failed + summary.cancelled + (summary.left ?? 0) > 0 ? .someFailed : .success
            }
        }
        return settings.resize.maxFailures.allows(try result.get()) ? .success : .someFailed
    }

    private func noteLeftBehind(_ packer: TarPacker?, _ console: Console) {
        guard let names = packer?.leftBehind(), let first = names.first, let last = names.last else { return }
        let which = names.count == 1 ? first : "\(first) to \(last)"
        let remedy = names.count == 1 ? "remove it" : "remove them"
        console.note(
            "\(output)/\(which): left over from a longer list, with samples that other tar files repeat; \(remedy)")
    }

    /// Writes tar files, or to standard output; `nil` for files of their own.
    private func packer(_ folder: OutputFolder?, _ console: Console) throws(Failure) -> TarPacker? {
        do throws(BatchError) {
            if output == "-" {
                let isImage = settings.resize.pack == nil
                if !isImage { console.note("a tar file on standard output cannot be resumed") }
                return try TarPacker(
                    .stream(
                        { try console.print(TerminalBytes(data: $0)) }, scratch: settings.scratchFolder,
                        isImage: isImage))
            }
            return try settings.resize.pack.map { (count) throws(BatchError) in
                try TarPacker(.folder(folder, inputs: count, isForced: job.isForced), shard: settings.shard)
            }
        } catch { throw Failure(error) }
    }

    /// Concurrent images, limited by open files.
    private var jobs: Int {
        let descriptors = max(DescriptorLimit.raise() - Self.sharedDescriptors, 0)
        return min(settings.jobs ?? ProcessorCount.usable, max(descriptors / Self.descriptorsPerJob, 1))
    }

    /// Open files of the run and its transfers, and of each image (input, output, worker, their folders).
    private static let (sharedDescriptors, descriptorsPerJob) = (60, 8)
    /// Transfers in flight or waiting for a decoder: as many as libcurl has connections.
    static let defaultTransfers = 16

    private func transports(_ statistics: Statistics, _ console: Console) throws(Failure) -> TransportStack {
        try TransportStack(
            settings, system, console, mode: .readOnly,
            through: { network in
                guard let rate = settings.resize.rate else { return network }
                return RateLimitedTransport(network, requestsPerSecond: rate, clock: system.clock)
            },
            onEvent: { event in
                statistics.count(event)
                console.log(event)
            })
    }

    private func services(_ transports: TransportStack) -> BatchServices {
        var services = BatchServices(settings, transports.outermost, clock: system.clock)
        services.openInput.opened = { [inputFile] (path) throws(BatchError) in
            guard path == [UInt8(ascii: "-")], let number = try inputFile?.get() else { return nil }
            do throws(FileError) { return try FileDescriptor(duplicating: number) } catch {
                throw BatchError(.unreadable, "cannot open: \(error.reason)")
            }
        }
        return services
    }

    private func feed(
        into folder: OutputFolder?, _ transports: TransportStack, _ decoder: ImageDecoder, _ stop: Cancellation,
        _ console: Console
    ) async throws -> any BatchFeed {
        switch inputs {
        case .operands(let operands):
            let words = operands.map(\.bytes)
            return try await ThreadPool(count: 1).run { [job, settings] _ in
                // An empty feed, if stopped, lets the run end with a summary.
                ArgumentFeed(
                    words, job, into: folder, shard: settings.shard, decoder: decoder, cancellation: stop
                ) { stop.isCancelled }
            }
        case .manifest("-"):
            return try ManifestFeed(reading: STDIN_FILENO, job, shard: settings.shard, columns: columns)
        case .manifest(let path):
            return try ManifestFeed(path: path, job, shard: settings.shard, columns: columns)
        case .search(let query):
            let source = try settings.photoSource(
                settings.source, clock: system.clock, onWait: { console.note($0) })(transports.outermost)
            return SearchFeed(
                PagedPhotos(query, from: source, startingAt: .first), limit: settings.limit, job, shard: settings.shard)
        }
    }

    private var columns: ManifestColumns {
        var columns = settings.resize.columns
        columns.hash = settings.resize.verify
        return columns
    }

    private var reportsOnOutput: Bool { settings.resize.report == "-" }

    private func reportWriter(_ console: Console) throws(Failure) -> ReportWriter? {
        guard let path = settings.resize.report else { return nil }
        guard !reportsOnOutput else { return ReportWriter(console) }
        return try ReportWriter(path: path, apartFrom: settings.resize.manifest)
    }

    private var progressStyle: BatchProgress.Style {
        guard !settings.isQuiet else { return .none }
        return system.errorsAreTerminal ? .bar : settings.isVerbose ? .lines : .none
    }
}

enum ResizeInputs: Sendable {
    case operands([Argument])
    /// A list in a file; `-` is standard input.
    case manifest(String)
    case search(PhotoQuery)

    /// Says that there is nothing to make.
    var nothing: String {
        switch self {
        case .operands(let folders): "no images in \(folders.count == 1 ? folders[0].text : "these folders")"
        case .manifest("-"): "no images in the list on standard input"
        case .manifest(let path): "no images in \(path)"
        case .search(let query): query.nothingFound
        }
    }

    init(_ settings: Settings, _ operands: [Argument]) throws(Failure) {
        let resize = settings.resize
        if let first = operands.first, resize.manifest ?? resize.search != nil {
            let option = resize.manifest == nil ? "--search" : "--manifest"
            throw .usage("\(first.text) and \(option) cannot be combined: images come from one of them")
        }
        if let path = resize.manifest {
            self = .manifest(path)
        } else if let words = resize.search {
            guard settings.source != .folder else {
                throw .usage("--search does not search folders; name them: spyglass resize FOLDER --out DIR")
            }
            self = .search(try settings.query([Argument(words)]))
        } else {
            guard !operands.isEmpty else {
                throw .usage(
                    "resize needs images: spyglass resize FILE|FOLDER|URL... --out DIR, or --manifest, or --search")
            }
            self = .operands(operands)
        }
    }
}

extension BatchServices {
    /// Services with the limits of the settings, whose errors name this program's options.
    init(_ settings: Settings, _ transport: any Transport, clock: any Clock<Duration>) {
        self.init(decoder: settings.decoder, transport: transport, clock: clock, bodyLimit: settings.limits.bodyBytes)
        decodeMessage = { [limits = settings.limits] in $0.message(within: limits) }
        fetchMessage = { $0.message }
    }
}

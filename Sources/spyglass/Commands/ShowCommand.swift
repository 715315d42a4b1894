import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import SpyglassSandbox
import SpyglassTerminalUI
import SpyglassThreads

/// `spyglass show FILE|URL|-...`: prints images, one after another or as a grid.
///
/// Without operands it reads standard input, if a file or a pipe is connected. For files it starts no task, no thread and
/// no libcurl. An image that fails costs one line; the others continue.
struct ShowCommand: Sendable {
    private let settings: Settings
    private let items: [Item]
    private let system: SystemServices
    private let decoder: ImageDecoder
    private let layout: ShowLayout
    private let target: TargetSize

    private enum Item: Sendable {
        case local(LocalImage)
        case address(WebAddress)
        /// Neither a file nor a URL that may be fetched.
        case invalid(Failure)

        init(_ argument: Argument, isFile: (Argument) -> Bool) {
            if argument.text == "-" {
                self = .local(.standardInput())
            } else if !Self.hasScheme(argument.text) || isFile(argument) {
                self = .local(.file(argument))
            } else {
                do { self = .address(try WebAddress(validating: argument.text)) } catch {
                    // The operand may hold a password, so the message omits it.
                    self = .invalid(Failure(.someFailed, error.description))
                }
            }
        }

        /// Whether a text starts like `https://` (RFC 3986 section 3.1).
        private static func hasScheme(_ text: String) -> Bool {
            guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return false }
            let scheme = text[..<colon]
            return scheme.first?.isLetter == true
                && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        }
    }

    init(_ settings: Settings, _ operands: [Argument], _ system: SystemServices) throws(Failure) {
        if operands.isEmpty {
            guard system.input.isConnected else { throw .usage("show needs an image: spyglass show FILE|URL|-...") }
            items = [.local(.standardInput(isImplied: true))]
        } else {
            items = operands.map { Item($0, isFile: system.isFile) }
        }
        self.settings = settings
        self.system = system
        layout = ShowLayout(settings)
        decoder = settings.decoder
        let drawing = ImageRenderer.Options(settings, settings.pixels.value)
        target = TargetSize(
            box: drawing.pixelBox(for: layout.imageBox), allowsUpscaling: settings.enlarges,
            pixelAspect: drawing.pixelAspect)
    }

    var needsNetwork: Bool {
        items.contains { item in if case .address = item { true } else { false } }
    }

    /// Whether it may wait, so that progress is worth a line.
    var waits: Bool {
        needsNetwork || items.contains { item in if case .local(.standardInput) = item { true } else { false } }
    }

    func run(_ console: Console) throws -> ExitCode {
        let statistics = Statistics(clock: system.clock)
        defer { console.report(statistics, settings.stats, system) }
        let background = lock(console)
        var printer = ImagePrinter(settings, layout, console, statistics) {
            background ?? settings.askedBackground(system)
        }
        for item in items {
            switch item {
            case .local(let image): try print(decoded(image, console) { false }, image.name, &printer)
            case .invalid(let failure): try printer.print(failure)
            case .address: break
            }
        }
        try printer.finish()
        return statistics.exitCode
    }

    /// Gives up all but the inputs and the open terminal, before the first of them is decoded.
    ///
    /// Returns the terminal's background if an image may show it through: it cannot be asked for later.
    private func lock(_ console: Console) -> RGB? {
        guard settings.isSandboxed else { return nil }
        var needs: [DecodingNeeds] = []
        var files: [Argument] = []
        for case .local(let image) in items {
            needs.append(image.needs)
            if case .file(let file) = image { files.append(file) }
        }
        let mayShowBackground = settings.terminal.isTerminal && needs.contains(where: \.mayBeTransparent)
        let background = mayShowBackground ? settings.askedBackground(system) : nil
        if needs.contains(where: \.usesColorManagement) { _ = CodecLibraries.colorManagement }
        if needs.contains(where: \.mayNeedWorker) { settings.delegateWorkers(system) }
        settings.lock(.show, reading: files.map(\.bytes), system, console)
        return background
    }

    /// Prints everything; fetches a few images ahead.
    func runFetching(_ console: Console) async throws -> ExitCode {
        let stack = try PipelineStack(settings, system, console)
        defer { console.report(stack.statistics, settings.stats, system) }
        var printer = ImagePrinter(settings, layout, console, stack.statistics)
        let threads = ThreadPool(count: 1)
        var ahead: [Int: ImageTask] = [:]
        defer { for task in ahead.values { task.cancel() } }
        for (index, item) in items.enumerated() {
            for next in index..<min(index + Self.ahead, items.count) where ahead[next] == nil {
                guard case .address(let address) = items[next] else { continue }
                ahead[next] = stack.pipeline.load(
                    ImageRequest(
                        .address(address, settings.addressTrust), target: target, isExact: settings.isExact,
                        priority: .near))
            }
            switch item {
            case .local(let image):
                let result = try await threads.run { isCancelled in decoded(image, console, isCancelled) }
                try print(result, image.name, &printer)
            case .invalid(let failure): try printer.print(failure)
            case .address(let address):
                guard let task = ahead.removeValue(forKey: index) else { continue }
                task.priority = .visible
                console.progress("fetching \(address)")
                let frame: ImageFrame
                do { frame = try await task.value } catch {
                    try printer.print(Failure(error, of: "\(address)", within: settings.limits))
                    continue
                }
                try printer.print(frame, of: address)
            }
        }
        try printer.finish()
        await stack.finish()
        return stack.statistics.exitCode
    }

    /// Milliseconds of silence of standard input, before a line says that it is read.
    private static let noticeDelay: Int32 = 200
    /// Images that are fetched concurrently, including the next to print.
    private static let ahead = 8

    private func decoded(
        _ image: LocalImage, _ console: Console, _ isCancelled: () -> Bool
    ) -> Result<DecodedImage, Failure> {
        if case .standardInput = image, !system.input.isTerminal, !system.input.isReady(within: Self.noticeDelay) {
            console.progress("waiting for an image on standard input")
        }
        return Result { () throws(Failure) in
            try image.read(settings, system.input) { source throws(Failure) in
                do {
                    return try decoder.decode(source, to: target, isExact: settings.isExact, isCancelled: isCancelled)
                } catch {
                    throw Failure(error, of: image.name, within: settings.limits)
                }
            }
        }
    }

    private func print(
        _ result: Result<DecodedImage, Failure>, _ name: String, _ printer: inout ImagePrinter
    ) throws(TerminalError) {
        switch result {
        case .success(let image): try printer.print(image, name: name)
        case .failure(let failure): try printer.print(failure)
        }
    }
}

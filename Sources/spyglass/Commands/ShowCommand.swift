import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import SpyglassTerminalUI
import SpyglassThreads

/// `spyglass show FILE|URL|-...`: prints pictures, one after another.
///
/// A file starts nothing: no task, no thread, no libcurl. What cannot be printed is said in one line, and the others go on.
struct ShowCommand: Sendable {
    private let settings: Settings
    private let items: [Item]
    private let system: SystemServices
    private let decoder: ImageDecoder
    private let target: TargetSize

    /// What is asked for by one operand.
    private enum Item: Sendable {
        case local(LocalPicture)
        case address(WebAddress)
        /// It is no file, and an address that is never fetched.
        case refused(ItemError)

        init(_ argument: Argument, isFile: (Argument) -> Bool) {
            if argument.text == "-" {
                self = .local(.standardInput)
            } else if !Self.hasScheme(argument.text) || isFile(argument) {
                self = .local(.file(argument))
            } else {
                do {
                    self = .address(try WebAddress(validating: argument.text))
                } catch {
                    // The operand may hold a password, so only the reason is shown.
                    self = .refused(ItemError(error.description, isWhole: true))
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

        /// What messages call it.
        var name: String {
            switch self {
            case .local(let picture): return picture.name
            case .address(let address): return address.description
            case .refused: return ""
            }
        }
    }

    init(_ settings: Settings, _ operands: [Argument], _ system: SystemServices) throws(Failure) {
        guard !operands.isEmpty else { throw .usage("show needs a picture: spyglass show FILE|URL|-...") }
        self.settings = settings
        self.system = system
        items = operands.map { Item($0, isFile: system.isFile) }
        let terminal = settings.terminal
        decoder = ImageDecoder(limits: settings.limits)
        target = TargetSize(
            box: HalfBlock.pixelBox(for: settings.cells ?? terminal.drawingBox), allowsUpscaling: settings.enlarges,
            pixelAspect: terminal.aspect.value.halfBlockPixel)
    }

    /// Whether a task is needed, since something is fetched.
    var needsNetwork: Bool {
        items.contains { item in if case .address = item { true } else { false } }
    }

    /// Prints everything, where nothing is fetched.
    func run(_ console: Console) throws -> ExitCode {
        let statistics = Statistics(clock: system.clock)
        defer { console.report(statistics, settings.stats, system) }
        var printer = PicturePrinter(settings, console, statistics)
        for item in items { try printer.print(local(item) { false }, name: item.name) }
        return printer.code
    }

    /// Prints everything, fetching what has an address.
    ///
    /// A few pictures are on their way while one is printed.
    func runFetching(_ console: Console) async throws -> ExitCode {
        let stack = try PipelineStack(settings, system, console)
        defer { console.report(stack.statistics, settings.stats, system) }
        var printer = PicturePrinter(settings, console, stack.statistics)
        // One picture is printed after the other.
        let threads = ThreadPool(count: 1)
        var ahead: [Int: ImageTask] = [:]
        defer { for task in ahead.values { task.cancel() } }
        for index in items.indices {
            for next in index..<min(index + Self.ahead, items.count) where ahead[next] == nil {
                ahead[next] = request(for: items[next], priority: .near).map(stack.pipeline.load)
            }
            guard let task = ahead.removeValue(forKey: index) else {
                let item = items[index]
                let image = try await threads.run { isCancelled in local(item, isCancelled) }
                try printer.print(image, name: item.name)
                continue
            }
            task.priority = .visible
            console.progress("fetching \(items[index].name)")
            try printer.print(await fetched(task), name: items[index].name)
        }
        await stack.finish()
        return printer.code
    }

    /// Pictures that are fetched at once, the one that is printed next among them.
    private static let ahead = 8

    // MARK: Where the pictures are

    /// What is on this machine, read and decoded; blocks.
    private func local(_ item: Item, _ isCancelled: () -> Bool) -> Result<DecodedImage, ItemError> {
        Result { () throws(ItemError) in
            switch item {
            case .local(let picture):
                try picture.read(settings, system.input) { source throws(ItemError) in
                    try decoded(source, isCancelled)
                }
            case .address: throw ItemError("it must be fetched")
            case .refused(let error): throw error
            }
        }
    }

    /// What the pipeline is asked for; `nil` for what is on this machine.
    private func request(for item: Item, priority: FetchPriority) -> ImageRequest? {
        guard case .address(let address) = item else { return nil }
        return ImageRequest(.address(address), target: target, isExact: settings.isExact, priority: priority)
    }

    private func fetched(_ task: ImageTask) async -> Result<ImageFrame, ItemError> {
        do {
            return .success(try await task.value)
        } catch {
            return .failure(ItemError(error, within: decoder.limits))
        }
    }

    private func decoded(_ source: EncodedImage, _ isCancelled: () -> Bool) throws(ItemError) -> DecodedImage {
        try decoder.picture(source, to: target, isExact: settings.isExact, isCancelled: isCancelled)
    }
}

import SpyglassCodecs
import SpyglassFetching
import SpyglassPixels
import SpyglassTerminalUI
import SpyglassThreads

/// `spyglass show FILE|URL|-...`: prints pictures, one after another.
///
/// A file starts nothing: no task, no thread, no libcurl. What cannot be printed is said in one line, and the others go on.
struct ShowCommand: Sendable {
    private let settings: Settings
    private let items: [Item]
    private let world: World
    private let terminal: TerminalCapabilities
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

    init(_ settings: Settings, _ operands: [Argument], _ world: World) throws(Failure) {
        guard !operands.isEmpty else { throw .usage("show needs a picture: spyglass show FILE|URL|-...") }
        self.settings = settings
        self.world = world
        items = operands.map { Item($0, isFile: world.isFile) }
        terminal = settings.terminal(of: world)
        decoder = ImageDecoder(settings)
        target = TargetSize(
            box: HalfBlock.pixelBox(for: settings.cells ?? terminal.drawingBox), enlarge: settings.enlarges,
            pixelAspect: terminal.aspect.value.halfBlockPixel)
    }

    /// The streams of this run; progress is shown only while something is fetched.
    var console: Console { Console(world, settings, progressOn: needsNetwork ? terminal : nil) }

    /// Whether a task is needed, since something is fetched.
    var needsNetwork: Bool {
        items.contains { item in if case .address = item { true } else { false } }
    }

    /// Prints everything, where nothing is fetched.
    func run(_ console: Console) throws -> ExitCode {
        let statistics = Statistics(clock: world.clock)
        defer { console.report(statistics, settings.stats, world) }
        var printer = PicturePrinter(settings, terminal, console, statistics)
        for item in items { try printer.print(local(item) { false }, name: item.name) }
        return printer.code
    }

    /// Prints everything, fetching what has an address.
    func runFetching(_ console: Console) async throws -> ExitCode {
        let statistics = Statistics(clock: world.clock)
        defer { console.report(statistics, settings.stats, world) }
        var printer = PicturePrinter(settings, terminal, console, statistics)
        let transport = settings.transport(of: world, replaying: settings.replayed, counting: statistics)
        // One picture is printed after the other.
        let threads = WorkerThreads(count: 1)
        for item in items {
            let image =
                if case .address(let address) = item {
                    await fetched(address, transport, threads, console)
                } else {
                    try await threads.run { isCancelled in local(item, isCancelled) }
                }
            try printer.print(image, name: item.name)
        }
        return printer.code
    }

    // MARK: Where the pictures are

    /// What is on this machine, read and decoded; blocks.
    private func local(_ item: Item, _ isCancelled: () -> Bool) -> Result<DecodedImage, ItemError> {
        Result { () throws(ItemError) in
            switch item {
            case .local(let picture):
                try picture.read(settings, world.input) { source throws(ItemError) in
                    try decoded(source, isCancelled)
                }
            case .address: throw ItemError("it must be fetched")
            case .refused(let error): throw error
            }
        }
    }

    private func fetched(
        _ address: WebAddress, _ transport: any Transport, _ threads: WorkerThreads, _ console: Console
    ) async -> Result<DecodedImage, ItemError> {
        console.progress("fetching \(address)")
        do {
            return .success(
                try await transport.picture(at: address, limit: settings.maxBytes) { bytes throws(ItemError) in
                    let result = try? await threads.run { isCancelled in
                        Result { () throws(ItemError) in try decoded(.bytes(bytes), isCancelled) }
                    }
                    guard let image = try result?.get() else { throw ItemError("it is no longer wanted") }
                    return image
                })
        } catch {
            return .failure(error)
        }
    }

    private func decoded(_ source: EncodedImage, _ isCancelled: () -> Bool) throws(ItemError) -> DecodedImage {
        try decoder.picture(source, to: target, isExact: settings.isExact, isCancelled: isCancelled)
    }
}

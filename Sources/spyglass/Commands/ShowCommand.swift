import Glibc
import SpyglassCodecs
import SpyglassFetching
import SpyglassPixels
import SpyglassTerminalUI

/// `spyglass show FILE|URL|-...`: prints pictures, one after another.
///
/// A file starts nothing: no task, no thread, no libcurl. What cannot be printed is said in one line, and the others go on.
struct ShowCommand: Sendable {
    private let settings: Settings
    private let items: [Item]
    private let world: World

    /// What is asked for by one operand.
    private enum Item: Sendable {
        case standardInput
        case address(WebAddress)
        case file(Argument)

        init(_ argument: Argument) {
            if argument.text == "-" {
                self = .standardInput
            } else if let address = WebAddress(argument.text) {
                self = .address(address)
            } else {
                self = .file(argument)
            }
        }

        /// What messages call it.
        var name: String {
            switch self {
            case .standardInput: return "standard input"
            case .address(let address): return address.description
            case .file(let argument): return argument.text
            }
        }
    }

    init(_ settings: Settings, _ operands: [Argument], _ world: World) throws(Failure) {
        guard !operands.isEmpty else { throw .usage("show needs a picture: spyglass show FILE|URL|-...") }
        self.settings = settings
        self.items = operands.map(Item.init)
        self.world = world
    }

    /// The streams of this run.
    var console: Console { Console(world, settings, progressOn: settings.terminal(of: world)) }

    /// Whether a task is needed, since something is fetched.
    var needsNetwork: Bool {
        items.contains { item in if case .address = item { true } else { false } }
    }

    /// Prints everything, where nothing is fetched.
    func run(_ console: Console) throws -> ExitCode {
        var printer = PicturePrinter(settings, world, console)
        for item in items { try printLocal(item, &printer) }
        return printer.end()
    }

    /// Prints everything, fetching what has an address.
    ///
    /// Pictures are decoded on the task that calls: it has nothing else to do but to wait for the next one.
    func runFetching(_ console: Console) async throws -> ExitCode {
        var printer = PicturePrinter(settings, world, console)
        let transport = settings.transport(of: world, counting: printer.statistics)
        for item in items {
            guard case .address(let address) = item else {
                try printLocal(item, &printer)
                continue
            }
            console.progress("fetching \(address)")
            let source = await fetched(address, transport)
            try printer.print(source, name: item.name)
        }
        return printer.end()
    }

    // MARK: Where the bytes are

    /// Prints what is on this machine, or says why not.
    private func printLocal(_ item: Item, _ printer: inout PicturePrinter) throws(StreamError) {
        guard case .file(let name) = item, !name.isUTF8, !NamedPipe.isPipe(name) else {
            return try printer.print(local(item), name: item.name)
        }
        // A name that is not UTF-8 is opened here, and read by the name that the kernel gives every open file
        // (proc_pid_fd(5)).
        let descriptor = name.withPath { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        defer { if descriptor >= 0 { close(descriptor) } }
        let source: Result<EncodedImage, ItemError> =
            descriptor >= 0 ? .success(.file("/proc/self/fd/\(descriptor)")) : .failure(ItemError(.ofSystem, settings))
        try printer.print(source, name: item.name)
    }

    /// The bytes of what is on this machine, or why there are none.
    private func local(_ item: Item) -> Result<EncodedImage, ItemError> {
        do throws(ReadError) {
            switch item {
            case .address: return .failure(ItemError("it must be fetched"))
            case .standardInput:
                guard !world.input.isTerminal else {
                    return .failure(ItemError("it is a terminal; pipe a picture into it"))
                }
                return .success(.bytes(try world.input.readAll(limit: settings.maxBytes)))
            case .file(let name):
                guard NamedPipe.isPipe(name) else { return .success(.file(name.text)) }
                return .success(
                    .bytes(try NamedPipe.readAll(name, limit: settings.maxBytes, patience: settings.timeout)))
            }
        } catch {
            return .failure(ItemError(error, settings))
        }
    }

    private func fetched(
        _ address: WebAddress, _ transport: any Transport
    ) async -> Result<EncodedImage, ItemError> {
        do {
            let request = FetchRequest(address, accept: ThumbnailLoader.accepted, bodyLimit: settings.maxBytes)
            let response = try await transport.fetch(request)
            guard (200...299).contains(response.status) else {
                return .failure(ItemError("the server answered \(response.status)"))
            }
            return .success(.bytes(response.body))
        } catch let error as FetchError {
            return .failure(ItemError(error.description, isWhole: true))
        } catch {
            return .failure(ItemError("\(error)"))
        }
    }
}

/// Why one of several things could not be shown.
struct ItemError: Error, Hashable, Sendable {
    let reason: String
    /// Whether the reason says already where it happened.
    let isWhole: Bool

    init(_ reason: String, isWhole: Bool = false) {
        self.reason = reason
        self.isWhole = isWhole
    }

    init(_ error: ReadError, _ settings: Settings) {
        switch error {
        case .tooLarge:
            self.init("it has more than \(Values.grouped(settings.maxBytes)) bytes (raise the limit with --max-bytes)")
        case .stalled: self.init("nothing came, and --timeout is \(settings.timeout) s")
        case .failed(let reason): self.init(reason)
        }
    }

    /// The line for people.
    func message(_ name: String) -> String { isWhole ? reason : "\(name): \(reason)" }
}

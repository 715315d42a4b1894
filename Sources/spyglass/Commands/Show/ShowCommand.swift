import SpyglassBrowser
import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
import SpyglassPipeline
import SpyglassPixels
import SpyglassSandbox
import SpyglassTerminalUI
import SpyglassThreads

/// `spyglass show FILE|URL|-...`: prints images, one after another or as a grid.
///
/// Without operands it reads standard input, if a file or a pipe is connected. For files it starts no task, no thread and
/// no libcurl, unless an animation plays. An image that fails prints one line; the others continue.
struct ShowCommand: Sendable {
    private let settings: Settings
    private let system: SystemServices
    private let items: [Item]
    private let decoder: ImageDecoder
    private let layout: ShowLayout
    private let target: TargetSize
    /// Whether animations play: on a terminal, without a grid.
    private let plays: Bool
    /// The frame of `--frame`, if it is not the first, which needs no search.
    private let laterFrame: Int?
    /// How often animations play; `nil`: as their files state.
    private let loops: Int?

    private enum Item: Sendable {
        case local(LocalImage)
        case address(WebAddress)
        /// A URL that may not be fetched.
        case invalid(Failure)

        var name: String {
            switch self {
            case .local(let image): image.name
            case .address(let address): "\(address)"
            case .invalid: ""
            }
        }

        init(_ argument: Argument) {
            if argument.text == "-" {
                self = .local(.standardInput())
            } else if !Self.hasScheme(argument.text) || argument.isFile {
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
            items = operands.map(Item.init)
        }
        self.settings = settings
        self.system = system
        layout = ShowLayout(settings)
        decoder = settings.decoder
        let drawing = ImageRenderer.Options(settings, settings.pixels.value)
        target = drawing.target(for: layout.imageBox, allowsUpscaling: settings.enlarges)
        laterFrame = settings.frame.flatMap { $0 > 1 ? $0 : nil }
        plays =
            settings.frame == nil && settings.grid == nil && settings.terminal.isTerminal
            && system.outputScreen { _ in } != nil
        // Only a key ends an endless animation.
        loops = settings.loops ?? (items.count == 1 && system.input.isTerminal ? nil : 1)
    }

    private var needsNetwork: Bool { items.contains { item in if case .address = item { true } else { false } } }

    /// Whether the command fetches or plays.
    var needsTasks: Bool { needsNetwork || plays && items.contains(where: mayMove) }

    /// Whether an item may be an animation; counts the frames of a file without a library, since nothing is locked yet.
    private func mayMove(_ item: Item) -> Bool {
        switch item {
        case .local(.file(let name)) where !name.isPipe:
            (try? LocalImage.file(name).read(settings, system.input) { source throws(Failure) in
                (try? decoder.format(of: source).mayMove) == true
                    && ((try? decoder.frameCount(of: source, upTo: 2)) ?? 1) > 1
            }) ?? false
        case .local: true
        case .address, .invalid: false
        }
    }

    func run(_ console: Console) throws -> ExitCode {
        let statistics = Statistics(clock: system.clock)
        defer { console.report(statistics, settings.stats, system) }
        var printer = ImagePrinter(settings, layout, console, statistics, background: prepare(console))
        for item in items {
            do {
                switch item {
                case .local(let image):
                    let decoded = try read(image, console) { source throws(Failure) in
                        try self.decoded(source, image.name)
                    }
                    try printer.print(decoded, name: image.name)
                case .invalid(let failure): throw failure
                case .address: break
                }
            } catch let failure as Failure { try printer.print(failure) }
        }
        try printer.finish()
        return statistics.exitCode
    }

    /// Gives up all but the inputs and the open terminal, before the first input is decoded.
    ///
    /// Returns the terminal's background, which it asks for first if an image may show it.
    private func prepare(_ console: Console) -> RGB? {
        var needs: [DecodingNeeds] = []
        var files: [Argument] = []
        for case .local(let image) in items {
            needs.append(image.needs)
            if case .file(let file) = image { files.append(file) }
        }
        let isKnown = settings.background != nil || settings.terminal.support.answers.background != nil
        // Kitty and iTerm2 receive transparent pixels.
        let asks = settings.terminal.isTerminal && !isKnown && ![.kitty, .iterm2].contains(settings.pixels.value)
        let background = asks && needs.contains(where: \.mayBeTransparent) ? settings.askedBackground(system) : nil
        guard settings.isSandboxed else { return background }
        if needs.contains(where: \.usesColorManagement) { _ = CodecLibraries.colorManagement }
        if settings.workers != nil, needs.contains(where: \.mayNeedWorker) {
            system.launcher?.delegate(memoryBytes: settings.workMemory.limit)
        }
        if let report = system.lock(.show, files.map(\.bytes)) { console.verbose("locked: \(report)") }
        return background
    }

    /// Prints everything, and plays animations; fetches a few images ahead.
    func runInTasks(_ console: Console) async throws -> ExitCode {
        let stack = needsNetwork ? try PipelineStack(settings, system, console) : nil
        let statistics = stack?.statistics ?? Statistics(clock: system.clock)
        defer { console.report(statistics, settings.stats, system) }
        var printer = ImagePrinter(settings, layout, console, statistics)
        let threads = ThreadPool(count: 1)
        let player = ShowPlayer(settings, system, threads)
        var ahead: [Int: ImageTask] = [:]
        defer { for task in ahead.values { task.cancel() } }
        for (index, item) in items.enumerated() {
            for next in index..<min(index + Self.ahead, items.count) where ahead[next] == nil {
                guard case .address(let address) = items[next] else { continue }
                ahead[next] = stack?.pipeline.load(request(for: address))
            }
            do {
                switch item {
                case .local(let image):
                    switch try await threads.run({ _ in try openFrames(image, console) }) {
                    case .still(let decoded): try printer.print(decoded, name: image.name)
                    case .moving(let animation):
                        let last = try await play(animation, image.name, title: image.name, by: player, console)
                        try printer.print(last, name: image.name)
                    }
                case .invalid(let failure): throw failure
                case .address(let address):
                    guard let stack, let task = ahead.removeValue(forKey: index) else { continue }
                    task.priority = .visible
                    console.progress("fetching \(address)")
                    let frame = try await task.value
                    if let image = try await playOrPickFrame(of: frame, address, stack.pipeline, player, console) {
                        try printer.print(image, of: address)
                    } else {
                        try printer.print(frame, of: address)
                    }
                }
            } catch let error as TerminalError { throw error } catch {
                try printer.print(error as? Failure ?? Failure(error, of: item.name, within: settings.limits))
            }
        }
        try printer.finish()
        await stack?.finish()
        return statistics.exitCode
    }

    private func request(for address: WebAddress) -> ImageRequest {
        var request = ImageRequest(.address(address, settings.addressTrust), target: target, priority: .near)
        request.findsAnimation = plays || laterFrame != nil
        return request
    }

    private enum Opened: Sendable {
        case still(DecodedImage)
        case moving(AnimationReader)
    }

    /// Opens an animation that plays; decodes everything else.
    private func openFrames(_ image: LocalImage, _ console: Console) throws(Failure) -> Opened {
        try read(image, console) { source throws(Failure) in
            // The first frame of a broken animation may still be decoded.
            if plays, let animation = try? AnimationReader(opening: source, to: target, by: decoder) {
                return .moving(animation)
            }
            return .still(try decoded(source, image.name))
        }
    }

    /// Plays an animation; returns the image that was last on the screen.
    private func play(
        _ animation: AnimationReader, _ name: String, title: String, by player: ShowPlayer, _ console: Console
    ) async throws(Failure) -> DecodedImage {
        console.clearProgress()
        do {
            let caption = settings.caption?.text(of: animation.info, title: title)
            let pixels = try await player.play(animation, caption: caption, loops: loops)
            return DecodedImage(pixels: pixels, info: animation.info)
        } catch { throw Failure(error, of: name, within: settings.limits) }
    }

    /// Plays a fetched animation, or finds the frame of `--frame`; `nil` for a still image.
    private func playOrPickFrame(
        of frame: ImageResponse, _ address: WebAddress, _ pipeline: ImagePipeline, _ player: ShowPlayer,
        _ console: Console
    ) async throws -> DecodedImage? {
        guard plays || laterFrame != nil else { return nil }
        let format = frame.image.info.format
        let animation = format.mayMove ? try await pipeline.animation(for: request(for: address), of: frame) : nil
        if let number = laterFrame {
            return try Self.frame(number, of: animation, format, named: "\(address)") ?? frame.image
        }
        guard let animation else { return nil }
        return try await play(animation, "\(address)", title: address.title, by: player, console)
    }

    /// A frame by its number; `nil` for the only one of a still image.
    private static func frame(
        _ number: Int, of animation: AnimationReader?, _ format: @autoclosure () -> ImageFormat?, named name: String
    ) throws -> DecodedImage? {
        guard let animation else {
            guard number > 1 else { return nil }
            let hasPages = format().map { $0 == .tiff || $0.mayHavePages } ?? false
            let reason = hasPages ? "only the first page is read" : "a still image"
            throw Failure(.someFailed, "\(name): no frame \(number): \(reason); use --frame 1")
        }
        let (pixels, count) = try animation.frame(number)
        guard let pixels else {
            throw Failure(.someFailed, "\(name): no frame \(number): the last one is \(count); use --frame \(count)")
        }
        return DecodedImage(pixels: pixels, info: animation.info)
    }

    /// Milliseconds without a byte on standard input before a line says that it is read.
    private static let noticeDelay: Int32 = 200
    /// Images fetched concurrently, including the next to print.
    private static let ahead = 8

    private func read<Value>(
        _ image: LocalImage, _ console: Console, _ body: (EncodedImage) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        if case .standardInput = image, !system.input.isTerminal, !system.input.isReady(within: Self.noticeDelay) {
            console.progress("waiting for an image on standard input")
        }
        return try image.read(settings, system.input, body)
    }

    /// The image, or the frame of `--frame`.
    private func decoded(_ source: EncodedImage, _ name: String) throws(Failure) -> DecodedImage {
        do {
            if let number = laterFrame {
                let format = try? decoder.format(of: source)
                if format?.mayHavePages == true { return try page(number, of: source, name) }
                let animation = try AnimationReader(opening: source, to: target, by: decoder)
                if let image = try Self.frame(number, of: animation, format, named: name) { return image }
            }
            return try decoder.decode(source, to: target)
        } catch { throw error as? Failure ?? Failure(error, of: name, within: settings.limits) }
    }

    private func page(_ number: Int, of source: EncodedImage, _ name: String) throws -> DecodedImage {
        let count = try decoder.frameCount(of: source, upTo: number)
        guard number <= count else {
            throw Failure(.someFailed, "\(name): no page \(number): the last one is \(count); use --frame \(count)")
        }
        return try decoder.at(page: number - 1).decode(source, to: target)
    }
}

/// An image file, pipe or standard input of this machine.
enum LocalImage: Hashable, Sendable {
    /// `isImplied`: not named, so that it times out if no byte comes.
    case standardInput(isImplied: Bool = false)
    case file(Argument)

    var name: String {
        switch self {
        case .standardInput: "standard input"
        case .file(let argument): argument.text.isEmpty ? "''" : argument.text
        }
    }

    /// Calls `body` with the input of the decoder; blocks while a pipe is read.
    func read<Value>(
        _ settings: Settings, _ input: any ByteSource, _ body: (EncodedImage) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        if let bytes = try bytes(settings, input) { return try body(.bytes(bytes)) }
        guard case .file(let argument) = self else { throw failure("already read; name it once") }
        guard argument.kind != .folder else {
            throw Failure(.someFailed, "\(name) is a folder; try: spyglass \(name)")
        }
        guard !argument.isUTF8 else { return try body(.file(argument.text)) }
        // The kernel has a UTF-8 name for every open file (proc_pid_fd(5)).
        let file: FileDescriptor
        do throws(FileError) { file = try Folder.working.open(argument) } catch { throw failure(error.reason) }
        return try body(.file("/proc/self/fd/\(file.number)"))
    }

    /// The content of an input that can be read only once; `nil` for a file.
    private func bytes(_ settings: Settings, _ input: any ByteSource) throws(Failure) -> [UInt8]? {
        if case .standardInput = self, input.isTerminal { throw failure("a terminal; pipe an image into it") }
        do throws(FileError) {
            switch self {
            case .standardInput(let isImplied):
                return try input.readAll(limit: settings.pipedBytes, timeout: isImplied ? settings.timeout : nil)
            case .file(let name):
                guard name.isPipe else { return nil }
                return try Folder.working.open(name).readAll(limit: settings.pipedBytes, timeout: settings.timeout)
            }
        } catch { throw failure(error.message(settings)) }
    }

    /// Guesses from the first bytes of a regular file which libraries decoding needs.
    var needs: DecodingNeeds {
        // Opening a pipe would wake its writer, opening a device may start it.
        guard case .file(let name) = self, name.kind == .regular, let file = try? Folder.working.openRegular(name)
        else { return .unknown }
        return DecodingNeeds { count in try? file.bytes(count) }
    }

    private func failure(_ reason: String) -> Failure { Failure(.someFailed, "\(name): \(reason)") }
}

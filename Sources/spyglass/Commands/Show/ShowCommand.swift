import SpyglassBrowser
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
/// no libcurl, unless an animation plays. An image that fails costs one line; the others continue.
struct ShowCommand: Sendable {
    private let settings: Settings
    private let items: [Item]
    private let system: SystemServices
    private let decoder: ImageDecoder
    private let layout: ShowLayout
    private let target: TargetSize
    /// Whether animations play: on a terminal, alone.
    private let plays: Bool
    /// The frame to find in an animation; the first one needs no search.
    private let laterFrame: Int?
    /// How often they play; `nil`: as their files state.
    private let loops: Int?

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
        laterFrame = settings.frame.flatMap { $0 > 1 ? $0 : nil }
        plays =
            settings.frame == nil && settings.grid == nil
            && settings.terminal.isTerminal
            && system.outputScreen { _ in } != nil
        // Only a key ends an endless one.
        loops = settings.loops ?? (items.count == 1 && system.input.isTerminal ? nil : 1)
    }

    private var needsNetwork: Bool {
        items.contains { item in if case .address = item { true } else { false } }
    }

    /// True if the command fetches or plays.
    var needsTasks: Bool { needsNetwork || plays && items.contains(where: mayMove) }

    /// Whether an item may be an animation; of a file it is counted without a library, since nothing is locked yet.
    private func mayMove(_ item: Item) -> Bool {
        switch item {
        case .local(.file(let name)) where !NamedPipe.isPipe(name):
            (try? LocalImage.file(name).read(settings, system.input) { source throws(Failure) in
                ((try? decoder.frameCount(of: source, upTo: 2)) ?? 1) > 1
            }) ?? false
        case .local: true
        case .address, .invalid: false
        }
    }

    /// True if the command may wait, so that progress is worth a line.
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
            case .local(let image):
                let decoded: DecodedImage
                do throws(Failure) {
                    decoded = try reading(image, console) { source throws(Failure) in
                        try self.decoded(source, image.name)
                    }
                } catch {
                    try printer.print(error)
                    continue
                }
                try printer.print(decoded, name: image.name)
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
            switch item {
            case .local(let image):
                switch try await threads.run({ _ in opened(image, console) }) {
                case .still(let result): try print(result, image.name, &printer)
                case .moving(let animation):
                    console.clearProgress()
                    try print(
                        await played(animation, image.name, title: image.name, by: player), image.name, &printer)
                }
            case .invalid(let failure): try printer.print(failure)
            case .address(let address):
                guard let stack, let task = ahead.removeValue(forKey: index) else { continue }
                task.priority = .visible
                console.progress("fetching \(address)")
                do {
                    let frame = try await task.value
                    if let image = try await moved(frame, address, stack.pipeline, player, console) {
                        try printer.print(image, of: address)
                    } else {
                        try printer.print(frame, of: address)
                    }
                } catch let error as TerminalError { throw error } catch {
                    try printer.print(Failure(error, of: "\(address)", within: settings.limits))
                }
            }
        }
        try printer.finish()
        await stack?.finish()
        return statistics.exitCode
    }

    private func request(for address: WebAddress) -> ImageRequest {
        var request = ImageRequest(
            .address(address, settings.addressTrust), target: target, priority: .near)
        request.findsAnimation = plays || laterFrame != nil
        return request
    }

    // MARK: Animations

    private enum Opened: Sendable {
        case still(Result<DecodedImage, Failure>)
        case moving(AnimationReader)
    }

    /// Opens an animation that plays; decodes everything else.
    private func opened(_ image: LocalImage, _ console: Console) -> Opened {
        do throws(Failure) {
            return try reading(image, console) { source throws(Failure) in
                // Where it cannot be opened, its first frame may be decoded.
                if plays, let animation = try? AnimationReader(opening: source, to: target, by: decoder) {
                    return .moving(animation)
                }
                return .still(.success(try decoded(source, image.name)))
            }
        } catch {
            return .still(.failure(error))
        }
    }

    /// Plays an animation; returns what was last on the screen.
    private func played(
        _ animation: AnimationReader, _ name: String, title: String, by player: ShowPlayer
    ) async -> Result<DecodedImage, Failure> {
        do {
            let caption = settings.caption?.text(of: animation.info, title: title)
            let pixels = try await player.play(animation, caption: caption, loops: loops)
            return .success(DecodedImage(pixels: pixels, info: animation.info))
        } catch {
            return .failure(Failure(error, of: name, within: settings.limits))
        }
    }

    /// Plays an image that was fetched, or finds the frame that is wanted; `nil` for a still image.
    private func moved(
        _ frame: ImageFrame, _ address: WebAddress, _ pipeline: ImagePipeline, _ player: ShowPlayer,
        _ console: Console
    ) async throws -> DecodedImage? {
        guard plays || laterFrame != nil else { return nil }
        let animation =
            frame.image.info.format.mayMove ? try await pipeline.animation(for: request(for: address), of: frame) : nil
        if let number = laterFrame {
            return try Self.frame(number, of: animation, frame.image.info.format, named: "\(address)") ?? frame.image
        }
        guard let animation else { return nil }
        console.clearProgress()
        return try await played(animation, "\(address)", title: address.title, by: player).get()
    }

    /// A frame by its number; `nil` for the only one of a still image.
    private static func frame(
        _ number: Int, of animation: AnimationReader?, _ format: @autoclosure () -> ImageFormat?, named name: String
    ) throws -> DecodedImage? {
        guard let animation else {
            guard number > 1 else { return nil }
            let reason = format() == .tiff ? "only the first page is read" : "a still image"
            throw Failure(.someFailed, "\(name): no frame \(number): \(reason); use --frame 1")
        }
        let (pixels, count) = try animation.frame(number)
        guard let pixels else {
            throw Failure(.someFailed, "\(name): no frame \(number): the last one is \(count); use --frame \(count)")
        }
        return DecodedImage(pixels: pixels, info: animation.info)
    }

    // MARK: Decoding

    /// Milliseconds of silence of standard input, before a line says that it is read.
    private static let noticeDelay: Int32 = 200
    /// Images that are fetched concurrently, including the next to print.
    private static let ahead = 8

    private func reading<Value>(
        _ image: LocalImage, _ console: Console, _ body: (EncodedImage) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        if case .standardInput = image, !system.input.isTerminal, !system.input.isReady(within: Self.noticeDelay) {
            console.progress("waiting for an image on standard input")
        }
        return try image.read(settings, system.input, body)
    }

    /// The image, or the frame that is wanted.
    private func decoded(_ source: EncodedImage, _ name: String) throws(Failure) -> DecodedImage {
        do {
            if let number = laterFrame {
                let animation = try AnimationReader(opening: source, to: target, by: decoder)
                let image = try Self.frame(
                    number, of: animation, try? decoder.format(of: source), named: name)
                if let image { return image }
            }
            return try decoder.decode(source, to: target)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(error, of: name, within: settings.limits)
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

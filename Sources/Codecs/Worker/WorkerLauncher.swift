internal import SpyglassFiles
internal import SpyglassSandbox
internal import SpyglassThreads

/// Starts processes that decode images for this one.
///
///     struct OwnLauncher: WorkerLauncher {
///         func start(memoryBytes: Int) throws(CodecError) -> WorkerProcess { ... }
///     }
///     let decoder = ImageDecoder(workers: WorkerPool(launcher: OwnLauncher(), count: 2))
///
/// The started program has one end of a socket (`AF_UNIX`, `SOCK_SEQPACKET`) and calls `DecodeWorker.run`.
package protocol WorkerLauncher: Sendable {
    /// Starts a worker; may block for a few milliseconds.
    ///
    /// - Parameter memoryBytes: the memory that it may use for images.
    /// - Returns: the process.
    /// - Throws: `CodecError`, if it cannot be started.
    func start(memoryBytes: Int) throws(CodecError) -> WorkerProcess
}

/// A started worker: its socket, and how to end it.
package struct WorkerProcess: Sendable {
    /// The other end of its socket, which the pool closes.
    package let socket: Int32
    /// The name of the started program, for messages.
    package let program: String
    /// Ends it (SIGKILL), waits for its end, and returns how it ended.
    package let end: @Sendable () -> WorkerExit

    /// A process whose socket the pool owns from now on.
    package init(socket: Int32, program: String = "this program", end: @escaping @Sendable () -> WorkerExit) {
        (self.socket, self.program, self.end) = (socket, program, end)
    }
}

/// How a worker ended.
package enum WorkerExit: Hashable, Sendable {
    /// With an exit code.
    case code(Int32)
    /// By a signal; SIGKILL also if `WorkerProcess.end` sent it.
    case signal(Int32)
    /// Nothing is known of its end.
    case unknown

    /// Converts a wait status (`waitpid`).
    package init(waitStatus status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .code(status >> 8 & 0xFF) : .signal(signal)
    }

    /// Whether something other than its own code ended it: SIGKILL or SIGTERM, such as those of a system without memory.
    var isKill: Bool { [.signal(9), .signal(15), .unknown].contains(self) }

    /// `signal 4` or `exit code 2`.
    var words: String {
        switch self {
        case .code(let code): "exit code \(code)"
        case .signal(let signal): "signal \(signal)"
        case .unknown: "for an unknown reason"
        }
    }
}

/// A library that a worker opens before it locks itself.
package enum WorkerLibrary: String, Hashable, Sendable, CaseIterable {
    /// None: libjpeg-turbo and libpng are linked, the other formats are decoded in Swift. Every worker has these.
    case builtIn
    /// libwebp and libwebpdemux.
    case webp
    /// libheif.
    case heif
    /// libavif.
    case avif
    /// libtiff.
    case tiff
    /// libjxl.
    case jxl

    /// Opens the library (`dlopen`), with all that it opens later by itself; further calls cost nothing.
    ///
    /// - Throws: `CodecError` of kind `unsupported` that names the package to install.
    func load() throws(CodecError) {
        switch self {
        case .builtIn: break
        case .webp: _ = try WebPLibrary.system.get()
        case .heif: _ = try HEIFLibrary.system.get()
        case .avif: _ = try AVIFLibrary.version.get()
        case .tiff: _ = try TIFFLibrary.system.get()
        case .jxl: _ = try JXLLibrary.system.get()
        }
    }

    /// Opens the library, and checks that it can encode.
    func loadToEncode() throws(CodecError) {
        if self == .avif { _ = try AVIFLibrary.encoder.get() } else { try load() }
    }

    /// Opens the library; false if it cannot be opened.
    package var isInstalled: Bool { (try? load()) != nil }

    /// Whether the library starts threads: without them, libde265 and dav1d inside libheif wait for ever.
    var usesThreads: Bool { self == .heif }

    /// The libraries with their versions, or why they are missing, for reports; opens them.
    package var versions: [(name: String, version: Result<String, CodecError>)] {
        switch self {
        case .builtIn: []
        case .webp:
            [
                ("libwebp", WebPLibrary.system.map(\.version)),
                // Without libwebp it is not looked for: each names its own package.
                ("libwebpdemux", WebPLibrary.system.mapError { _ in WebPLibrary.missingDemux }.flatMap(\.demuxVersion)),
            ]
        case .heif: [("libheif", HEIFLibrary.system.map(\.version))]
        case .avif: [("libavif", AVIFLibrary.version)]
        case .tiff: [("libtiff", TIFFLibrary.system.map(\.version))]
        case .jxl: [("libjxl", JXLLibrary.system.map(\.version))]
        }
    }

    /// The error of a missing library, with its Debian package.
    static func missing(_ package: String, for user: String) -> CodecError {
        CodecError(.unsupported, "\(user) \(package): apt install \(package)")
    }
}

/// The libraries of one worker: one that decodes, and one that encodes files.
package struct WorkerLibraries: Hashable, Sendable {
    package var decoder: WorkerLibrary
    package var encoder: WorkerLibrary

    package init(_ decoder: WorkerLibrary, encoder: WorkerLibrary = .builtIn) {
        (self.decoder, self.encoder) = (decoder, encoder)
    }

    /// Opens both; throws as `WorkerLibrary.load`.
    func load() throws(CodecError) {
        try encoder.loadToEncode()
        try decoder.load()
    }

    /// Whether a worker with these has others, too; every worker has what is built in.
    func include(_ wanted: WorkerLibraries) -> Bool {
        [decoder, .builtIn].contains(wanted.decoder) && [decoder, encoder, .builtIn].contains(wanted.encoder)
    }
}

/// Starts a program as a worker, with an empty environment and one socket.
package struct ExecutableLauncher: WorkerLauncher {
    package static let thisProgram = "/proc/self/exe"

    private let path: String

    package init(path: String) { self.path = path }

    package static func arguments(_ memoryBytes: Int) -> [String] { [DecodeWorker.argument, "\(memoryBytes)"] }

    package func start(memoryBytes: Int) throws(CodecError) -> WorkerProcess {
        // Its program runs from the start again; each run would start workers of its own.
        guard CommandLine.arguments.dropFirst().first != DecodeWorker.argument else {
            throw CodecError(.library, "a worker starts no workers; \(DecodeWorker.remedy)")
        }
        do throws(FileError) {
            let (ours, theirs) = try MessageSocket.pair()
            let one = FileDescriptor(owning: ours)
            let other = FileDescriptor(owning: theirs)
            let process = try ChildProcess.spawn(path, Self.arguments(memoryBytes), socket: other.number)
            one.detach()
            let program = path == Self.thisProgram ? "this program" : path
            return WorkerProcess(socket: ours, program: program) {
                ChildProcess.end(process).map { WorkerExit(waitStatus: $0) } ?? .unknown
            }
        } catch { throw CodecError(.library, "cannot start the worker \(path): \(error.reason)") }
    }
}

extension WorkerPool {
    /// Workers that are this program again; it calls `DecodeWorker.runIfRequested()` first of all.
    ///
    ///     DecodeWorker.runIfRequested()
    ///     let workers = WorkerPool.currentExecutable(count: 2, deadline: .seconds(20))
    ///
    /// They decode every format, so that no file can harm this process. Starts nothing. An image fails with an error of kind
    /// `library` if the program does not answer as a worker.
    ///
    /// - Parameters:
    ///   - count: the maximum number of workers; by default as many as this process may use processors.
    ///   - deadline: the time that an image may take.
    /// - Returns: the pool.
    public static func currentExecutable(count: Int? = nil, deadline: Duration = .seconds(60)) -> WorkerPool {
        WorkerPool(executable: ExecutableLauncher.thisProgram, count: count, deadline: deadline)
    }

    /// Workers of another program, for one that cannot call `DecodeWorker.runIfRequested()`: an installed `spyglass` serves.
    ///
    /// - Parameters:
    ///   - executable: its path.
    ///   - count: the maximum number of workers; by default as many as this process may use processors.
    ///   - deadline: the time that an image may take.
    public convenience init(executable: String, count: Int? = nil, deadline: Duration = .seconds(60)) {
        self.init(
            launcher: ExecutableLauncher(path: executable), count: count ?? ProcessorCount.usable, deadline: deadline,
            scope: .allFormats)
    }
}

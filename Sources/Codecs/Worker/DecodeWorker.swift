internal import Glibc
internal import SpyglassFiles
internal import SpyglassPixels
package import SpyglassSandbox
internal import SpyglassThreads

/// The worker's side: a process that decodes for another one, and can do nothing else.
public enum DecodeWorker {
    /// Serves a `WorkerPool` through descriptor 3 until that is closed.
    ///
    /// The first message names libraries. The process opens them, locks itself, and only then accepts images. Call it first of all in
    /// a program that a `WorkerLauncher` has started; nothing can be opened or started afterwards.
    ///
    /// - Parameter memoryBytes: the memory that it may use for images.
    /// - Returns: the program's exit code.
    package static func run(memoryBytes: Int) -> Int32 {
        ChildProcess.closeOthers()
        ChildProcess.limitStacks()
        return serve(MessageSocket(owning: ChildProcess.socket)) { (libraries) throws(CodecError) in
            try libraries.load()
            _ = LCMSLibrary.system
            SystemMemory.keepFreedMemory()
            return "\(Sandbox.lock(.worker(memoryBytes: memoryBytes, usesThreads: libraries.decoder.usesThreads)))"
        }
    }

    /// The hidden first argument of a worker; the second is its memory in bytes.
    static let argument = "--decode-worker"
    static let remedy = "the program must call DecodeWorker.runIfRequested() first of all"

    /// Becomes a worker, and never returns, if a `WorkerPool` has started this process as one; does nothing otherwise.
    ///
    /// Must be the first statement of a program that uses `WorkerPool.currentExecutable`: before threads, files and output.
    /// Without it, the program runs a second time as its own worker, and images fail with an error of kind `library`.
    public static func runIfRequested() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, arguments[1] == argument, let bytes = Int(arguments[2]), bytes >= 0 else { return }
        ChildProcess.endWithParent()
        exit(run(memoryBytes: bytes))
    }

    /// Prepares for libraries, sends what `prepare` returns, then answers requests; `beforeImage` is for tests.
    package static func serve(
        _ socket: consuming MessageSocket, beforeImage: @escaping () throws(CodecError) -> Void = {},
        prepare: (WorkerLibraries) throws(CodecError) -> String
    ) -> Int32 {
        // Without Swift's backtrace, which takes a second and would need another program.
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { signal(fault, SIG_DFL) }
        let worker = Worker(socket: socket, memoryUse: MemoryUse(), beforeImage: beforeImage)
        do {
            guard case .start(let libraries)? = try worker.receive()?.request else { return 2 }
            worker.library = libraries.decoder
            switch Result(catching: { () throws(CodecError) in try prepare(libraries) }) {
            case .success(let report): try worker.send(.ready(report))
            case .failure(let error):
                try worker.send(.failure(error))
                return 1
            }
            while let (request, file) = try worker.receive() {
                if let reply = try worker.reply(to: request, file) { try worker.send(reply) }
            }
            return 0
        } catch {
            return 2
        }
    }
}

/// One process that answers requests.
private final class Worker {
    let socket: MessageSocket
    let memoryUse: MemoryUse
    private let beforeImage: () throws(CodecError) -> Void
    /// The library that decodes.
    var library = WorkerLibrary.builtIn
    /// The number of the last request, which its replies repeat.
    private var requestNumber: UInt8 = 0
    private var memory: SharedMemory?
    private var animations: [Int: Animation] = [:]

    init(
        socket: consuming MessageSocket, memoryUse: consuming MemoryUse,
        beforeImage: @escaping () throws(CodecError) -> Void
    ) {
        self.socket = socket
        self.memoryUse = memoryUse
        self.beforeImage = beforeImage
    }

    /// The other process does not grant the memory.
    private struct Refusal: Error {}

    /// Private memory of a decode besides what its header states, in libraries that decode larger frames than stated.
    ///
    /// An AVIF or HEIC may state fewer samples than its data has, and frames of a JPEG XL may be larger than its image. The
    /// threads of libheif and its codecs have stacks.
    private static let ownBytes: [WorkerLibrary: Int] = [.avif: 32 << 20, .jxl: 32 << 20, .heif: 128 << 20]

    // MARK: Messages

    /// Waits for a request; `nil` at the end.
    func receive() throws -> (request: WorkerRequest, file: ByteReader?)? {
        let (bytes, descriptors) = try socket.receive()
        guard let number = bytes.first else { return nil }
        requestNumber = number
        let request = try WorkerRequest(numbered: bytes)
        var numbers = descriptors[...]
        let file = request.inputBytes == 0 ? numbers.popFirst() : nil
        if let number = numbers.popFirst() { memory = try SharedMemory(receiving: number) }
        if let file { return (request, try ByteReader(reading: FileDescriptor(owning: file))) }
        guard let count = request.inputBytes, let memory, count <= memory.byteCount else { return (request, nil) }
        return (request, try ByteReader(.bytes(memory.copy(0..<count))))
    }

    func send(_ reply: WorkerReply) throws { try socket.send(reply.bytes(numbered: requestNumber)) }

    /// Asks for memory, and waits until it is granted; the other process ends this one otherwise.
    private func ask(workBytes: Int = 0, sharedBytes: Int = 0) throws {
        try send(.needs(workBytes: workBytes, sharedBytes: sharedBytes))
        switch try receive()?.request {
        case .proceed: return
        case .refuse: throw Refusal()
        default: throw MalformedMessage()
        }
    }

    /// Returns the decode that a request asks for; the other process grants its memory.
    private func spec(of request: DecodeRequest) -> DecodeSpec {
        var spec = request.spec
        spec.sharedCopies = DecodeSpec.workerCopies
        spec.usesLibheif = library == .heif
        spec.grant = { (bytes) throws(CodecError) in
            if bytes >= WorkMemory.minBytes {
                do { try self.ask(workBytes: bytes) } catch is Refusal { throw .outOfMemory(to: "decode") } catch {
                    // The other process has ended.
                    _exit(2)
                }
            }
            if let own = Self.ownBytes[self.library] { self.memoryUse.limitGrowth(to: bytes + own) }
            return nil
        }
        return spec
    }

    /// Copies bytes, one after the other, to where the other process looks for them.
    private func share(_ parts: [[UInt8]]) throws {
        let count = parts.reduce(0) { $0 + $1.count }
        if memory?.byteCount ?? 0 < count { try ask(sharedBytes: count) }
        var offset = 0
        for part in parts {
            guard let memory, memory.write(part, at: offset) else { throw MalformedMessage() }
            offset += part.count
        }
    }

    // MARK: Requests

    /// Answers a request; throws only what ends the process.
    func reply(to request: WorkerRequest, _ file: ByteReader?) throws -> WorkerReply? {
        do {
            switch request {
            case .start, .proceed, .refuse: throw MalformedMessage()
            case .inspect(let request):
                let input = try input(file, request.format)
                let decoder = decoder(request.limits).at(page: request.page)
                return .inspected(try decoder.inspection(of: input, maxFrames: request.maxFrames))
            case .decode(let request): return try decode(request, input(file, request.format))
            case .open(let number, let request): return try openFrames(number, request, input(file, request.format))
            case .next(let number):
                let frame = try animation(number).next()
                if let frame { try share([frame.pixels.bytes]) }
                return try position(of: number, after: frame?.duration)
            case .skip(let number): return try position(of: number, after: animation(number).skip())
            case .restart(let number):
                try animation(number).restart()
                return try position(of: number, after: nil)
            case .close(let number):
                animations[number] = nil
                return nil
            }
        } catch let error as CodecError {
            return error == .needsLibheif ? .elsewhere(.heif) : .failure(error)
        }
    }

    /// The file, which still has the format by which this worker was chosen.
    private func input(_ file: ByteReader?, _ format: ImageFormat) throws -> ByteReader {
        guard let file else { throw MalformedMessage() }
        try beforeImage()
        guard (try? decoder(ImageLimits()).format(of: file)) == format else {
            throw CodecError(.unreadable, "changed while it was read")
        }
        return file
    }

    private func decoder(_ limits: ImageLimits) -> ImageDecoder { ImageDecoder(limits: limits, workers: .inProcess) }

    private func decode(_ request: DecodeRequest, _ input: ByteReader) throws -> WorkerReply {
        if request.isEmbeddedPreview, let target = request.spec.plans.first?.target {
            return try decoder(request.limits).embeddedPreview(of: input, for: target).map { try share($0) } ?? .nothing
        }
        let format = try decoder(request.limits).route(of: input).format
        let image = try format.naming { () throws(CodecError) in
            try format.entry.open(input, request.limits, request.options).decode(spec(of: request))
        }
        guard request.makesFiles else { return try share(image) }
        let files = try image.files(request.spec.plans, keeping: request.spec.keeps)
        try share(files.compactMap { $0?.bytes })
        let parts = files.map { DecodedReply.Part(size: $0?.size ?? image.info.size, byteCount: $0?.bytes.count ?? -1) }
        return .decoded(DecodedReply(image.withoutPixels, parts))
    }

    private func share(_ image: DecodedImage) throws -> WorkerReply {
        let parts = image.buffers.map { DecodedReply.Part(size: $0.size, byteCount: $0.bytes.count) }
        let reply = DecodedReply(image, parts)
        try share(image.buffers.map(\.bytes) + (reply.exifBytes > 0 ? [image.exif ?? []] : []))
        return .decoded(reply)
    }

    // MARK: Animations

    private func openFrames(_ number: Int, _ request: DecodeRequest, _ input: ByteReader) throws -> WorkerReply {
        let opened = try request.format.naming { () throws(CodecError) in
            try request.format.entry.openFrames?(input, request.limits)
        }
        guard let frames = opened else { return .nothing }
        let spec = spec(of: request)
        animations[number] = Animation(try ResampledFrames(frames, spec, request.limits))
        let size = try spec.displayedSizes(of: frames.info, request.limits)[0]
        return .opened(OpenedReply(info: frames.info, size: size, plays: Self.number(of: frames.plays)))
    }

    private func animation(_ number: Int) throws(CodecError) -> Animation {
        guard let animation = animations[number] else { throw CodecError(.library, "no such animation") }
        return animation
    }

    private static func number(of plays: Int?) -> Int { plays.map { max($0, 0) } ?? -1 }

    /// The state of an animation after a frame; `nil` if there was none.
    private func position(of number: Int, after duration: Duration?) throws(CodecError) -> WorkerReply {
        .frame(
            plays: Self.number(of: try animation(number).plays), duration: duration.map(\.nanoseconds) ?? -1)
    }
}

extension Duration {
    fileprivate var nanoseconds: Int {
        let (seconds, attoseconds) = components
        return Int(min(max(seconds, 0), 86_399)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    }
}

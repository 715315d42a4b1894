internal import Glibc
internal import SpyglassFiles
internal import SpyglassPixels
internal import SpyglassSandbox
internal import SpyglassThreads

/// One worker, as the process that uses it sees it: nothing that comes from it is trusted.
///
/// `@unchecked Sendable`: only the thread that took it from the pool uses it, apart from `interrupt` and `release`, which
/// touch what is constant or locked.
final class WorkerConnection: @unchecked Sendable {
    enum Failure: Error {
        /// The image's own error; the worker goes on.
        case image(CodecError)
        /// This process refuses what the worker asks for.
        case refused(CodecError)
        /// The library cannot be opened.
        case missing(CodecError)
        /// The image needs another library.
        case elsewhere(WorkerLibrary)
        /// The process has ended.
        case ended
        /// The process does not even start as a worker.
        case silent
        case deadline(Duration)
        case invalidReply
        case system(FileError)
    }

    let libraries: WorkerLibraries
    private let socket: MessageSocket
    private let process: WorkerProcess
    private let deadline: Duration
    private let startLimit: Duration
    private var memory: SharedMemory?
    private(set) var images = 0
    private var lastNumber = 0
    /// Counts messages; a reply repeats the number of the request that it is for.
    private var lastRequest: UInt8 = 0
    private var exit: WorkerExit?
    /// The parts of the lock that took effect, once the worker is ready.
    private(set) var report: String?

    private struct Animations {
        var open: Set<Int> = []
        var closed: [Int] = []
    }

    private let animations = Mutex(Animations())

    /// Larger shared memory is not kept for the next image.
    private static let maxKeptBytes = 32 << 20
    /// Shared memory that a worker has without asking; an image that is larger is handed over as a sealed copy of its own.
    static let minSharedBytes = 256 << 10
    private static let pageBytes = 4096
    /// The processor time of a worker ends after an hour.
    private static let maxExtension = 59
    /// The longest single wait; a stop of this process costs the worker at most this.
    private static let longestWait = Duration.seconds(1)

    init(_ process: WorkerProcess, _ libraries: WorkerLibraries, deadline: Duration, startLimit: Duration) {
        self.process = process
        self.libraries = libraries
        self.deadline = deadline
        self.startLimit = startLimit
        socket = MessageSocket(owning: process.socket)
    }

    deinit { end() }

    /// The error of a program that is not a worker.
    var noWorker: CodecError {
        CodecError(.library, "\(process.program) does not answer as a worker; \(DecodeWorker.remedy)")
    }

    /// True once another worker should take its place.
    var isWorn: Bool {
        guard !holdsAnimations else { return false }
        return images >= WorkerPool.imagesPerWorker || (memory?.byteCount ?? 0) > Self.maxKeptBytes
    }

    // MARK: Animations

    /// True while it keeps canvases between requests.
    var holdsAnimations: Bool { animations.withLock { !$0.open.isEmpty } }
    /// Whether the worker takes no further animation.
    var isFull: Bool { animations.withLock { $0.open.count >= Self.maxAnimations } }
    /// Whether animations were released that the worker still holds.
    var hasReleased: Bool { animations.withLock { !$0.closed.isEmpty } }
    private static let maxAnimations = 16

    func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    func hold(_ number: Int) { _ = animations.withLock { $0.open.insert(number) } }

    /// Marks an animation as released; any thread may call it.
    func release(_ number: Int) {
        animations.withLock { animations in
            if animations.open.remove(number) != nil { animations.closed.append(number) }
        }
    }

    /// Tells the worker which animations were released.
    func flushReleased() {
        let closed = animations.withLock { animations in
            defer { animations.closed = [] }
            return animations.closed
        }
        // The next request finds out if it has ended.
        for number in closed { try? send(.close(number)) }
    }

    // MARK: Requests

    func frame(_ request: WorkerRequest, _ size: PixelSize?) throws(Failure) -> (
        plays: Int, duration: Int, PixelBuffer?
    ) {
        let bytes = size.map { $0.pixelCount * PixelBuffer.bytesPerPixel } ?? 0
        let (reply, _) = try ask(request, sharing: bytes)
        guard case .frame(let plays, let duration) = reply else { throw .invalidReply }
        guard let size, duration >= 0 else { return (plays, duration, nil) }
        return (plays, duration, PixelBuffer(size: size, bytes: try copy(bytes, at: 0)))
    }

    /// Returns the time limit of a request.
    ///
    /// AVIF takes up to 20 s to encode a megapixel, and reserves at least 64 MiB for it; lossless WebP 0.7 s. The memory that the
    /// worker states extends the limit, up to the number of megapixels that were requested.
    private func timeLimit(_ request: WorkerRequest, _ workBytes: Int) -> Duration {
        guard case .decode(let decode) = request, [.avif, .webp].contains(decode.encoder) else { return deadline }
        let asked = decode.spec.plans.reduce(0) {
            $0 + min($1.target.box?.size.pixelCount ?? .max, decode.limits.pixels, 1 << 30)
        }
        let (extra, bytes) = decode.encoder == .avif ? (deadline, workBytes >> 26) : (deadline / 30, workBytes >> 22)
        return deadline + extra * min(bytes, asked >> 20, Self.maxExtension)
    }

    /// Sends a request, grants what the worker needs for it, once each, and returns its reply with what was reserved.
    ///
    /// Throws `deadline` if all replies take longer together, apart from the time that `grant` takes or this process is stopped.
    func ask(
        _ request: WorkerRequest, _ file: Int32? = nil, input: [UInt8] = [], sharing limit: Int = 0, metadata: Int = 0,
        granting grant: DecodeSpec.Grant? = nil
    ) throws(Failure) -> (WorkerReply, WorkMemory.Share?) {
        // First, since a worker without its library ends at once, and what it has sent may be lost with the request.
        try awaitReady()
        if file != nil || !input.isEmpty { images += 1 }
        if memory == nil { try share(Self.minSharedBytes) }
        guard memory?.write(input, at: 0) == true else { throw .system(FileError("sendmsg", code: EMSGSIZE)) }
        try send(request, file)
        var share: WorkMemory.Share?
        var (mayGrant, mayShare) = (grant != nil, true)
        // Results are a part of the memory that is granted, apart from metadata. A preview has a limit of its own.
        var maxSharedBytes = grant == nil ? limit : min(limit, WorkMemory.minBytes + metadata)
        var (time, left) = (deadline, deadline)
        while true {
            switch try reply(within: &left) {
            case nil: throw .deadline(time)
            // Only this process cancels.
            case .failure(let error) where error.kind != .cancelled: throw .image(error)
            case .elsewhere(let library): throw .elsewhere(library)
            case .ready, .failure: throw .invalidReply
            case .needs(let workBytes, 0) where workBytes > 0 && mayGrant:
                mayGrant = false
                do throws(CodecError) { share = try grant?(workBytes) } catch {
                    try send(.refuse)
                    left = deadline
                    guard try reply(within: &left) != nil else { throw .deadline(deadline) }
                    throw .refused(error)
                }
                time = timeLimit(request, workBytes)
                left += time - deadline
                maxSharedBytes = max(maxSharedBytes, min(limit, min(limit, workBytes) + metadata))
                try send(.proceed)
            case .needs(0, let sharedBytes)
            where sharedBytes > memory?.byteCount ?? 0 && sharedBytes <= maxSharedBytes && mayShare:
                mayShare = false
                try self.share(sharedBytes)
                try send(.proceed)
            case .needs: throw .invalidReply
            case let reply?: return (reply, share)
            }
        }
    }

    /// Copies bytes of the shared memory, before they are looked at.
    func copy(_ count: Int, at offset: Int) throws(Failure) -> [UInt8] {
        guard let memory, count >= 0, offset >= 0, offset <= memory.byteCount, count <= memory.byteCount - offset else {
            throw .invalidReply
        }
        return memory.copy(offset..<offset + count)
    }

    /// Opens the libraries and locks the process; further calls cost nothing.
    func awaitReady() throws(Failure) {
        guard report == nil else { return }
        try send(.start(libraries))
        var left = startLimit
        switch try reply(within: &left) {
        case nil: throw .silent
        case .ready(let report): self.report = report
        case .failure(let error): throw .missing(error)
        default: throw .invalidReply
        }
    }

    /// Makes shared memory that comes with the next message.
    private func share(_ byteCount: Int) throws(Failure) {
        let pages = (byteCount - 1) / Self.pageBytes + 1
        do throws(FileError) { memory = try SharedMemory(byteCount: pages * Self.pageBytes) } catch {
            throw .system(error)
        }
        isShared = false
    }

    private var isShared = true

    private func send(_ request: WorkerRequest, _ file: Int32? = nil) throws(Failure) {
        var descriptors = [file].compactMap(\.self)
        if !isShared, let memory { descriptors.append(memory.descriptor.number) }
        lastRequest &+= 1
        guard let bytes = try? request.bytes(numbered: lastRequest) else {
            throw .system(FileError("sendmsg", code: EMSGSIZE))
        }
        do throws(FileError) { try socket.send(bytes, descriptors: descriptors) } catch {
            // A worker that works has read all requests before it replies.
            throw error.isClosedPeer ? .ended : error.code == EAGAIN ? .invalidReply : .system(error)
        }
        isShared = true
    }

    /// Waits for a reply, and takes the time from `left`; `nil` at its end.
    private func reply(within left: inout Duration) throws(Failure) -> WorkerReply? {
        let message: (bytes: [UInt8], descriptors: [Int32])?
        do throws(FileError) { message = try receive(within: &left) } catch {
            throw error.isClosedPeer ? .ended : error.isMessageTooLong ? .invalidReply : .system(error)
        }
        guard let (bytes, descriptors) = message else { return nil }
        for number in descriptors { _ = FileDescriptor(owning: number) }
        guard let number = bytes.first else { throw .ended }
        guard descriptors.isEmpty, number == lastRequest, let reply = try? WorkerReply(numbered: bytes) else {
            throw .invalidReply
        }
        return reply
    }

    /// A wait that lasts longer than its limit counts as its limit: this process was stopped, and perhaps the worker, too.
    private func receive(
        within left: inout Duration
    ) throws(FileError) -> (bytes: [UInt8], descriptors: [Int32])? {
        repeat {
            let (start, wait) = (ContinuousClock.now, min(left, Self.longestWait))
            let isReadable = try socket.isReadable(within: wait)
            left -= min(ContinuousClock.now - start, wait)
            if isReadable { return try socket.receive() }
        } while left > .zero
        return nil
    }

    // MARK: The end

    /// Makes a thread that waits for a reply see the end of the process; any thread may call it.
    func interrupt() { socket.shutDown() }

    /// Ends the process; returns how it had ended.
    @discardableResult
    func end() -> WorkerExit {
        let exit = exit ?? process.end()
        self.exit = exit
        return exit
    }
}

internal import SpyglassFiles
internal import SpyglassPixels
internal import SpyglassSandbox
internal import SpyglassThreads

/// One worker, as the process that uses it sees it: nothing that comes from it is trusted.
///
/// `@unchecked Sendable`: used by the thread only that has taken it from the pool.
final class WorkerConnection: @unchecked Sendable {
    enum Failure: Error {
        /// The image's own error; the worker goes on.
        case image(CodecError)
        /// Its libraries cannot be opened.
        case missing(CodecError)
        /// It had ended before it was asked.
        case gone
        /// It ended while it was asked.
        case ended
        case cancelled
        case deadline
        case protocolError
        case system(FileError)
    }

    /// For how long a reply is awaited.
    struct Wait {
        let end: ContinuousClock.Instant
        let now: () -> ContinuousClock.Instant
        let isCancelled: () -> Bool
    }

    let family: LibraryFamily
    private let socket: MessageSocket
    private let process: WorkerProcess
    private var memory: SharedMemory?
    private var images = 0
    private var lastNumber = 0

    private struct Animations {
        var open: Set<Int> = []
        var closed: [Int] = []
    }

    private let animations = Mutex(Animations())
    private var hasEnded = false
    /// What took hold of its lock, once it is ready.
    private(set) var report: String?

    /// Between looks at the clock.
    private static let interval: Int32 = 50
    /// More is not kept for the next image.
    private static let maxKeptBytes = 32 << 20
    private static let pageBytes = 4096

    init(_ process: WorkerProcess, _ family: LibraryFamily) {
        self.process = process
        self.family = family
        socket = MessageSocket(owning: process.socket)
    }

    deinit { end() }

    /// Whether it is to be replaced.
    var isWorn: Bool {
        guard !holdsAnimations else { return false }
        return images >= WorkerPool.imagesPerWorker || (memory?.byteCount ?? 0) > Self.maxKeptBytes
    }

    // MARK: Animations

    /// Whether it keeps canvases between requests.
    var holdsAnimations: Bool { animations.withLock { !$0.open.isEmpty } }
    /// Whether it takes no further animation; what it holds is in its memory.
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
        for number in closed { try? socket.send(WorkerRequest.close(number).bytes) }
    }

    // MARK: Requests

    func frame(
        _ request: WorkerRequest, _ size: PixelSize?, _ wait: Wait
    ) throws(Failure) -> (plays: Int, duration: Int, PixelBuffer?) {
        let bytes = size.map { $0.pixelCount * PixelBuffer.bytesPerPixel } ?? 0
        let reply = try ask(request, nil, sharing: bytes, wait)
        guard case .frame(let plays, let duration) = reply else { throw .protocolError }
        guard let size, duration >= 0 else { return (plays, duration, nil) }
        guard let memory else { throw .protocolError }
        return (plays, duration, PixelBuffer(size: size, bytes: memory.copy(0..<bytes)))
    }

    func decode(
        _ request: DecodeRequest, _ file: Int32, _ wait: Wait
    ) throws(Failure) -> (DecodedReply, [PixelBuffer], exif: [UInt8]?) {
        let sizes = request.sizes
        let pixelBytes = sizes.reduce(0) { $0 + $1.pixelCount * PixelBuffer.bytesPerPixel }
        let maxExif = request.spec.readsMetadata ? DecodedReply.maxExif : -1
        let reply = try ask(.decode(request), file, sharing: pixelBytes + max(maxExif, 0), wait)
        guard case .decoded(let reply) = reply, reply.sizes == sizes, reply.exifBytes <= maxExif, let memory else {
            throw .protocolError
        }
        var offset = 0
        let buffers = sizes.map { size in
            let range = offset..<offset + size.pixelCount * PixelBuffer.bytesPerPixel
            offset = range.upperBound
            return PixelBuffer(size: size, bytes: memory.copy(range))
        }
        let exif = reply.exifBytes >= 0 ? memory.copy(offset..<offset + reply.exifBytes) : nil
        return (reply, buffers, exif)
    }

    /// Sends a request and waits for its reply; an error of the image is thrown.
    func ask(
        _ request: WorkerRequest, _ file: Int32?, sharing byteCount: Int = 0, _ wait: Wait
    ) throws(Failure) -> WorkerReply {
        // First, since a worker without its library ends at once, and what it has sent may be lost with the request.
        try awaitReady(wait)
        try send(request, file, sharing: byteCount)
        let reply = try reply(wait)
        switch reply {
        case .failure(let error): throw .image(error)
        case .ready: throw .protocolError
        default: return reply
        }
    }

    func awaitReady(_ wait: Wait) throws(Failure) {
        guard report == nil else { return }
        switch try reply(wait) {
        case .ready(let report): self.report = report
        case .failure(let error): throw .missing(error)
        default: throw .protocolError
        }
    }

    private func send(_ request: WorkerRequest, _ file: Int32?, sharing byteCount: Int) throws(Failure) {
        if file != nil { images += 1 }
        do throws(FileError) {
            var descriptors = [file].compactMap(\.self)
            if (memory?.byteCount ?? 0) < max(byteCount, 1) {
                let pages = (max(byteCount, 1) - 1) / Self.pageBytes + 1
                let memory = try SharedMemory(byteCount: pages * Self.pageBytes)
                self.memory = memory
                descriptors.append(memory.descriptor.number)
            }
            try socket.send(request.bytes, descriptors: descriptors)
        } catch {
            throw error.call == "sendmsg" && error.isClosedPeer ? .gone : .system(error)
        }
    }

    private func reply(_ wait: Wait) throws(Failure) -> WorkerReply {
        let message: (bytes: [UInt8], descriptors: [Int32])
        while try !isReadable() {
            if wait.isCancelled() { throw .cancelled }
            if wait.now() >= wait.end { throw .deadline }
        }
        do throws(FileError) { message = try socket.receive() } catch {
            throw error.isClosedPeer ? .ended : error.isMessageTooLong ? .protocolError : .system(error)
        }
        for number in message.descriptors { _ = FileDescriptor(owning: number) }
        guard !message.bytes.isEmpty else { throw .ended }
        guard message.descriptors.isEmpty, let reply = try? WorkerReply(message.bytes) else { throw .protocolError }
        return reply
    }

    private func isReadable() throws(Failure) -> Bool {
        do throws(FileError) { return try socket.isReadable(within: Self.interval) } catch { throw .system(error) }
    }

    /// Ends the process; how it ended, if it had ended by itself.
    @discardableResult
    func end() -> String? {
        guard !hasEnded else { return nil }
        hasEnded = true
        return process.end()
    }
}

internal import SpyglassFiles
internal import SpyglassPixels
internal import SpyglassSandbox

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

    let family: LibraryFamily
    private let socket: MessageSocket
    private let process: WorkerProcess
    private var memory: SharedMemory?
    private var images = 0
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
        images >= WorkerPool.imagesPerWorker || (memory?.byteCount ?? 0) > Self.maxKeptBytes
    }

    /// Ends the process; how it ended, if it had ended by itself.
    @discardableResult
    func end() -> String? {
        guard !hasEnded else { return nil }
        hasEnded = true
        return process.end()
    }

    func awaitReady(
        until end: ContinuousClock.Instant, _ now: () -> ContinuousClock.Instant, _ isCancelled: () -> Bool
    ) throws(Failure) {
        guard report == nil else { return }
        switch try reply(until: end, now, isCancelled) {
        case .ready(let report): self.report = report
        case .failure(let error): throw .missing(error)
        default: throw .protocolError
        }
    }

    func decode(
        _ request: DecodeRequest, _ file: Int32, until end: ContinuousClock.Instant,
        _ now: () -> ContinuousClock.Instant, _ isCancelled: () -> Bool
    ) throws(Failure) -> (DecodedReply, [PixelBuffer], exif: [UInt8]?) {
        let sizes = request.sizes
        let pixelBytes = sizes.reduce(0) { $0 + $1.pixelCount * PixelBuffer.bytesPerPixel }
        let exifBytes = request.spec.readsMetadata ? DecodedReply.maxExif : 0
        try send(.decode(request), file, sharing: pixelBytes + exifBytes)
        images += 1
        try awaitReady(until: end, now, isCancelled)
        guard let memory else { throw .protocolError }
        switch try reply(until: end, now, isCancelled) {
        case .failure(let error): throw .image(error)
        case .decoded(let reply):
            guard reply.sizes == sizes, reply.exifBytes <= exifBytes else { throw .protocolError }
            var offset = 0
            let buffers = sizes.map { size in
                let range = offset..<offset + size.pixelCount * PixelBuffer.bytesPerPixel
                offset = range.upperBound
                return PixelBuffer(size: size, bytes: memory.copy(range))
            }
            let exif = reply.exifBytes >= 0 ? memory.copy(offset..<offset + reply.exifBytes) : nil
            return (reply, buffers, exif)
        case .ready: throw .protocolError
        }
    }

    private func send(_ request: WorkerRequest, _ file: Int32, sharing byteCount: Int) throws(Failure) {
        do throws(FileError) {
            var descriptors = [file]
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

    private func reply(
        until end: ContinuousClock.Instant, _ now: () -> ContinuousClock.Instant, _ isCancelled: () -> Bool
    ) throws(Failure) -> WorkerReply {
        let message: (bytes: [UInt8], descriptors: [Int32])
        do throws(FileError) {
            while try !socket.isReadable(within: Self.interval) {
                if isCancelled() { throw FileError("poll", code: Self.cancelled) }
                if now() >= end { throw FileError("poll", code: Self.late) }
            }
            message = try socket.receive()
        } catch {
            switch error.code {
            case Self.cancelled: throw .cancelled
            case Self.late: throw .deadline
            default: throw error.isClosedPeer ? .ended : error.isMessageTooLong ? .protocolError : .system(error)
            }
        }
        for number in message.descriptors { _ = FileDescriptor(owning: number) }
        guard !message.bytes.isEmpty else { throw .ended }
        guard message.descriptors.isEmpty, let reply = try? WorkerReply(message.bytes) else { throw .protocolError }
        return reply
    }

    private static let cancelled: Int32 = -100
    private static let late: Int32 = -101
}

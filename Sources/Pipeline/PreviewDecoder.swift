internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassThreads

/// Feeds a body to a `ProgressiveJPEGDecoder`: the transport's thread queues chunks, decoding threads read them, one at a time.
final class PreviewDecoder: Sendable {
    private struct Queue {
        var response = 0
        var isUsable = false
        var firstByteAt: Duration?
        var byteCount = 0
        var chunks: [[UInt8]] = []
        var isClosed = false
    }

    private final class Reader {
        var response = 0
        var decoder: ProgressiveJPEGDecoder?
        var byteCount = 0
        /// The hash of the bytes read, to compare with the body that the transport returns.
        var hasher = Hasher()
    }

    /// When the first byte of the response arrived, whenever bytes arrive; buffers only the newest value.
    let arrivals: AsyncStream<Duration>

    private let request: ImageRequest
    private let decoder: ImageDecoder
    private let bodyLimit: Int
    private let now: @Sendable () -> Duration
    private let queue = Mutex(Queue())
    private let reader = Mutex(Reader())
    private let signal: AsyncStream<Duration>.Continuation

    /// SOI, ITU-T T.81 table B.1.
    private static let jpegStart: [UInt8] = [0xff, 0xd8]

    init(_ request: ImageRequest, _ decoder: ImageDecoder, bodyLimit: Int, now: @escaping @Sendable () -> Duration) {
        self.request = request
        self.decoder = decoder
        self.bodyLimit = bodyLimit
        self.now = now
        (arrivals, signal) = AsyncStream.makeStream(of: Duration.self, bufferingPolicy: .bufferingNewest(1))
    }

    func close() {
        queue.withLock { queue in
            queue.isClosed = true
            queue.chunks = []
        }
        signal.finish()
    }

    /// Returns whether to send more.
    func append(_ event: FetchControl.BodyEvent) -> Bool {
        let now = now()
        let (isOpen, firstByteAt) = queue.withLock { queue -> (Bool, Duration?) in
            guard !queue.isClosed else { return (false, nil) }
            switch event {
            case .started(let status, _):
                queue = Queue(response: queue.response + 1, isUsable: (200...299).contains(status))
            case .bytes(let bytes):
                // A usable response may follow this one.
                guard queue.isUsable, !bytes.isEmpty else { return (true, nil) }
                if queue.byteCount == 0 {
                    guard zip(bytes, Self.jpegStart).allSatisfy(==) else { return (false, nil) }
                    queue.firstByteAt = now
                }
                queue.byteCount += bytes.count
                guard queue.byteCount <= bodyLimit else { return (false, nil) }
                queue.chunks.append(bytes)
            }
            return (true, queue.firstByteAt)
        }
        if !isOpen { close() }
        if let firstByteAt { signal.yield(firstByteAt) }
        return isOpen
    }

    /// Reads the queue, on a decoding thread; throws `CodecError` for an image that cannot be continued.
    func preview() throws -> DecodedImage? {
        let (chunks, response) = queue.withLock { queue in
            defer { queue.chunks = [] }
            return (queue.chunks, queue.response)
        }
        return try reader.withLock { reader -> DecodedImage? in
            if reader.response != response { try begin(reader, response) }
            for chunk in chunks { try read(chunk[...], reader) }
            guard reader.decoder?.kind != .other else {
                close()
                return nil
            }
            do {
                return try reader.decoder?.preview()
            } catch let error as CodecError where error.kind == .cancelled {
                return nil
            }
        }
    }

    /// On a decoding thread; throws `CodecError`; `nil` if nothing was read: not progressive, too fast, or another response.
    func finish(_ encoded: EncodedImage) throws -> DecodedImage? {
        guard case .bytes(let body) = encoded else { return nil }
        return try reader.withLock { reader -> DecodedImage? in
            let count = reader.byteCount
            guard reader.decoder?.kind == .progressive, count <= body.count,
                Self.hash(body[..<count]) == reader.hasher.finalize()
            else { return nil }
            try read(body[count...], reader)
            return try reader.decoder.take()?.finish()
        }
    }

    private func begin(_ reader: Reader, _ response: Int) throws {
        reader.response = response
        reader.byteCount = 0
        reader.hasher = Hasher()
        reader.decoder = try ProgressiveJPEGDecoder(
            target: request.target, limits: decoder.limits, isExact: request.isExact, memory: decoder.memory)
    }

    private func read(_ bytes: ArraySlice<UInt8>, _ reader: Reader) throws {
        try reader.decoder?.append(bytes.span)
        reader.byteCount += bytes.count
        bytes.withUnsafeBytes { reader.hasher.combine(bytes: $0) }
    }

    private static func hash(_ bytes: ArraySlice<UInt8>) -> Int {
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}

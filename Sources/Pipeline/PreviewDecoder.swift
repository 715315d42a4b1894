internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPixels
internal import SpyglassThreads

/// The body of one transfer on its way into a `ProgressiveJPEGDecoder`.
///
/// The transport's thread only queues pieces, as long as they may be those of a JPEG; decoding threads read them, one call at a
/// time. When the whole body has come, the picture is made of what the decoder has read already and of the rest.
final class PreviewDecoder: Sendable {
    /// What has come, as the transport's thread sees it.
    private struct Arrivals {
        /// Counts the answers that began: each starts the decoder anew.
        var answer = 0
        var isOfUse = false
        var firstByteAt: Duration?
        var byteCount = 0
        /// What the decoder has not been given.
        var pieces: [[UInt8]] = []
        var isClosed = false
    }

    /// The decoder, which moves from one decoding thread to the next.
    private final class Reading {
        var answer = 0
        var decoder: ProgressiveJPEGDecoder?
        var byteCount = 0
        /// Of the bytes that were read, for comparison with the body that was returned in the end.
        var hasher = Hasher()
    }

    /// Says, whenever bytes have come, when the first of their answer did; the newest word alone is kept.
    let arrived: AsyncStream<Duration>

    private let request: ImageRequest
    private let decoder: ImageDecoder
    private let bodyLimit: Int
    private let now: @Sendable () -> Duration
    private let arrivals = Mutex(Arrivals())
    private let reading: Mutex<Reading>
    private let signal: AsyncStream<Duration>.Continuation

    /// SOI, ITU-T T.81 table B.1.
    private static let jpegStart: [UInt8] = [0xff, 0xd8]

    init(_ request: ImageRequest, _ decoder: ImageDecoder, bodyLimit: Int, now: @escaping @Sendable () -> Duration) {
        self.request = request
        self.decoder = decoder
        self.bodyLimit = bodyLimit
        self.now = now
        reading = Mutex(Reading())
        (arrived, signal) = AsyncStream.makeStream(of: Duration.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Takes no more of the body.
    func close() {
        arrivals.withLock { arrivals in
            arrivals.isClosed = true
            arrivals.pieces = []
        }
        signal.finish()
    }

    /// Queues a part of the body, on the transport's thread; whether more is wanted.
    func take(_ part: FetchControl.BodyEvent) -> Bool {
        let now = now()
        let (isWanted, firstByteAt) = arrivals.withLock { arrivals -> (Bool, Duration?) in
            guard !arrivals.isClosed else { return (false, nil) }
            switch part {
            case .started(let status, _):
                arrivals = Arrivals(answer: arrivals.answer + 1, isOfUse: (200...299).contains(status))
            case .bytes(let bytes):
                // Another answer may follow one that is of no use.
                guard arrivals.isOfUse, !bytes.isEmpty else { return (true, nil) }
                if arrivals.byteCount == 0 {
                    guard zip(bytes, Self.jpegStart).allSatisfy(==) else { return (false, nil) }
                    arrivals.firstByteAt = now
                }
                arrivals.byteCount += bytes.count
                guard arrivals.byteCount <= bodyLimit else { return (false, nil) }
                arrivals.pieces.append(bytes)
            }
            return (true, arrivals.firstByteAt)
        }
        if !isWanted { close() }
        if let firstByteAt { signal.yield(firstByteAt) }
        return isWanted
    }

    /// Reads what has come, on a decoding thread, and makes a preview if that is a new scan.
    ///
    /// - Throws: `CodecError` of a picture that there is no use in feeding on.
    func preview(isCancelled: () -> Bool) throws -> DecodedImage? {
        let (pieces, answer) = arrivals.withLock { arrivals in
            defer { arrivals.pieces = [] }
            return (arrivals.pieces, arrivals.answer)
        }
        return try reading.withLock { reading -> DecodedImage? in
            if reading.answer != answer { try begin(reading, answer) }
            for piece in pieces { try read(piece[...], reading) }
            guard reading.decoder?.kind != .other else {
                close()
                return nil
            }
            do {
                return try reading.decoder?.preview(isCancelled: isCancelled)
            } catch let error as CodecError where error.kind == .cancelled {
                return nil
            }
        }
    }

    /// The picture of a body that is whole, on a decoding thread, made without reading its beginning again.
    ///
    /// - Returns: `nil` where nothing of it has been read here: it is another kind of picture, it came too fast, or a cache has put
    ///   another answer in its place.
    /// - Throws: `CodecError`, as `ImageDecoder.decode` does.
    func finish(_ body: [UInt8], isCancelled: () -> Bool) throws -> DecodedImage? {
        try reading.withLock { reading -> DecodedImage? in
            let count = reading.byteCount
            guard reading.decoder?.kind == .progressive, count <= body.count,
                Self.hash(body[..<count]) == reading.hasher.finalize()
            else { return nil }
            try read(body[count...], reading)
            return try reading.decoder.take()?.finish(isCancelled: isCancelled)
        }
    }

    private func begin(_ reading: Reading, _ answer: Int) throws {
        reading.answer = answer
        reading.byteCount = 0
        reading.hasher = Hasher()
        reading.decoder = try ProgressiveJPEGDecoder(
            target: request.target, limits: decoder.limits, isExact: request.isExact)
    }

    private func read(_ bytes: ArraySlice<UInt8>, _ reading: Reading) throws {
        let span = bytes.span
        try reading.decoder?.append(span)
        reading.byteCount += bytes.count
        bytes.withUnsafeBytes { reading.hasher.combine(bytes: $0) }
    }

    private static func hash(_ bytes: ArraySlice<UInt8>) -> Int {
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}

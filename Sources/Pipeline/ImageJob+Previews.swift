internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassPixels
internal import SpyglassThreads

extension ImageJob {
    /// How long a transfer takes before a preview is worthwhile: anything shorter seems immediate.
    private static let previewDelay = Duration.milliseconds(150)
    /// Each preview costs an inverse DCT of the whole image.
    ///
    /// The minimum interval is this, or the duration of the last preview.
    private static let previewInterval = Duration.milliseconds(100)

    /// Returns the response, and shows previews until it is complete; throws as `transfer` does.
    func transferWithPreviews(_ transferKey: TransferKey) async throws -> FetchResponse {
        let previews = PreviewDecoder(
            request, pipeline.configuration.decoder, bodyLimit: pipeline.configuration.bodyLimit, now: pipeline.time.now
        )
        return try await withThrowingTaskGroup(of: Void.self, returning: FetchResponse.self) { group in
            group.addTask { await showPreviews(of: previews) }
            defer {
                previews.close()
                // Ends a preview in progress: the whole image is there.
                group.cancelAll()
            }
            return try await transfer(transferKey) { previews.append($0) }
        }
    }

    private func showPreviews(of previews: PreviewDecoder) async {
        // The memory is free before the image is decoded.
        defer { previews.end() }
        var earliest = Duration.zero
        for await firstByteAt in previews.arrivals {
            let due = max(firstByteAt + Self.previewDelay, earliest)
            do {
                if due > pipeline.time.now() { try await pipeline.time.sleep(due) }
                let start = pipeline.time.now()
                let preview = try await pipeline.threads.run(priority: run.control.priority.rawValue) { _ in
                    try previews.preview().map { try processed($0, isFinal: false) }
                }
                let end = pipeline.time.now()
                earliest = end + max(Self.previewInterval, end - start)
                guard let preview, !Task.isCancelled else { continue }
                report(.previewed(request.source, ImageResponse(preview, isFinal: false, origin: .decoded(.network))))
            } catch {
                // Decoding the whole image reports what is wrong with it.
                return previews.close()
            }
        }
    }
}

extension ImageJob {
    /// Smaller files decode at once: a MiB of JPEG takes 9 ms, and a preview 0.15 ms.
    static let minBytesForPreview = 1 << 20

    /// Reports the small image that a visible, large file carries of itself, if it suffices; it is kept nowhere.
    func showEmbeddedPreview() async throws {
        guard case .localFile(let file) = request.source, request.includesPreviews, request.region == .whole,
            file.byteCount >= Self.minBytesForPreview, run.control.priority == .visible
        else { return }
        let (decoder, target) = (pipeline.configuration.decoder, request.target)
        let preview = try await pipeline.threads.run(run.control.workTicket) { _ in
            // Decoding the image reports what is wrong with the file.
            try? decoder.embeddedPreview(of: .localFile(file), for: target).map { try processed($0, isFinal: false) }
        }
        guard let preview else { return }
        report(.previewed(request.source, ImageResponse(preview, isFinal: false, origin: .decoded(nil))))
    }
}

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

    /// Returns whether more may lead to another preview.
    @discardableResult
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
            if reader.response != response {
                reader.response = response
                reader.decoder = try ProgressiveJPEGDecoder(
                    target: request.target, limits: decoder.limits, isExact: request.isExact, memory: decoder.memory)
            }
            for chunk in chunks { try reader.decoder?.append(chunk.span) }
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

    /// Frees the memory of the decoder; no preview follows.
    func end() { reader.withLock { $0.decoder = nil } }
}

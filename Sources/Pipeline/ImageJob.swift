internal import SpyglassCaching
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassPixels
internal import SpyglassThreads

/// The work for one request.
///
/// Blocking calls and computation run on the pipeline's threads.
struct ImageJob: Sendable {
    let pipeline: ImagePipeline
    let request: ImageRequest
    let run: ImageTask.Work.Run
    /// The transfer of another part of the same image, which was running when this one was requested.
    var joined: Transfer?

    typealias Transfer = TaskCoalescer<TransferKey, FetchResponse, ImageTask.Progress>.Subscription

    private static let accept = "image/jpeg, image/png;q=0.9, */*;q=0.1"
    /// The largest body that is hashed here: larger ones would take this thread for too long.
    private static let maxHashedBytes = 512 << 10

    func frame() async throws -> ImageResponse {
        do { return try await response() } catch let error as ImageError {
            report(.failed(request.source, error))
            throw error
        }
    }

    private func response() async throws -> ImageResponse {
        switch request.source {
        case .file(let path):
            guard let file = try await pipeline.located(request, run.control.workTicket) else {
                return ImageResponse(try await decoded(.file(path)), origin: .decoded(nil))
            }
            return try await ImageJob(pipeline: pipeline, request: file, run: run).response()
        case .localFile(let file):
            return try await frame(of: file) { try decode(.localFile(file)) }
        case .folder(let folder):
            return try await frame(of: folder) {
                let decoder = pipeline.configuration.decoder
                return try FolderPreview(folder: folder, target: request.target, decoder: decoder).image()
            }
        case .bytes(let bytes): return try await frame(of: bytes)
        case .address(let address, let trust): return try await frame(at: request.transferKey(address, trust))
        }
    }

    /// Bytes are kept if the request names them.
    private func frame(of bytes: [UInt8]) async throws -> ImageResponse {
        if let image = pipeline.imageInMemory(for: request) { return image }
        let image = try await decoded(.bytes(bytes))
        if let key = ImageKey(request), image.completeness == .complete {
            pipeline.insert(
                CachedImage(image: image, madeAt: pipeline.configuration.now(), lifetime: Self.lifetime), for: key)
        }
        return ImageResponse(image, origin: .decoded(nil))
    }

    func report(_ event: PipelineEvent) {
        pipeline.configuration.onEvent(event)
        run.report(event)
    }

    private func frame(at transferKey: TransferKey) async throws -> ImageResponse {
        let key = ImageKey(request)
        // Equal work may have ended since the caller looked.
        if let image = pipeline.imageInMemory(for: request) { return image }
        var stale: CachedImage?
        if let key, let stored = await storedThumbnail(key) {
            guard !isFresh(stored), !pipeline.configuration.usesStaleThumbnails else { return frame(of: stored, key) }
            stale = stored
        }
        try Task.checkCancellation()
        let response: FetchResponse
        do {
            if request.region != .whole, let original = pipeline.original.response(to: transferKey) {
                response = original
            } else if request.region == .whole, request.includesPreviews {
                response = try await transferWithPreviews(transferKey)
            } else {
                response = try await transfer(transferKey)
            }
        } catch let error as FetchError {
            if let stale, stale.isFallback(for: error), let key { return frame(of: stale, key) }
            return try await frame(ofPart: error)
        }
        guard Self.carriesImage(response.status) else {
            if let stale, stale.isFallback(forStatus: response.status), let key { return frame(of: stale, key) }
            throw ImageError.status(response.status, response.address)
        }
        // A 304, or the same bytes again.
        let hash = hash(of: response)
        if let stale, let key, hash != 0, stale.bodyHash == hash {
            store(stale.image, of: response, hash, under: key)
            report(.thumbnailHit(request.source, response.freshness))
            let frame = ImageResponse(stale.image, freshness: response.freshness, origin: .thumbnail)
            return await findingAnimation(in: response.body, frame)
        }
        try cacheOriginal(response, transferKey)
        let (image, shown) = try await image(of: response, at: transferKey)
        if shown.origin != response.origin { try cacheOriginal(shown, transferKey) }
        store(image, of: shown, shown.body == response.body ? hash : self.hash(of: shown), under: key)
        let frame = ImageResponse(image, freshness: shown.freshness, origin: .decoded(shown.origin))
        return await findingAnimation(in: shown.body, frame)
    }

    /// Adds the animation in the bytes to the frame, if the request asks for it.
    ///
    /// Large bytes of images that wait for their turn are released instead: they would keep others from being fetched.
    private func findingAnimation(in body: [UInt8], _ frame: ImageResponse) async -> ImageResponse {
        guard request.findsAnimation, frame.image.info.format.mayMove else { return frame }
        var frame = frame
        if (try? await pipeline.frameCount(of: .bytes(body), upTo: 2)) == 1 {
            frame.animation = .still
        } else if run.control.priority == .visible || body.count <= WorkMemory.minBytes {
            frame.animation = .bytes(body)
        }
        return frame
    }

    /// Keeps the bytes that a region is decoded from; throws if they would leave too little work memory for others.
    private func cacheOriginal(_ response: FetchResponse, _ transferKey: TransferKey) throws(ImageError) {
        guard request.region != .whole else { return }
        if let limit = pipeline.configuration.decoder.memory.map({ $0.limit / 2 }), response.body.count > limit {
            throw ImageError.fetch(
                FetchError(
                    .tooLarge,
                    "\(transferKey.address): \(response.body.count) bytes, above the limit of \(limit) bytes for zooming, "
                        + "half of the work memory", exceededLimit: .workMemory))
        }
        pipeline.original.keep(response, to: transferKey)
    }

    /// A cached response without a complete image may be a captive portal's page, or a truncated body: revalidate it once.
    private func image(
        of response: FetchResponse, at transferKey: TransferKey
    ) async throws -> (DecodedImage, FetchResponse) {
        let outcome: Result<DecodedImage, ImageError>
        do {
            outcome = .success(try await decoded(.bytes(response.body)))
        } catch let error as ImageError {
            outcome = .failure(error)
        }
        if response.origin == .cache, response.freshness == .fresh, Self.isDoubtful(outcome),
            let newer = try await newerResponse(at: transferKey), newer.body != response.body
        {
            return (try await decoded(.bytes(newer.body)), newer)
        }
        return (try outcome.get(), response)
    }

    private static func isDoubtful(_ outcome: Result<DecodedImage, ImageError>) -> Bool {
        switch outcome {
        case .success(let image): image.completeness != .complete
        case .failure(.decode(let error, _)): [.empty, .notAnImage, .corrupt].contains(error.kind)
        case .failure: false
        }
    }

    private func newerResponse(at transferKey: TransferKey) async throws -> FetchResponse? {
        do {
            let newer = try await transfer(
                TransferKey(
                    address: transferKey.address, trust: transferKey.trust, headers: transferKey.headers,
                    revalidates: true))
            return Self.carriesImage(newer.status) ? newer : nil
        } catch is FetchError { return nil }
    }

    /// Whether the body is the whole image; a 206 is a part that was not requested.
    static func carriesImage(_ status: Int) -> Bool { (200...299).contains(status) && status != 206 }

    private func frame(ofPart error: FetchError) async throws -> ImageResponse {
        guard let part = error.partialResponse else { throw ImageError.fetch(error) }
        let error = error.withoutMemory
        defer { withExtendedLifetime(part) {} }
        do {
            let frame = ImageResponse(
                try await decoded(.bytes(part.body)), freshness: part.freshness, origin: .decoded(part.origin),
                transferError: error)
            return await findingAnimation(in: part.body, frame)
        } catch is ImageError { throw ImageError.fetch(error) }
    }

    func frame(of stored: CachedImage, _ key: ImageKey) -> ImageResponse {
        let isFresh = isFresh(stored)
        let freshness = isFresh ? FetchResponse.Freshness.fresh : .stale
        report(.thumbnailHit(request.source, freshness))
        if isFresh { pipeline.insert(stored, for: key) }
        return ImageResponse(stored.image, freshness: freshness, origin: .thumbnail)
    }

    private func storedThumbnail(_ key: ImageKey) async -> CachedImage? {
        request.revalidates ? nil : await pipeline.thumbnails?.image(for: key, run.control)
    }

    private func isFresh(_ stored: CachedImage) -> Bool {
        stored.isFresh(at: pipeline.configuration.now(), request.cachePolicy)
    }

    private func store(_ image: DecodedImage, of response: FetchResponse, _ hash: UInt64, under key: ImageKey?) {
        guard let key, image.completeness == .complete, response.freshness != .stale else { return }
        let now = pipeline.configuration.now()
        // Without a cache in front, the response's own lifetime has not been computed.
        var lifetime = response.origin == .archive ? nil : response.lifetime ?? response.lifetime(receivedAt: now)
        if lifetime == nil, response.origin != .archive {
            // Without a lifetime only the request's policy makes it fresh.
            guard request.cachePolicy != .http, request.cachePolicy != .reload else { return }
            lifetime = FetchResponse.Lifetime(freshUntil: now, allowsStale: false)
        }
        let cached = CachedImage(image: image, madeAt: now, lifetime: lifetime, bodyHash: hash)
        if isFresh(cached) { pipeline.insert(cached, for: key) }
        if response.origin != .archive, response.lifetime != nil { pipeline.thumbnails?.store(cached, for: key) }
    }

    /// 0 for a large body, which would take this thread for too long, and where no thumbnail is stored.
    private func hash(of response: FetchResponse) -> UInt64 {
        guard pipeline.thumbnails != nil, response.origin != .archive, response.body.count <= Self.maxHashedBytes
        else { return 0 }
        return XXHash64.hash(response.body)
    }

    /// `onBody` receives the whole body if the transfer starts here; throws `FetchError` or `CancellationError`.
    func transfer(
        _ transferKey: TransferKey, onBody: (@Sendable (FetchControl.BodyEvent) -> Void)? = nil
    ) async throws -> FetchResponse {
        let meter = BodyMeter()
        let follow: @Sendable (FetchControl.BodyEvent, (ImageTask.Progress) -> Void) -> Void = { event, report in
            if let progress = meter.progress(after: event) { report(progress) }
            onBody?(event)
        }
        let listener: @Sendable (ImageTask.Progress) -> Void = {
            report(.received(request.source, $0.received, of: $0.total))
        }
        let transfer: Transfer
        if let joined, transferKey == request.originalKey {
            transfer = joined
            joined.listen(listener)
        } else {
            transfer = pipeline.transfers.join(
                transferKey, priority: run.control.priority, onBody: follow, listener: listener
            ) { [pipeline] run in
                try await Self.fetch(transferKey, pipeline.configuration, run.control)
            }
        }
        if !transfer.hasStarted { report(.coalesced(request.source, .transfer)) }
        run.control.forward { transfer.setPriority($0) }
        return try await transfer.value
    }

    /// The work of a transfer; throws `FetchError`, or `CancellationError` if its task is cancelled.
    static func fetch(
        _ key: TransferKey, _ configuration: ImagePipeline.Configuration, _ control: FetchControl
    ) async throws -> FetchResponse {
        var request = FetchRequest(
            key.address, accept: accept, headers: key.headers, bodyLimit: configuration.bodyLimit,
            trust: configuration.reach == .any ? key.trust : configuration.reach)
        request.revalidates = key.revalidates
        request.keepsMemory = true
        request.control = control
        do {
            try await configuration.willLoad?(&request)
            return try await configuration.transport.fetch(request)
        } catch  where !(error is FetchError || error is CancellationError && Task.isCancelled) {
            // Another error of a transport counts as a failure of the network.
            throw FetchError(.unreachable, "\(key.address): \(WebAddress.redacting("\(error)"))")
        }
    }

    private func decoded(_ encoded: EncodedImage) async throws -> DecodedImage {
        try await decoded { try decode(encoded) }
    }

    func decode(_ encoded: EncodedImage) throws(CodecError) -> DecodedImage {
        try pipeline.configuration.decoder.decode(
            encoded, region: request.region, to: request.target, isExact: request.isExact)
    }

    /// Runs `body` on a decoding thread; throws `ImageError` or `CancellationError`.
    func decoded(_ body: @escaping @Sendable () throws -> DecodedImage) async throws -> DecodedImage {
        do {
            let (image, duration) = try await pipeline.threads.run(run.control.workTicket) { _ in
                report(.decoding(request.source))
                let start = pipeline.time.now()
                return (try processed(try body()), pipeline.time.now() - start)
            }
            report(.decoded(request.source, duration))
            return image
        } catch let error as CodecError {
            throw error.kind == .cancelled ? CancellationError() : ImageError.decode(error, request.source)
        }
    }

    /// The image as the request's processors change it; on a decoding thread.
    func processed(_ image: DecodedImage, isFinal: Bool = true) throws -> DecodedImage {
        guard !request.processors.isEmpty else { return image }
        let context = ProcessingContext(source: request.source, target: request.target, isFinal: isFinal)
        var pixels = image.pixels
        for processor in request.processors {
            do { pixels = try processor.process(pixels, context) } catch {
                if error is CancellationError { throw error }
                throw ImageError.processing(processor.identifier, reason: "\(error)", request.source)
            }
        }
        return image.replacing(pixels)
    }
}

extension ImageJob {
    /// File systems count time in ticks of up to 10 ms: a file can change twice in one.
    private static let minAge = Duration.milliseconds(100)

    /// A file's image does not age: other contents have another key.
    private static let lifetime = FetchResponse.Lifetime(
        freshUntil: WallTime(milliseconds: .max), allowsStale: false)

    /// Returns the image of a file, or of a folder's files; it is kept unless that has changed meanwhile.
    private func frame(
        of file: LocalFile, _ make: @escaping @Sendable () throws -> DecodedImage
    ) async throws -> ImageResponse {
        if let image = pipeline.imageInMemory(for: request) { return image }
        let key = ImageKey(request)
        if let key, let stored = await storedThumbnail(key), isFresh(stored) { return frame(of: stored, key) }
        try Task.checkCancellation()
        try await showEmbeddedPreview()
        // Written on the decoding thread, before its result is returned.
        let isUnchanged = Mutex(false)
        let image = try await decoded {
            let image = try make()
            let status = try? Folder.working.status(of: file.path, followingLinks: true)
            isUnchanged.withLock { $0 = status.map { LocalFile(file.path, $0, page: file.page) == file } ?? false }
            return image
        }
        if let key, image.completeness == .complete, isUnchanged.withLock(\.self) {
            let now = pipeline.configuration.now()
            let cached = CachedImage(image: image, madeAt: now, lifetime: Self.lifetime)
            pipeline.insert(cached, for: key)
            if now.sinceEpoch - file.changed >= Self.minAge { pipeline.thumbnails?.store(cached, for: key) }
        }
        return ImageResponse(image, origin: .decoded(nil))
    }
}

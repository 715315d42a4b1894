internal import SpyglassCaching
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassThreads

/// The work behind one picture, from the first look to its pixels.
///
/// It waits and hands on; what blocks or computes is done on the pipeline's threads.
struct ImageJob: Sendable {
    typealias Run = TaskCoalescer<DecodeKey, ImageFrame, ImageFrame>.Run

    let pipeline: ImagePipeline
    let request: ImageRequest
    let run: Run

    /// What can be decoded, for servers that choose.
    private static let accept = "image/jpeg, image/png;q=0.9, */*;q=0.1"
    /// Up to this size decoding is over soon: a photograph of 4000 pixels, of some megabytes, takes 10 to 20 ms (design, section 3.6).
    private static let lightBytes = 512 << 10

    /// Makes the picture; throws `ImageError` or `CancellationError`.
    func result(withPreviews hasPreviews: Bool) async throws -> ImageFrame {
        do {
            return switch request.source {
            case .file(let path):
                ImageFrame(image: try await decoded(.file(path), isLight: false), origin: .decoded(nil))
            case .bytes(let bytes):
                ImageFrame(image: try await decoded(.bytes(bytes)), origin: .decoded(nil))
            case .address(let address, let trust):
                try await result(
                    at: TransferKey(address: address, trust: trust, revalidates: request.revalidates),
                    withPreviews: hasPreviews)
            }
        } catch let error as ImageError {
            pipeline.onEvent(.failed(request.source, error))
            throw error
        }
    }

    private func result(at place: TransferKey, withPreviews hasPreviews: Bool) async throws -> ImageFrame {
        let key = ImageKey(request)
        var staleThumbnail: ThumbnailCache.Hit?
        if let key, !request.revalidates {
            // Equal work may have ended between the caller's look and the start of this.
            if let image = pipeline.kept(key) { return ImageFrame(image: image, origin: .memory) }
            if let hit = await pipeline.thumbnails?.hit(for: key, run.control) {
                guard !hit.isUsable else { return result(of: hit, key) }
                staleThumbnail = hit
            }
        }
        try Task.checkCancellation()
        let response: FetchResponse
        var feed: PreviewDecoder?
        do {
            if hasPreviews {
                (response, feed) = try await transferWithPreviews(place)
            } else {
                response = try await transfer(place)
            }
        } catch let error as FetchError {
            if let hit = staleThumbnail, hit.helps(after: error), let key { return result(of: hit, key) }
            return try await result(ofPart: error)
        }
        guard Self.bringsPicture(response.status) else {
            if let hit = staleThumbnail, hit.helps(afterStatus: response.status), let key {
                return result(of: hit, key)
            }
            throw ImageError.status(response.status, response.address)
        }
        let (image, shown) = try await picture(of: response, from: feed, at: place)
        keep(image, of: shown, under: key)
        return ImageFrame(image: image, freshness: shown.freshness, origin: .decoded(shown.origin))
    }

    /// The picture of an answer, and the answer that it is of.
    ///
    /// What a cache keeps and is no whole picture may be the page of a hotel's network or a body that its server cut short, fresh for
    /// a year: the server is asked once whether that is still so.
    private func picture(
        of response: FetchResponse, from feed: PreviewDecoder?, at place: TransferKey
    ) async throws -> (DecodedImage, FetchResponse) {
        let outcome: Result<DecodedImage, ImageError>
        do {
            outcome = .success(try await decoded(.bytes(response.body), from: feed))
        } catch let error as ImageError {
            outcome = .failure(error)
        }
        if response.origin == .cache, response.freshness == .fresh, Self.isDoubtful(outcome),
            let newer = try await newerAnswer(at: place), newer.body != response.body
        {
            return (try await decoded(.bytes(newer.body)), newer)
        }
        return (try outcome.get(), response)
    }

    private static func isDoubtful(_ outcome: Result<DecodedImage, ImageError>) -> Bool {
        switch outcome {
        case .success(let image): image.completeness != .complete
        case .failure(.decode(let error)): [.empty, .notAnImage, .corrupt].contains(error.kind)
        case .failure: false
        }
    }

    private func newerAnswer(at place: TransferKey) async throws -> FetchResponse? {
        do {
            let newer = try await transfer(
                TransferKey(address: place.address, trust: place.trust, revalidates: true))
            return Self.bringsPicture(newer.status) ? newer : nil
        } catch is FetchError {
            return nil
        }
    }

    /// Whether the body is all of what was asked for; a 206 is a part of it, and nobody asked for a part.
    private static func bringsPicture(_ status: Int) -> Bool { (200...299).contains(status) && status != 206 }

    /// What came of a transfer that broke off; the decoder says what is missing of it.
    private func result(ofPart error: FetchError) async throws -> ImageFrame {
        guard let part = error.partialResponse else { throw ImageError.fetch(error) }
        do {
            return ImageFrame(
                image: try await decoded(.bytes(part.body)), freshness: part.freshness, origin: .decoded(part.origin),
                transferError: error)
        } catch is ImageError {
            throw ImageError.fetch(error)
        }
    }

    private func result(of hit: ThumbnailCache.Hit, _ key: ImageKey) -> ImageFrame {
        let freshness = hit.isFresh ? FetchResponse.Freshness.fresh : .stale
        pipeline.onEvent(.thumbnailHit(request.source, freshness))
        if hit.isFresh { keepInMemory(hit.image, at: pipeline.now(), until: hit.lifetime.freshUntil, key) }
        return ImageFrame(image: hit.image, freshness: freshness, origin: .thumbnail)
    }
}

// MARK: - Transfers

extension ImageJob {
    /// The answer of an address, shared with other jobs that want it at another size.
    ///
    /// What `onBody` is told is the body on its way, if the transfer starts here. Throws `FetchError` or `CancellationError`.
    func transfer(
        _ place: TransferKey, onBody: (@Sendable (FetchControl.BodyEvent) -> Bool)? = nil
    ) async throws -> FetchResponse {
        let share = pipeline.transfers.join(place, priority: run.control.priority, onBody: onBody) {
            [pipeline] run in
            var request = FetchRequest(
                place.address, accept: Self.accept, bodyLimit: pipeline.bodyLimit, trust: place.trust,
                control: run.control)
            request.revalidates = place.revalidates
            return try await pipeline.transport.fetch(request)
        }
        if !share.hasStarted { pipeline.onEvent(.coalesced(request.source, .transfer)) }
        run.control.forward { share.setPriority($0) }
        do {
            return try await withTaskCancellationHandler {
                try await share.value
            } onCancel: {
                share.cancel()
            }
        } catch let error as FetchError {
            throw error
        } catch {
            // A transport that says something else fails as if the network did.
            if error is CancellationError, Task.isCancelled { throw error }
            throw FetchError(.unreachable, "\(place.address): \(error)")
        }
    }
}

// MARK: - Decoding

extension ImageJob {
    /// Decodes on a decoding thread, sooner or later as urgently as the picture is wanted.
    ///
    /// - Throws: `ImageError.decode`; `CancellationError`.
    private func decoded(
        _ picture: EncodedImage, isLight: Bool? = nil, from feed: PreviewDecoder? = nil
    ) async throws -> DecodedImage {
        let ticket = WorkTicket(priority: run.control.priority.rawValue)
        run.control.forward { ticket.priority = $0.rawValue }
        do {
            let (image, duration) = try await pipeline.threads.run(
                ticket, isLight: isLight ?? self.isLight(picture)
            ) { [pipeline, request] isCancelled in
                pipeline.onEvent(.decoding(request.source))
                let start = pipeline.time.now()
                let image =
                    try Self.image(of: picture, in: feed, isCancelled)
                    ?? pipeline.decoder.decode(
                        picture, to: request.target, isExact: request.isExact, isCancelled: isCancelled)
                return (image, pipeline.time.now() - start)
            }
            pipeline.onEvent(.decoded(request.source, duration))
            return image
        } catch let error as CodecError {
            throw error.kind == .cancelled ? CancellationError() : ImageError.decode(error)
        }
    }

    /// The picture of what previews were made of, without reading it again.
    private static func image(
        of picture: EncodedImage, in feed: PreviewDecoder?, _ isCancelled: () -> Bool
    ) throws -> DecodedImage? {
        guard let feed, case .bytes(let body) = picture else { return nil }
        return try feed.finish(body, isCancelled: isCancelled)
    }

    /// Whether decoding is over soon and somebody waits for it: what one thread is kept free for.
    private func isLight(_ picture: EncodedImage) -> Bool {
        guard case .bytes(let bytes) = picture else { return false }
        return bytes.count <= Self.lightBytes && run.control.priority == .visible
    }
}

// MARK: - Keeping

extension ImageJob {
    /// Keeps what is whole and may be shown again.
    private func keep(_ image: DecodedImage, of response: FetchResponse, under key: ImageKey?) {
        guard let key, image.completeness == .complete, response.freshness != .stale else { return }
        let now = pipeline.now()
        if response.origin == .archive { return keepInMemory(image, at: now, until: nil, key) }
        // Without a cache in front, nobody has looked at what the answer says of itself.
        let lifetime = response.lifetime ?? response.lifetime(receivedAt: now)
        if let lifetime, now < lifetime.freshUntil { keepInMemory(image, at: now, until: lifetime.freshUntil, key) }
        if let lifetime = response.lifetime { pipeline.thumbnails?.store(image, lifetime, madeAt: now, for: key) }
    }

    private func keepInMemory(_ image: DecodedImage, at now: WallTime, until freshUntil: WallTime?, _ key: ImageKey) {
        pipeline.memory.insert(CachedImage(image: image, keptAt: now, freshUntil: freshUntil), for: key)
    }
}

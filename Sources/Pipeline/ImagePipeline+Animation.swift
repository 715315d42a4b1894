internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPixels
internal import SpyglassThreads

extension ImagePipeline {
    /// Opens the frames of a request's image, on a decoding thread.
    ///
    /// An address is fetched, or comes from the transport's cache, unless its `frame` has found what there is.
    ///
    /// - Returns: the frames at the request's size; `nil` for a still image and for a folder.
    /// - Throws: `CodecError`; `FetchError`; `CancellationError`.
    package func animation(
        for request: ImageRequest, of frame: ImageFrame? = nil
    ) async throws -> AnimationReader? {
        let image: EncodedImage
        switch (request.source, frame?.animation) {
        case (_, .still): return nil
        case (_, .bytes(let bytes)): image = .bytes(bytes)
        case (.file(let path), nil): image = .file(path)
        case (.localFile(let file), nil): image = .localFile(file)
        case (.bytes(let bytes), nil): image = .bytes(bytes)
        case (.folder, nil): return nil
        case (.address(let address, let trust), nil):
            let key = TransferKey(address: address, trust: trust, revalidates: false)
            let response = try await response(to: key, priority: request.priority)
            guard ImageJob.carriesImage(response.status) else { return nil }
            image = .bytes(response.body)
        }
        let decoder = configuration.decoder
        return try await threads.run(priority: request.priority.rawValue) { _ in
            try AnimationReader(opening: image, region: request.region, to: request.target, by: decoder)
        }
    }

    /// A player on the decoding threads, behind the visible images.
    package var player: AnimationPlayer { AnimationPlayer(threads: threads, clock: time) }

    private func response(to key: TransferKey, priority: FetchPriority) async throws -> FetchResponse {
        let transfer = transfers.join(key, priority: priority) { [configuration] run in
            try await configuration.transport.fetch(ImageJob.fetchRequest(for: key, configuration, run.control))
        }
        return try await withTaskCancellationHandler {
            try await transfer.promise.value
        } onCancel: {
            transfer.cancel()
        }
    }
}

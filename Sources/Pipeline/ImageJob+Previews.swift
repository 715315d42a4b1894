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

    /// Returns the response and the decoder, which has read part of it; throws as `transfer` does.
    func transferWithPreviews(_ transferKey: TransferKey) async throws -> (FetchResponse, PreviewDecoder) {
        let previews = PreviewDecoder(
            request, pipeline.configuration.decoder, bodyLimit: pipeline.configuration.bodyLimit, now: pipeline.time.now
        )
        let response = try await withThrowingTaskGroup(of: Void.self, returning: FetchResponse.self) { group in
            group.addTask { await showPreviews(of: previews) }
            defer {
                previews.close()
                // Ends a preview in progress: the whole image is there.
                group.cancelAll()
            }
            return try await transfer(transferKey) { previews.append($0) }
        }
        return (response, previews)
    }

    private func showPreviews(of previews: PreviewDecoder) async {
        var earliest = Duration.zero
        for await firstByteAt in previews.arrivals {
            let due = max(firstByteAt + Self.previewDelay, earliest)
            do {
                if due > pipeline.time.now() { try await pipeline.time.sleep(due) }
                let start = pipeline.time.now()
                let preview = try await pipeline.threads.run(priority: run.control.priority.rawValue, isLight: false) {
                    _ in
                    try previews.preview()
                }
                let end = pipeline.time.now()
                earliest = end + max(Self.previewInterval, end - start)
                guard let preview, !Task.isCancelled else { continue }
                report(.previewed(request.source, ImageFrame(preview, isFinal: false, origin: .decoded(.network))))
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
    func showEmbeddedPreview(of file: LocalFile) async throws {
        guard request.includesPreviews, request.region == .whole, file.byteCount >= Self.minBytesForPreview,
            run.control.priority == .visible
        else { return }
        let (decoder, target) = (pipeline.configuration.decoder, request.target)
        let ticket = WorkTicket(priority: run.control.priority.rawValue)
        run.control.forward { ticket.priority = $0.rawValue }
        let preview = try await pipeline.threads.run(ticket, isLight: true) { _ in
            // Decoding the image reports what is wrong with the file.
            try? decoder.embeddedPreview(of: .localFile(file), for: target)
        }
        guard let preview else { return }
        report(.previewed(request.source, ImageFrame(preview, isFinal: false, origin: .decoded(nil))))
    }
}

internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassThreads

extension ImageJob {
    /// How long a transfer takes before it is worth a preview: what is over sooner seems immediate.
    private static let patience = Duration.milliseconds(150)
    /// From one preview to the next at least, since nobody sees more than ten a second.
    ///
    /// Each costs the inverse DCT of the whole picture: where that takes longer, the pause is as long, so that the previews of one
    /// picture have half a thread at the most.
    private static let pause = Duration.milliseconds(100)

    /// The answer of an address, and what has been read of it for the previews that were shown meanwhile.
    ///
    /// - Throws: as `transfer` does.
    func transferWithPreviews(_ place: TransferKey) async throws -> (FetchResponse, PreviewDecoder) {
        let feed = PreviewDecoder(request, pipeline.decoder, bodyLimit: pipeline.bodyLimit, now: pipeline.time.now)
        let response = try await withThrowingTaskGroup(of: Void.self, returning: FetchResponse.self) { group in
            group.addTask { await showPreviews(of: feed) }
            defer {
                feed.close()
                // A preview under way gives up: the picture is there.
                group.cancelAll()
            }
            return try await transfer(place, onBody: { feed.take($0) })
        }
        return (response, feed)
    }

    /// Makes a preview now and then, one at a time; pieces that come meanwhile wait in the feed.
    private func showPreviews(of feed: PreviewDecoder) async {
        var earliest = Duration.zero
        for await firstByteAt in feed.arrived {
            let due = max(firstByteAt + Self.patience, earliest)
            do {
                if due > pipeline.time.now() { try await pipeline.time.sleep(due) }
                let begun = pipeline.time.now()
                let preview = try await pipeline.threads.run(priority: run.control.priority.rawValue, isLight: false) {
                    try feed.preview(isCancelled: $0)
                }
                let ended = pipeline.time.now()
                earliest = ended + max(Self.pause, ended - begun)
                guard let preview, !Task.isCancelled else { continue }
                pipeline.onEvent(.previewed(request.source))
                run.report(ImageFrame(image: preview, origin: .decoded(.network)))
            } catch {
                // What is wrong with the picture is said when all of it is here.
                return feed.close()
            }
        }
    }
}

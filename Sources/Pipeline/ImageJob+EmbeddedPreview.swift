internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassPixels
internal import SpyglassThreads

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

internal import SpyglassCaching
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassThreads

extension ImageJob {
    /// File systems count time in ticks of up to 10 ms: a file can change twice in one.
    private static let minAge = Duration.milliseconds(100)

    /// A file's image does not age: other contents have another key.
    private static let lifetime = FetchResponse.Lifetime(
        freshUntil: WallTime(milliseconds: .max), allowsStale: false)

    func frame(of file: LocalFile) async throws -> ImageFrame {
        if let stored = try await storedFrame() { return stored }
        try await showEmbeddedPreview(of: file)
        let (image, isUnchanged) = try await decoded(file, isLight: isLight(.localFile(file))) {
            try decode(.localFile(file))
        }
        let age = pipeline.configuration.now().sinceEpoch - file.changed
        if isUnchanged { keep(image, onDisk: age >= Self.minAge) }
        return ImageFrame(image, origin: .decoded(nil))
    }

    /// Returns also whether the file or folder was the same after `body`.
    private func decoded(
        _ file: LocalFile, isLight: Bool, _ body: @escaping @Sendable () throws -> DecodedImage
    ) async throws -> (DecodedImage, isUnchanged: Bool) {
        // Written on the decoding thread, before its result is returned.
        let isUnchanged = Mutex(false)
        let image = try await decoded(isLight: isLight) {
            let image = try body()
            let status = try? Folder.working.status(of: file.path, followingLinks: true)
            isUnchanged.withLock { $0 = status.map { LocalFile(file.path, $0) == file } ?? false }
            return image
        }
        return (image, isUnchanged.withLock { $0 })
    }

    private func storedFrame() async throws -> ImageFrame? {
        guard let key = ImageKey(request), !request.revalidates else { return nil }
        if let image = pipeline.freshImage(for: key) { return ImageFrame(image, origin: .memory) }
        if let stored = await pipeline.thumbnails?.image(for: key, run.control),
            stored.isFresh(at: pipeline.configuration.now())
        {
            return frame(of: stored, key)
        }
        try Task.checkCancellation()
        return nil
    }

    private func keep(_ image: DecodedImage, onDisk: Bool) {
        guard let key = ImageKey(request), image.completeness == .complete else { return }
        let cached = CachedImage(image, madeAt: pipeline.configuration.now(), lifetime: Self.lifetime)
        pipeline.insert(cached, for: key)
        if onDisk { pipeline.thumbnails?.store(cached, for: key) }
    }

    // MARK: Folders

    func sheet(of folder: LocalFile) async throws -> ImageFrame {
        if let stored = try await storedFrame() { return stored }
        let (image, isUnchanged) = try await decoded(folder, isLight: false) {
            try FolderPreview(folder: folder, target: request.target, decoder: pipeline.configuration.decoder).image()
        }
        if isUnchanged { keep(image, onDisk: false) }
        return ImageFrame(image, origin: .decoded(nil))
    }
}

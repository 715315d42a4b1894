internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassPipeline
internal import SpyglassPixels
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// From `+` to the bytes of a frame, for a local JPEG of 12 megapixels.
///
/// Each sample has a new pipeline, which has decoded the photo for the screen.
struct ZoomBench {
    let scratch: String
    let size: PixelSize

    private static let screen = CellSize(clamping: 120, 40)

    init(scratch: String, scale: Double) {
        self.scratch = scratch
        func side(_ length: Double) -> Int { max(Int(length * scale.squareRoot()), 64) }
        size = PixelSize(width: side(4000), height: side(3000))
    }

    var benchmarks: [Benchmark] {
        [("browse.zoom", false), ("browse.zoom.final", true)].map { name, untilFinal in
            .timed(name, .milliseconds) { (try zoom(untilFinal: untilFinal), nil) }
        }
    }

    private func zoom(untilFinal: Bool) throws -> Workload {
        let folder = try ScratchFolder(in: scratch)
        guard let sample = try SampleFile.made(.jpeg, size, count: 1).first else { throw BenchError("no sample image") }
        let path = "\(folder.path)/photo.jpg"
        var photo = Photo(id: "photo", source: "folder")
        do throws(FileError) {
            try Folder.writeFile(path, sample.bytes)
            photo.file = try LocalFile(Array(path.utf8))
        } catch {
            throw BenchError("cannot write \(folder.path): \(error.reason)")
        }
        let shown = Mutex<HeadlessViewer?>(nil)
        return Workload(
            of: 1,
            preparing: { [photo] in
                let viewer = HeadlessViewer(
                    TerminalTraits(size: Self.screen), photo, ImagePipeline(.init(transport: NoTransport())))
                let last = shown.withLock { shown in
                    defer { shown = viewer }
                    return shown
                }
                try Self.wait {
                    await last?.end()
                    try await viewer.show([Key(.enter)], untilFinal: true)
                }
            },
            {
                // Its end removes the file.
                try withExtendedLifetime(folder) {
                    guard let viewer = shown.withLock({ $0 }) else { return }
                    try Self.wait { try await viewer.show([Key(.character("+"))], untilFinal: untilFinal) }
                }
            })
    }

    /// Blocks until a task has ended.
    private static func wait(_ work: @escaping @Sendable () async throws -> Void) throws {
        let result = Monitor<Result<Void, any Error>?>(nil)
        Task {
            let ended = await Task { try await work() }.result
            result.withLock { $0 = ended }
            result.wakeAll()
        }
        try result.wait { $0 }.get()
    }
}

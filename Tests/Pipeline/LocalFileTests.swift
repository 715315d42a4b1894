import Glibc
import SpyglassCaching
import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
@testable import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import Testing

@Suite("ImagePipeline: local files")
struct LocalFileTests {
    private let folder: TemporaryFolder
    private let store = MemoryStore()
    private let log = CallRecorder<PipelineEvent>()
    /// Long after any file was changed.
    private let calendar = ManualCalendar(WallTime(seconds: 9_000_000_000))

    init() throws { folder = try TemporaryFolder() }

    private func pipeline() -> ImagePipeline {
        ImagePipeline(
            transport: ScriptedTransport(body: []), thumbnails: store, now: calendar.clock, onEvent: log.record)
    }

    private func file(_ name: String = "photo.jpg", _ bytes: [UInt8] = Fixture.thumbnail) throws -> LocalFile {
        try folder.write(name, bytes)
        return try LocalFile(Array(folder.path(name).utf8))
    }

    private func request(_ file: LocalFile, region: ImageRegion = .whole) -> ImageRequest {
        ImageRequest(.localFile(file), region: region, target: TargetSize(box: PixelSize(width: 12, height: 12)))
    }

    @Test("Fifty requests for one file share one decode; later ones are served from memory")
    func memory() async throws {
        let pipeline = pipeline()
        let request = try request(file())
        let images = try await withThrowingTaskGroup(of: ImageResponse.self) { group in
            for _ in 0..<50 { group.addTask { try await pipeline.image(for: request) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let later = try await pipeline.image(for: request)
        #expect(later.origin == .memory && images.allSatisfy { $0.pixels == later.pixels })
        #expect(log.decodedCount == 1)
    }

    @Test("A file above the limit is refused, also by the sheet of its folder")
    func largeFile() async throws {
        try folder.write("large.jpg", Fixture.thumbnail, byteCount: 200 << 30)
        let large = try LocalFile(Array(folder.path("large.jpg").utf8))
        let reason = await failure { try await pipeline().image(for: request(large)) }?.codecError
        #expect(reason?.exceeded == .bodyBytes && reason?.kind == .limit)
        let sheet = ImageRequest(.folder(try LocalFile(Array(folder.path.utf8))), target: .original)
        await #expect(throws: ImageError.decode(CodecError(.empty, "no images in this folder"), sheet.source)) {
            try await pipeline().image(for: sheet)
        }
    }

    @Test("A thumbnail of an earlier run serves the same file, for ever")
    func disk() async throws {
        let file = try file()
        let first = pipeline()
        let decoded = try await first.image(for: request(file))
        await first.flush()
        calendar.now = WallTime(seconds: 90_000_000_000)
        let stored = try await pipeline().image(for: request(file))
        #expect(stored.origin == .thumbnail && stored.freshness == .fresh && stored.pixels == decoded.pixels)
        #expect(log.decodedCount == 1)
    }

    @Test("A stored name tells nothing of the file's name")
    func privacy() async throws {
        let pipeline = pipeline()
        _ = try await pipeline.image(for: request(file("holiday.jpg")))
        await pipeline.flush()
        let names = store.keys.filter { !$0.contains("holiday") && !$0.contains(folder.path) }
        #expect(store.keys.count == 1 && names == store.keys)
    }

    @Test("A file that changed since it was found is an error")
    func changed() async throws {
        let old = try file()
        _ = try file("photo.jpg", Fixture.progressive)
        let error = ImageError.decode(CodecError(.unreadable, "changed since it was found"), .localFile(old))
        await #expect(throws: error) { try await pipeline().image(for: request(old)) }
        #expect(store.keys.isEmpty)
    }

    @Test("Other contents of the same size and time have another thumbnail")
    func sameTime() async throws {
        let old = try file()
        let first = pipeline()
        _ = try await first.image(for: request(old))
        await first.flush()
        let damaged = [UInt8](repeating: 0, count: Fixture.thumbnail.count)
        var new = old
        // The file system's clock advances in ticks.
        while new.changed == old.changed {
            try folder.write("photo.jpg", damaged)
            let (seconds, attoseconds) = old.modified.components
            let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
            utimensat(AT_FDCWD, folder.path("photo.jpg"), [time, time], 0)
            new = try LocalFile(old.path)
        }
        #expect(new.modified == old.modified && new.byteCount == old.byteCount && new.identity == old.identity)
        await #expect(throws: ImageError.self) { try await pipeline().image(for: request(new)) }
    }

    @Test("The thumbnail of a file that changed a moment ago is not stored")
    func justChanged() async throws {
        let file = try file()
        calendar.now = WallTime(milliseconds: Int64(file.changed / .milliseconds(1)) + 50)
        let pipeline = pipeline()
        _ = try await pipeline.image(for: request(file))
        await pipeline.flush()
        #expect(store.keys.isEmpty)
        #expect(pipeline.cache.image(for: request(file)) != nil)
    }

    @Test("A name need not be UTF-8")
    func name() async throws {
        let plain = try file()
        let path = Array(folder.path("").utf8) + [0xFF, 0xFE] + Array(".jpg".utf8)
        #expect(path.withCPath { to in plain.path.withCPath { from in rename(from, to) } } == 0)
        #expect(try await pipeline().image(for: request(LocalFile(path))).completeness == .complete)
        unlinkPath(path)
    }

    private func unlinkPath(_ path: [UInt8]) { _ = path.withCPath { unlink($0) } }

    @Test("Asking again decodes again")
    func again() async throws {
        let pipeline = pipeline()
        var request = try request(file())
        _ = try await pipeline.image(for: request)
        request.cachePolicy = .reload
        #expect(try await pipeline.image(for: request).origin == .decoded(nil))
        #expect(log.decodedCount == 2)
    }

    @Test("Of one file's parts the last four stay in memory, and none is stored")
    func parts() async throws {
        let pipeline = pipeline()
        let file = try file()
        let requests = (0..<6).map {
            request(file, region: ImageRegion(x: Double($0) / 10, y: 0, width: 0.5, height: 0.5))
        }
        for request in requests { _ = try await pipeline.image(for: request) }
        await pipeline.flush()
        #expect(requests.map { pipeline.cache.image(for: $0) != nil } == [false, false, true, true, true, true])
        #expect(store.keys.isEmpty)
    }
}

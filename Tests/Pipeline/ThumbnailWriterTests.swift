import SpyglassCaching
import SpyglassCodecs
import SpyglassFetching
@testable import SpyglassPipeline
import SpyglassPixels
import SpyglassThreads
import Testing

@Suite("ThumbnailWriter", .timeLimit(.minutes(10)))
struct ThumbnailWriterTests {
    private let store = SlowStore()
    private let moment = WallTime(seconds: 1_700_000_000)
    /// Of 50x50 pixels: 10,000 bytes.
    private let image = DecodedImage(
        pixels: PixelBuffer(
            size: PixelSize(width: 50, height: 50), bytes: [UInt8](repeating: 255, count: 50 * 50 * 4)),
        info: ImageInfo(
            format: .png, storedSize: PixelSize(width: 50, height: 50), orientation: .up, hasAlpha: false,
            colorDescription: "RGB, 8 bits"))

    private func record() -> CachedImage { CachedImage(image, madeAt: moment, lifetime: .forEver) }

    private func key(_ number: Int) throws -> ImageKey { try #require(ImageKey(.picture(number))) }

    private func keep(_ number: Int, in memory: ImagePipeline.Memory, at keptAt: WallTime) throws {
        let kept = CachedImage(image, madeAt: keptAt, lifetime: .forEver)
        #expect(memory.insert(kept, for: try key(number)))
    }

    @Test("A stalled disk keeps 2 MiB of two thousand images; all are written")
    func slowDisk() async throws {
        let memory = ImagePipeline.makeMemoryCache(totalCostLimit: 64 << 20)
        let writer = ThumbnailWriter(store, memory: memory, threads: ThreadPool(count: 1))
        for number in 0..<2000 {
            try keep(number, in: memory, at: moment)
            writer.put(record(), for: try key(number))
        }
        await store.turnstile.waitForArrivals(1)
        #expect(writer.pixelBytes <= ThumbnailWriter.maxPixelBytes)
        #expect(writer.pixelBytes > ThumbnailWriter.maxPixelBytes - 10_000)
        let hits = memory.counters.hits
        store.turnstile.open()
        await writer.flush()
        #expect(store.keys.count == 2000)
        #expect(writer.pixelBytes == 0)
        #expect(memory.counters.hits == hits, "what is written is not used by that")
    }

    @Test("An image no longer held or in memory is not written")
    func lost() async throws {
        let memory = ImagePipeline.makeMemoryCache(totalCostLimit: 64 << 20)
        let writer = ThumbnailWriter(store, memory: memory, threads: ThreadPool(count: 1))
        let held = ThumbnailWriter.maxPixelBytes / 10_000
        for number in 0..<(held + 3) { writer.put(record(), for: try key(number)) }
        try keep(held, in: memory, at: moment.advanced(by: .seconds(1)))
        try keep(held + 2, in: memory, at: moment)
        store.turnstile.open()
        await writer.flush()
        #expect(store.keys.count == held + 1)
        let last = try #require(try key(held + 2).thumbnailName)
        #expect(store.keys.contains(last))
    }
}

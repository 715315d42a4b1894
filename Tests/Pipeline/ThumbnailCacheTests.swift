import SpyglassCaching
import SpyglassCodecs
import SpyglassFetching
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassPipeline

@Suite("ThumbnailCache")
struct ThumbnailCacheTests {
    private let store = MemoryStore()
    private let calendar = ManualCalendar(WallTime(seconds: 1_700_000_000))
    private let log = CallRecorder<PipelineEvent>()

    private func pipeline(_ transport: ScriptedTransport, usesStale: Bool = false) -> ImagePipeline {
        ImagePipeline(
            transport: transport, thumbnails: store, usesStaleThumbnails: usesStale, now: calendar.clock,
            onEvent: log.record)
    }

    private func transport(allowsStale: Bool = true) -> ScriptedTransport {
        let freshUntil = calendar.now.advanced(by: .seconds(300))
        return ScriptedTransport(
            body: Fixture.thumbnail, lifetime: FetchResponse.Lifetime(freshUntil: freshUntil, allowsStale: allowsStale))
    }

    /// Fills the store with one pipeline.
    private func fill(_ request: ImageRequest = .sample, allowsStale: Bool = true) async throws -> ImageResponse {
        let pipeline = pipeline(transport(allowsStale: allowsStale))
        let result = try await pipeline.image(for: request)
        await pipeline.flush()
        return result
    }

    private func unreachable() -> ScriptedTransport {
        ScriptedTransport { _, _ in throw FetchError(.unreachable, "no route") }
    }

    @Test("A stale thumbnail is fetched again and replaced")
    func expiry() async throws {
        _ = try await fill()
        calendar.advance(by: .seconds(300))
        let other = ScriptedTransport(
            body: Fixture.thumbnail + [0],
            lifetime: FetchResponse.Lifetime(
                freshUntil: calendar.now.advanced(by: .seconds(300)), allowsStale: true))
        let pipeline = pipeline(other)
        #expect(try await pipeline.image(for: .sample).origin == .decoded(.network))
        await pipeline.flush()
        let transport = transport()
        #expect(try await self.pipeline(transport).image(for: .sample).origin == .thumbnail)
        #expect(transport.count == 0)
    }

    @Test("A stale thumbnail is used again, for longer, if it was made of the same bytes")
    func unchangedBody() async throws {
        let first = try await fill()
        calendar.advance(by: .seconds(300))
        let same = transport()
        let pipeline = pipeline(same)
        let second = try await pipeline.image(for: .sample)
        #expect(same.count == 1 && log.decodedCount == 1)
        #expect(
            second.origin == .thumbnail && second.freshness == .fresh && second.image.pixels == first.image.pixels
                && second.image.info == first.image.info)
        await pipeline.flush()
        let transport = transport()
        #expect(try await self.pipeline(transport).image(for: .sample).freshness == .fresh)
        #expect(transport.count == 0 && log.decodedCount == 1)
    }

    @Test("Offline, stale thumbnails are used and marked as stale")
    func offline() async throws {
        _ = try await fill(allowsStale: false)
        calendar.advance(by: .seconds(300))
        let transport = unreachable()
        let pipeline = pipeline(transport, usesStale: true)
        let result = try await pipeline.image(for: .sample)
        #expect(result.freshness == .stale && result.origin == .thumbnail)
        #expect(transport.count == 0)
        #expect(pipeline.memory.images.count == 0)
    }

    @Test("When the network or the server fails, a stale thumbnail is used if allowed, and for no other failure")
    func failures() async throws {
        let status = { (status: Int) in
            ScriptedTransport { request, _ in FetchResponse(address: request.address, status: status) }
        }
        let refusing = ScriptedTransport { _, _ in throw FetchError(.disallowed, "never") }
        for (allowsStale, transport, isUsed) in [
            (true, unreachable(), true), (true, status(503), true), (false, unreachable(), false),
            (false, status(503), false), (true, refusing, false), (true, status(403), false),
        ] {
            _ = try await fill(allowsStale: allowsStale)
            calendar.advance(by: .seconds(300))
            let frame = try? await pipeline(transport).image(for: .sample)
            #expect(frame?.freshness == (isUsed ? .stale : nil))
        }
    }

    @Test("A request that revalidates skips thumbnails")
    func revalidates() async throws {
        _ = try await fill()
        let transport = transport()
        _ = try await pipeline(transport).image(for: .picture(revalidates: true))
        #expect(transport.count == 1)
    }

    @Test("Only small, complete, flawless, cacheable images in their right colours are stored")
    func whatIsKept() async throws {
        // A profile that no library can apply, in the first APP2 segment (ICC.1 annex B.4).
        let profile = Array("ICC_PROFILE\0".utf8) + [1, 1] + [UInt8](repeating: 7, count: 200)
        let segment = [0xFF, 0xE2, 0, UInt8(profile.count + 2)] + profile
        let uncorrected = Array(Fixture.thumbnail.prefix(2)) + segment + Fixture.thumbnail.dropFirst(2)
        let decoded = try ImageDecoder().decode(.bytes(uncorrected), to: .original)
        #expect(decoded.colorWarning != nil && decoded.completeness == .complete && decoded.warnings == 0)
        let bodies: [([UInt8], FetchResponse.Lifetime?, FetchResponse.Origin)] = [
            (Fixture.thumbnail, nil, .network),
            (Fixture.thumbnail, nil, .archive),
            (Array(Fixture.thumbnail.dropLast(Fixture.thumbnail.count / 3)), .forEver, .network),
            (uncorrected, .forEver, .network),
        ]
        for (body, lifetime, origin) in bodies {
            let pipeline = pipeline(
                ScriptedTransport { request, _ in
                    FetchResponse(
                        address: request.address, status: 200, body: body, origin: origin, lifetime: lifetime)
                })
            _ = try await pipeline.image(for: .sample)
            await pipeline.flush()
        }
        let box = PixelSize(width: 400, height: 400)
        let target = TargetSize(box: box, fit: .fill, allowsUpscaling: true)
        _ = try await fill(ImageRequest(.address(.picture()), target: target))
        #expect(store.keys == [])
    }

    @Test("The name of an entry contains no secret")
    func secrets() throws {
        let address = try WebAddress(validating: "https://images.example/a.jpg?api_key=hunter2&size=3")
        let key = try #require(ImageKey(ImageRequest(.address(address), target: .original)))
        #expect(
            key.thumbnailName
                == "thumbnail 3 original fast user https://images.example/a.jpg?api_key=sha256-f52fbd32b2b3b86f&size=3")
    }

    @Test("An image of a session is neither stored nor served without it")
    func sessions() async throws {
        let open = try WebAddress(validating: "https://images.example/0.jpg")
        let mine = try WebAddress(validating: "https://images.example/0.jpg?sid=me")
        #expect(mine.withoutSecrets == open && !mine.isCacheable && open.isCacheable)
        let target = ImageRequest.sample.target
        _ = try await fill(ImageRequest(.address(mine), target: target))
        #expect(store.keys == [])
        _ = try await fill(ImageRequest(.address(open), target: target))
        let transport = transport()
        #expect(
            try await pipeline(transport).image(for: ImageRequest(.address(mine), target: target)).origin
                == .decoded(.network))
        #expect(transport.count == 1)
    }

    @Test("Names differ in everything that decides the pixels, and in trust")
    func names() throws {
        let box = PixelSize(width: 60, height: 40)
        let targets = [
            TargetSize.original, TargetSize(box: box), TargetSize(box: box, fit: .cover),
            TargetSize(box: box, fit: .fill), TargetSize(box: box, allowsUpscaling: true),
            TargetSize(box: box, pixelAspect: 0.5), TargetSize(box: PixelSize(width: 6, height: 40)),
        ]
        var names: Set<String> = []
        for target in targets {
            for isExact in [false, true] {
                for trust in [NetworkReach.any, .publicAddresses] {
                    let request = ImageRequest(.address(.picture(), trust), target: target, isExact: isExact)
                    let key = try #require(ImageKey(request))
                    names.insert(try #require(key.thumbnailName))
                }
            }
        }
        #expect(names.count == targets.count * 4)
    }

    @Test("Fixture images round-trip unchanged", arguments: ["jpeg/420.jpg", "jpeg/grey.jpg"])
    func roundTrip(_ name: String) throws {
        let file = EncodedImage.file(TestData.fixture("images/\(name)"))
        let target = ImageRequest.sample.target
        let image = try ImageDecoder().decode(file, to: target)
        let lifetime = FetchResponse.Lifetime(freshUntil: WallTime(milliseconds: -5), allowsStale: false)
        let record = CachedImage(image: image, madeAt: WallTime(milliseconds: .min), lifetime: lifetime, bodyHash: .max)
        let entry = try #require(record.entry)
        let read = try #require(CachedImage(entry, target: target))
        #expect(
            read.image.pixels == image.pixels && read.image.info == image.info && read.lifetime == lifetime
                && read.madeAt.milliseconds == .min && read.bodyHash == .max)
    }

    @Test("Transparent pixels round-trip")
    func transparency() throws {
        let size = PixelSize(width: 2, height: 1)
        let info = ImageInfo(
            format: .png, storedSize: size, orientation: .up, hasAlpha: true, colorDescription: "RGBA, 8 bits")
        let pixels = PixelBuffer(size: size, bytes: [1, 2, 3, 4, 5, 6, 7, 255])
        let record = CachedImage(
            image: DecodedImage(pixels: pixels, info: info), madeAt: WallTime(milliseconds: 1), lifetime: .forEver)
        let entry = try #require(record.entry)
        #expect(entry.body.count == 8)
        #expect(CachedImage(entry, target: .original)?.image.pixels == pixels)
    }

    @Test("Damaged entries are a miss, and the image is fetched")
    func damage() async throws {
        let expected = try await fill()
        let name = try #require(store.keys.first)
        let entry = try #require(store.entry(for: name))
        var damaged: [CacheEntry] = [
            CacheEntry(metadata: [], body: []),
            CacheEntry(metadata: entry.metadata, body: Array(entry.body.dropLast())),
            CacheEntry(metadata: entry.metadata, body: entry.body + [0]),
            CacheEntry(metadata: entry.metadata + [0], body: entry.body),
            CacheEntry(metadata: entry.metadata, body: entry.body, isPartial: true),
            CacheEntry(metadata: [UInt8](repeating: 255, count: entry.metadata.count), body: entry.body),
        ]
        damaged += entry.metadata.indices.map { CacheEntry(metadata: Array(entry.metadata[..<$0]), body: entry.body) }
        for entry in damaged {
            _ = store.store(entry, for: name)
            let transport = transport()
            let pipeline = pipeline(transport)
            let result = try await pipeline.image(for: .sample)
            #expect(transport.count == 1 && result.image.pixels == expected.image.pixels)
            await pipeline.flush()
        }
    }

    @Test("Any byte in the metadata gives a miss or an image of the right size")
    func hostileMetadata() throws {
        let target = ImageRequest.sample.target
        let image = try ImageDecoder().decode(.bytes(Fixture.thumbnail), to: target)
        let cached = CachedImage(image: image, madeAt: WallTime(milliseconds: 0), lifetime: .forEver)
        let entry = try #require(cached.entry)
        for index in entry.metadata.indices {
            for value in UInt8.min...UInt8.max {
                var hostile = entry
                hostile.metadata[index] = value
                guard let record = CachedImage(hostile, target: target) else { continue }
                let isPrintable = record.image.info.colorDescription.utf8.allSatisfy { (0x20..<0x7f).contains($0) }
                #expect(isPrintable && record.image.pixels.size == image.pixels.size)
            }
        }
    }
}

@Suite("ThumbnailCache: pending writes", .timeLimit(.minutes(10)))
struct ThumbnailWriterTests {
    @Test("A stalled disk keeps 8 MiB of two thousand images; those are written")
    func slowDisk() async throws {
        let size = PixelSize(width: 50, height: 50)
        let image = DecodedImage(
            pixels: PixelBuffer(size: size, bytes: [UInt8](repeating: 255, count: 10_000)),
            info: ImageInfo(
                format: .png, storedSize: size, orientation: .up, hasAlpha: false, colorDescription: "RGB, 8 bits"))
        let cached = CachedImage(image: image, madeAt: WallTime(seconds: 1_700_000_000), lifetime: .forEver)
        let gate = Gate()
        let store = MemoryStore(gate: gate)
        let thumbnails = ThumbnailCache(store, threads: ThreadPool(count: 1))
        for number in 0..<2000 { thumbnails.store(cached, for: try #require(ImageKey(.picture(number)))) }
        #expect(
            thumbnails.pendingBytes <= ThumbnailCache.maxPendingBytes
                && thumbnails.pendingBytes > ThumbnailCache.maxPendingBytes - 10_000)
        gate.open()
        await thumbnails.flush()
        #expect(store.keys.count == ThumbnailCache.maxPendingBytes / 10_000)
        #expect(thumbnails.pendingBytes == 0)
    }
}

import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import SpyglassTerminalUI
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import spyglass

@Suite("ListRun", .timeLimit(.minutes(10)))
struct ListRunTests {
    /// Photos numbered from 0, in pages.
    private struct NumberedSource: PhotoSource {
        let name = "numbered"
        var count: Int
        var pageSize = 100
        /// The number of a page that fails.
        var brokenPage: Int?

        func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
            let page = cursor == nil ? 1 : 2
            if page == brokenPage { throw FetchError(.unreachable, "page \(page) is gone") }
            let start = (page - 1) * pageSize
            let photos = (start..<min(start + pageSize, count)).map { index in
                var photo = Photo(id: "\(index)", source: name)
                photo.thumbnail = WebAddress("https://example.org/\(index)")
                return photo
            }
            return PhotoPage(
                photos: photos, next: page == 1 && count > pageSize ? PageCursor(token: "2") : nil, total: .exact(count)
            )
        }

        func renditions(of photo: Photo) async throws -> Photo { photo }
    }

    private func thumbnail(_ transport: any Transport) -> @Sendable (Photo) async -> Thumbnail {
        let loader = ThumbnailLoader(
            pipeline: ImagePipeline(transport: transport), target: .original, limits: ImageLimits())
        return { await loader.thumbnail(of: $0) }
    }

    /// Every photo's id with the state of its image, and the error of the run.
    private func outcome(
        of source: NumberedSource, limit: Int = 1000, _ transport: (any Transport)?,
        clock: any Clock<Duration> = ManualClock()
    ) async -> (items: [String], error: (any Error)?) {
        var run = ListRun(
            PagedPhotos(PhotoQuery(), from: source), limit: limit, thumbnail: transport.map(thumbnail), clock: clock)
        var items: [String] = []
        do {
            try await run.forEach(
                progress: { _, _ in },
                item: { photo, thumbnail in
                    switch thumbnail {
                    case .image: items.append(photo.id)
                    case .absent: items.append("\(photo.id) absent")
                    case .failed(let reason): items.append("\(photo.id) \(reason)")
                    }
                })
            return (items, nil)
        } catch {
            return (items, error)
        }
    }

    @Test("Items come in the source's order, independent of their images")
    func order() async {
        let gate = AsyncGate()
        let transport = StubTransport { request in
            if request.address.path == "/0" { try await gate.wait() }
            if request.address.path == "/9" { gate.open() }
            return FetchResponse(request, body: TinyPNG.solid(1, 2, 3))
        }
        let outcome = await outcome(of: NumberedSource(count: 10), transport)
        #expect(outcome.items == (0..<10).map { "\($0)" })
    }

    @Test("At most 32 images load behind the first item")
    func window() async throws {
        let gate = AsyncGate()
        let started = Mutex(0)
        let transport = StubTransport { request in
            let count = started.withLock { count in
                count += 1
                return count
            }
            if count == 33 { gate.open() }
            try await gate.wait()
            return FetchResponse(request, body: TinyPNG.solid(1, 2, 3))
        }
        var run = ListRun(
            PagedPhotos(PhotoQuery(), from: NumberedSource(count: 40)), limit: 40, thumbnail: thumbnail(transport),
            clock: ManualClock())
        // Progress is called whenever all permitted loads have started, first before the gate opens.
        var maxCount = 0
        var items = 0
        try await run.forEach(
            progress: { waiting, _ in maxCount = max(maxCount, waiting) }, item: { _, _ in items += 1 })
        #expect(maxCount == 33 && items == 40)
    }

    @Test("The first item is returned without its image after ten seconds")
    func timeout() async {
        let clock = ManualClock()
        let transport = StubTransport { request in
            if request.address.path == "/0" { try await AsyncGate().wait() }
            return FetchResponse(request, body: TinyPNG.solid(1, 2, 3))
        }
        async let outcome = outcome(of: NumberedSource(count: 3), transport, clock: clock)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(10))
        #expect(await outcome.items == ["0 no image within 10 s", "1", "2"])
    }

    @Test("The timeout of an item starts when it becomes the first")
    func timeoutOfSecond() async {
        let clock = ManualClock()
        let gate = AsyncGate()
        let transport = StubTransport { request in
            if request.address.path == "/0" { try await gate.wait() }
            if request.address.path == "/1" { try await AsyncGate().wait() }
            return FetchResponse(request, body: TinyPNG.solid(1, 2, 3))
        }
        var run = ListRun(
            PagedPhotos(PhotoQuery(), from: NumberedSource(count: 2)), limit: 10, thumbnail: thumbnail(transport),
            clock: clock)
        let mover = Task {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(9))
            gate.open()
        }
        var late: Task<Void, Never>?
        var items: [String] = []
        try? await run.forEach(
            progress: { _, _ in },
            item: { photo, thumbnail in
                items.append(photo.id)
                guard photo.id == "0" else { return }
                late = Task {
                    // The timer of the first item fires after one more second, finds another item, and restarts.
                    clock.advance(by: .seconds(1))
                    await clock.waitForSleepers()
                    clock.advance(by: .seconds(9))
                }
            })
        await mover.value
        await late?.value
        #expect(items == ["0", "1"] && clock.now.offset == .seconds(19))
    }

    @Test("The limit holds within a page and across pages", arguments: [1, 99, 100, 101, 150, 200])
    func limit(limit: Int) async {
        let outcome = await outcome(of: NumberedSource(count: 150), limit: limit, nil)
        #expect(outcome.items.count == min(limit, 150) && outcome.error == nil)
    }

    @Test("A failing page ends the run after the items before it")
    func brokenPage() async {
        let transport = StubTransport { FetchResponse($0, body: TinyPNG.solid(1, 2, 3)) }
        let outcome = await outcome(of: NumberedSource(count: 150, brokenPage: 2), transport)
        #expect(outcome.items.count == 100)
        #expect(outcome.error as? FetchError == FetchError(.unreachable, "page 2 is gone"))
    }

    @Test("A failing image does not affect the others")
    func failures() async {
        let transport = StubTransport { request in
            switch request.address.path {
            case "/0": throw FetchError(.timedOut, "no progress")
            case "/1": return FetchResponse(request, status: 500)
            case "/2": return FetchResponse(request, text: "<html>")
            default: return FetchResponse(request, body: TinyPNG.solid(1, 2, 3))
            }
        }
        let items = await outcome(of: NumberedSource(count: 4), transport).items
        let server = "https://example.org/"
        #expect(items[0] == "0 no progress" && items[1] == "1 \(server)1: HTTP 500: server error; try again later")
        #expect(items[2].hasPrefix("2 \(server)2: ") && items[3] == "3")
    }

    @Test("A write error ends the run and cancels loads")
    func stop() async throws {
        struct Stop: Error {}
        let cancelled = AsyncGate()
        let transport = StubTransport { request in
            guard request.address.path != "/0" else { return FetchResponse(request, body: TinyPNG.solid(1, 2, 3)) }
            do { try await AsyncGate().wait() } catch { cancelled.open() }
            return FetchResponse(request)
        }
        var run = ListRun(
            PagedPhotos(PhotoQuery(), from: NumberedSource(count: 3)), limit: 10, thumbnail: thumbnail(transport),
            clock: ManualClock())
        await #expect(throws: Stop.self) {
            try await run.forEach(progress: { _, _ in }, item: { _, _ in throw Stop() })
        }
        try await cancelled.wait()
    }
}

@Suite("ListLayout", .timeLimit(.minutes(10)))
struct ListLayoutTests {
    @Test(
        "Image boxes and text columns at common sizes",
        arguments: [
            (CellSize(clamping: 20, 24), CellSize(clamping: 19, 9), 19),
            (CellSize(clamping: 49, 24), CellSize(clamping: 24, 12), 48),
            (CellSize(clamping: 50, 24), CellSize(clamping: 18, 6), 29),
            (CellSize(clamping: 80, 24), CellSize(clamping: 28, 9), 49),
            (CellSize(clamping: 100, 30), CellSize(clamping: 35, 11), 62),
            (CellSize(clamping: 120, 40), CellSize(clamping: 45, 15), 72),
            (CellSize(clamping: 120, 24), CellSize(clamping: 36, 12), 72),
            (CellSize(clamping: 200, 50), CellSize(clamping: 60, 20), 72),
        ])
    func sizes(screen: CellSize, imageBox: CellSize, text: Int) {
        let layout = ListLayout(screen: screen)
        #expect(layout.imageBox == imageBox && layout.textColumns == text)
    }

    @Test("Image and text never reach the last column; without images, text takes the full width")
    func fits() {
        #expect(ListLayout(screen: CellSize(clamping: 200, 50), hasImages: false).textColumns == 199)
        for columns in 1...300 {
            for rows in [1, 2, 5, 24, 1000] {
                let layout = ListLayout(screen: CellSize(clamping: columns, rows))
                let beside = layout.imageBox.columns + ListLayout.gap + layout.textColumns
                let used = layout.isStacked ? max(layout.imageBox.columns, layout.textColumns) : beside
                #expect(used <= max(columns - 1, 1), "\(columns)x\(rows)")
            }
        }
    }

}

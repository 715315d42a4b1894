import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import spyglass

@Suite("The line of a list", .timeLimit(.minutes(10)))
struct ListRunTests {
    /// Photos numbered from 0, in pages.
    private struct NumberedSource: PhotoSource {
        let name = "numbered"
        var count: Int
        var pageSize = 100
        /// The page that cannot be read.
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
            pipeline: ImagePipeline(transport: transport), target: .original, isExact: false, limits: ImageLimits())
        return { await loader.thumbnail(of: $0) }
    }

    /// Every photo's id and whether it came with a picture, and what ended the run.
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
                    case .picture: items.append(photo.id)
                    case .absent: items.append("\(photo.id) absent")
                    case .failed(let reason): items.append("\(photo.id) \(reason)")
                    }
                })
            return (items, nil)
        } catch {
            return (items, error)
        }
    }

    @Test("Items come in the source's order, whatever order their pictures come in")
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

    @Test("At most 32 pictures wait behind the head of the line")
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
        // The line is told each time that all who may start have started, the first time before the gate is open.
        var longest = 0
        var items = 0
        try await run.forEach(progress: { waiting, _ in longest = max(longest, waiting) }, item: { _, _ in items += 1 })
        #expect(longest == 33)
        #expect(items == 40)
    }

    @Test("An item that waits ten seconds at the head is handed out without its picture")
    func patience() async {
        let clock = ManualClock()
        let transport = StubTransport { request in
            if request.address.path == "/0" { try await AsyncGate().wait() }
            return FetchResponse(request, body: TinyPNG.solid(1, 2, 3))
        }
        async let outcome = outcome(of: NumberedSource(count: 3), transport, clock: clock)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(10))
        #expect(await outcome.items == ["0 its picture did not come within 10 seconds", "1", "2"])
    }

    @Test("The ten seconds count from when an item becomes the head")
    func patienceOfSecond() async {
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
                    // The alarm set for the first item comes after one more second, finds another head, and is set again.
                    clock.advance(by: .seconds(1))
                    await clock.waitForSleepers()
                    clock.advance(by: .seconds(9))
                }
            })
        await mover.value
        await late?.value
        #expect(items == ["0", "1"])
        #expect(clock.now.offset == .seconds(19))
    }

    @Test("The limit holds within a page and across pages", arguments: [0, 1, 99, 100, 101, 150, 200])
    func limit(limit: Int) async {
        let outcome = await outcome(of: NumberedSource(count: 150), limit: max(limit, 1), nil)
        #expect(outcome.items.count == min(max(limit, 1), 150))
        #expect(outcome.error == nil)
    }

    @Test("A page that cannot be read ends the run after the items before it")
    func brokenPage() async {
        let transport = StubTransport { FetchResponse($0, body: TinyPNG.solid(1, 2, 3)) }
        let outcome = await outcome(of: NumberedSource(count: 150, brokenPage: 2), transport)
        #expect(outcome.items.count == 100)
        #expect(outcome.error as? FetchError == FetchError(.unreachable, "page 2 is gone"))
    }

    @Test("A picture that fails does not stop the others, and says why")
    func failures() async {
        let transport = StubTransport { request in
            switch request.address.path {
            case "/0": throw FetchError(.timedOut, "it stood still")
            case "/1": return FetchResponse(request, status: 500)
            case "/2": return FetchResponse(request, text: "<html>")
            default: return FetchResponse(request, body: TinyPNG.solid(1, 2, 3))
            }
        }
        let items = await outcome(of: NumberedSource(count: 4), transport).items
        #expect(items[0] == "0 it stood still")
        #expect(items[1] == "1 https://example.org/1 answered 500 (its server is in trouble; try again later)")
        #expect(items[2].hasPrefix("2 https://example.org/2: "))
        #expect(items[3] == "3")
    }

    @Test("What printing throws ends the run at once and cancels what is under way")
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

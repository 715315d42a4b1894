import SpyglassCatalog
import SpyglassFetching
import SpyglassPipeline
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser

@Suite("SaveRunner", .timeLimit(.minutes(10)))
struct SaveRunnerTests {
    private let queue = EventQueue()
    private let services = BrowserServices(
        backend: { _ in throw FetchError(.unavailable, "none") }, explain: { error, _ in BrowserError("\(error)") })

    private func begin(_ saving: inout SaveRunner, _ files: FileStub) throws {
        let address = try #require(WebAddress("http://pictures.example/1.tif"))
        let transport = ScriptedTransport.pictures()
        let backend = BrowserBackend(
            source: { ShelfSource().over($0) }, transport: transport, pipeline: ImagePipeline(transport: transport),
            size: { _, _ in try files.size() }, save: { try await files.save($1, $2) })
        var photo = Photo(id: "1", source: "shelf")
        photo.thumbnail = address
        let item = SaveItem(photo: photo, isComplete: true)
        saving.run(
            SaveJob(items: [item], path: "1.tif", isFolder: false), from: backend, BrowserSearch(source: "shelf"))
    }

    @Test("A save begins when the previous one has removed its file")
    func turns() async throws {
        var saving = SaveRunner(services, queue)
        let files = FileStub(gate: AsyncGate())
        files.removal.change { $0.isAllowed = false }
        try begin(&saving, files)
        var works: [Int] = []
        while works.isEmpty { works += await numbers() }
        try begin(&saving, FileStub())
        await files.removal.wait { $0.started == 1 }
        files.removal.change { $0.isAllowed = true }
        while !works.contains(2) { works += await numbers() }
        #expect(files.removal.value.done == 1)
        #expect(works == works.sorted())
        await saving.finish()
    }

    @Test("Several are saved at once; one that fails ends alone, but no more begin once nothing can be written")
    func several() async throws {
        let transport = ScriptedTransport.pictures()
        let address = try #require(WebAddress("http://pictures.example/1.tif"))
        let items = (0..<20).map { number in
            var photo = Photo(id: "\(number)", source: "shelf")
            photo.thumbnail = address
            return SaveItem(photo: photo, isComplete: true)
        }
        for kind in [FetchError.Kind.timedOut, .unavailable] {
            let started = WatchedValue<Set<String>>([])
            let gate = AsyncGate()
            let backend = BrowserBackend(
                source: { ShelfSource().over($0) }, transport: transport,
                pipeline: ImagePipeline(transport: transport), size: { _, _ in nil },
                save: { _, target, progress in
                    started.change { $0.insert(target.name) }
                    progress(100, 200)
                    guard target.name.hasPrefix("0") else {
                        try await gate.wait()
                        return target.name
                    }
                    await started.wait { $0.count == 6 }
                    throw FetchError(kind, "no")
                })
            var saving = SaveRunner(services, queue)
            saving.run(SaveJob(items: items, path: "d", isFolder: true), from: backend, BrowserSearch(source: "shelf"))
            var outcome: SaveOutcome?
            var done: [Int] = []
            while outcome == nil {
                for case .saving(let event, _) in await queue.next() {
                    if case .progress(let progress) = event {
                        done.append(progress.done)
                        // The first item has failed; five others are being saved.
                        if progress.done == 1 { gate.open() }
                    }
                    if case .done(let result) = event { outcome = result }
                }
            }
            #expect(done == done.sorted() && done.first == 0)
            #expect(outcome?.failed.first?.photo.id == "0")
            #expect(outcome?.failed.count == (kind == .unavailable ? 15 : 1))
            #expect(outcome?.paths.count == (kind == .unavailable ? 5 : 19))
            await saving.finish()
        }
    }

    @Test("A cancelled save begins no more, and what was saved before is told if it is all")
    func cancelled() async throws {
        let transport = ScriptedTransport.pictures()
        let address = try #require(WebAddress("http://pictures.example/1.tif"))
        for count in [2, 20] {
            let items = (0..<count).map { number in
                var photo = Photo(id: "\(number)", source: "shelf")
                photo.thumbnail = address
                return SaveItem(photo: photo, isComplete: true)
            }
            let started = WatchedValue(0)
            let cancelled = AsyncGate()
            let backend = BrowserBackend(
                source: { ShelfSource().over($0) }, transport: transport,
                pipeline: ImagePipeline(transport: transport), size: { _, _ in nil },
                save: { _, target, _ in
                    started.change { $0 += 1 }
                    // The file is there before the cancellation is seen.
                    try? await cancelled.wait()
                    return target.name
                })
            var saving = SaveRunner(services, queue)
            saving.run(SaveJob(items: items, path: "d", isFolder: true), from: backend, BrowserSearch(source: "shelf"))
            await started.wait { $0 == min(count, 6) }
            saving.cancel()
            var end: SaveEvent?
            while end == nil {
                for case .saving(let event, _) in await queue.next() {
                    if case .progress = event { continue }
                    end = event
                }
            }
            #expect(started.value == min(count, 6))
            if case .done(let outcome)? = end { #expect(outcome.paths.count == count) }
            #expect((end == .cancelled) == (count == 20))
            await saving.finish()
        }
    }

    @Test("The run ends when no partial file is left")
    func end() async {
        let files = FileStub(gate: AsyncGate())
        files.removal.change { $0.isAllowed = false }
        let run = await BrowserRun.listing(BrowserRun(files: files))
        run.press(.character("s"))
        await run.drawn { if case .save(let screen) = $0.top { screen.originalSize == .known(1000) } else { false } }
        run.press(.enter)
        await run.drawn {
            if case .save(let screen) = $0.top {
                screen.stage == .saving(SaveProgress(received: 500, bytes: 1000))
            } else {
                false
            }
        }
        run.inbox.receive(.ended(signal: 15))
        await files.removal.wait { $0.started == 1 }
        files.removal.change { $0.isAllowed = true }
        #expect(await run.end == .signal(15))
        #expect(files.removal.value.done == 1)
        #expect(run.memory.places.count == 1)
    }

    /// The numbers of saves with events.
    private func numbers() async -> [Int] {
        await queue.next().compactMap { if case .saving(_, let work) = $0 { work } else { nil } }
    }
}

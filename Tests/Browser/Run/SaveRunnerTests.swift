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

    /// Saves numbered photos, each by `save`, which gets the name of its file.
    private func begin(
        _ saving: inout SaveRunner, _ count: Int = 1,
        _ save: @escaping @Sendable (String, @Sendable (Int, Int?) -> Void) async throws -> Void
    ) {
        let transport = ScriptedTransport.pictures()
        let backend = BrowserBackend(
            source: { ShelfSource().over($0) }, transport: transport, pipeline: ImagePipeline(transport: transport),
            size: { _, _ in nil },
            save: { _, target, progress in
                try await save(target.name, progress)
                return target.name
            })
        let items = (0..<count).map { number in
            var photo = Photo(id: "\(number)", source: "shelf")
            photo.thumbnail = WebAddress("http://pictures.example/1.tif")
            return SaveItem(photo: photo, isComplete: true)
        }
        saving.run(SaveJob(items: items, path: "d", isFolder: count > 1), from: backend, BrowserSearch(source: "shelf"))
    }

    @Test("A save begins when the previous one has removed its file")
    func turns() async throws {
        var saving = SaveRunner(services, queue)
        let files = FileStub(gate: AsyncGate())
        files.removal.change { $0.isAllowed = false }
        begin(&saving) { _ = try await files.save(SaveTarget(path: $0, name: $0, isFolder: false), $1) }
        var works: [Int] = []
        while works.isEmpty { works += await numbers() }
        begin(&saving) { _, _ in }
        await files.removal.wait { $0.started == 1 }
        files.removal.change { $0.isAllowed = true }
        while !works.contains(2) { works += await numbers() }
        #expect(files.removal.value.done == 1 && works == works.sorted())
        await saving.finish()
    }

    @Test("Several are saved at once; one that fails ends alone, but no more begin once nothing can be written")
    func several() async throws {
        for kind in [FetchError.Kind.timedOut, .unavailable] {
            let started = WatchedValue<Set<String>>([])
            let gate = AsyncGate()
            var saving = SaveRunner(services, queue)
            begin(&saving, 20) { name, progress in
                started.change { $0.insert(name) }
                progress(100, 200)
                guard name.hasPrefix("0") else { return try await gate.wait() }
                await started.wait { $0.count == 6 }
                throw FetchError(kind, "no")
            }
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
            #expect(done == done.sorted() && done.first == 0 && outcome?.failed.first?.photo.id == "0")
            #expect(outcome?.failed.count == (kind == .unavailable ? 15 : 1))
            #expect(outcome?.paths.count == (kind == .unavailable ? 5 : 19))
            await saving.finish()
        }
    }

    @Test("A cancelled save begins no more, and what was saved before is told if it is all")
    func cancelled() async throws {
        for count in [2, 20] {
            let started = WatchedValue(0)
            let cancelled = AsyncGate()
            var saving = SaveRunner(services, queue)
            begin(&saving, count) { _, _ in
                started.change { $0 += 1 }
                // The file is there before the cancellation is seen.
                try? await cancelled.wait()
            }
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
        await run.drawn { $0.save?.originalSize == .known(1000) }
        run.press(.enter)
        await run.drawn { $0.save?.stage == .saving(SaveProgress(received: 500, bytes: 1000)) }
        run.inbox.receive(.ended(signal: 15))
        await files.removal.wait { $0.started == 1 }
        files.removal.change { $0.isAllowed = true }
        #expect(await run.end == .signal(15))
        #expect(files.removal.value.done == 1 && run.memory.places.count == 1)
    }

    /// The numbers of saves with events.
    private func numbers() async -> [Int] {
        await queue.next().compactMap { if case .saving(_, let work) = $0 { work } else { nil } }
    }
}

@Suite("SafeFileName")
struct SafeFileNameTests {
    private func name(id: String, title: String = "Title", address: String = "https://h.example/a.jpg") throws -> String
    {
        var photo = Photo(id: id, source: "nasa")
        photo.title = title
        return SafeFileName.of(photo, at: try #require(WebAddress(address)))
    }

    @Test(
        "Ids become safe names",
        arguments: [
            ("as11-40-5874", "as11-40-5874.jpg"), ("../../etc/passwd", "etc_passwd.jpg"), ("a/b\\c", "a_b_c.jpg"),
            (".hidden", "hidden.jpg"), ("-rf", "rf.jpg"), ("a\u{0}b\u{1B}[2Jc", "a_b_[2Jc.jpg"),
            ("a\u{202E}gpj.exe", "a_gpj.exe.jpg"), ("", "Title.jpg"), ("...", "Title.jpg"),
            ("IMG_1.JPG", "IMG_1.jpg"), ("two\nlines", "two_lines.jpg"), ("月の裏", "月の裏.jpg"),
        ])
    func names(id: String, expected: String) throws {
        #expect(try name(id: id) == expected)
    }

    @Test("Names have at most 255 bytes and end between characters")
    func length() throws {
        let long = try name(id: String(repeating: "月", count: 500))
        let lengths = SafeFileName.lengthLimit - 2...SafeFileName.lengthLimit
        #expect(lengths.contains(long.utf8.count) && long.hasSuffix("月.jpg"))
    }

    @Test("An extension is taken from the address only if it looks like one")
    func endings() throws {
        let files = ["a.tar.PNG?x=1.gif", "a", ".jpg", "a.averylongone"]
        #expect(try files.map { try name(id: "x", address: "https://h.example/\($0)") } == ["x.png", "x", "x", "x"])
    }

    @Test("Without a usable id and title the name is photo")
    func nameless() throws { #expect(try name(id: "///", title: "...") == "photo.jpg") }
}

import Glibc
import SpyglassCodecs
import SpyglassFetching
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassBatch

@Suite("BatchRun", .timeLimit(.minutes(10)))
struct BatchRunTests {
    private let fixture: BatchFixture

    init() throws { fixture = try BatchFixture() }

    // MARK: Outputs

    @Test("A run writes and reports every output")
    func reportLines() async throws {
        let source = try BatchFixture.png(40, 20)
        fixture.respond(to: "b.png", .body(source))
        let items: [PlannedItem] = [
            .item(try fixture.file(0, "a.png", source)), .item(fixture.addressItem(1, "b.png")),
            .item(fixture.fileItem(2, "gone.png")),
        ]
        let (summary, reports) = try await fixture.run(BatchJob("10"), items)
        let size = try #require(try fixture.resultBytes()["out/a.png"]).count
        #expect(
            reports.map(\.json) == [
                """
                {"id":"a.png","src":"a.png","status":"ok","out":[{"path":"a.png","width":10,"height":5,"bytes":\(size)}],\
                "source":{"width":40,"height":20,"format":"png","bytes":\(source.count)},"warnings":[],"error":null,"ms":0}
                """,
                """
                {"id":"http://pictures.test/b.png","src":"http://pictures.test/b.png","status":"ok",\
                "out":[{"path":"b.png","width":10,"height":5,"bytes":\(size)}],\
                "source":{"width":40,"height":20,"format":"png","bytes":\(source.count)},"warnings":[],"error":null,"ms":0}
                """,
                """
                {"id":"gone.png","src":"gone.png","status":"failed","out":[],"source":null,"warnings":[],\
                "error":{"kind":"unreadable","message":"cannot open: No such file or directory"},"ms":0}
                """,
            ])
        #expect(
            summary.json() == """
                {"summary":{"ok":2,"skipped":0,"failed":1,"failures":{"unreadable":1},"total":3,"files":2,\
                "bytes":\(2 * size),"interrupted":false,"ms":0}}
                """)
    }

    @Test(
        "WebP and AVIF files and tar members have equal bytes for any number of jobs, and are skipped by the next run",
        .enabled(if: WorkerLibrary.webp.isInstalled && WorkerLibrary.avif.isInstalled, "needs libwebp7 and libavif15"),
        arguments: [BatchJob.Format.webp, .avif], [nil, 10])
    func foreignFormats(format: BatchJob.Format, pack: Int?) async throws {
        let services = fixture.services { $0.decoder = ImageDecoder(workers: .inProcess) }
        let job = BatchJob("20") { ($0.format, $0.effort, $0.isPacked) = (format, 0, pack != nil) }
        let items: [PlannedItem] = try (0..<3).map { number in
            .item(try fixture.file(number, "\(number).png", BatchFixture.png(40, 20, seed: number)))
        }
        try await fixture.run(job, items, jobs: 1, pack: pack, services: services)
        let first = try fixture.resultBytes()
        let (summary, _) = try await fixture.run(job, items, pack: pack, services: services)
        #expect(summary.skipped == 3)
        for name in fixture.results { unlink(fixture.folder.path(name)) }
        try await fixture.run(job, items, jobs: 2, pack: pack, services: services)
        #expect(try fixture.resultBytes() == first)
    }

    @Test("Of a format that is only read the result is a PNG with transparency, else a JPEG, from files and URLs")
    func readFormat() async throws {
        fixture.respond(to: "c.gif", .body(BatchFixture.gif(isTransparent: true)))
        let items: [PlannedItem] = [
            .item(try fixture.file(0, "a.gif", BatchFixture.gif(isTransparent: false))),
            .item(try fixture.file(1, "b.gif", BatchFixture.gif(isTransparent: true))),
            .item(fixture.addressItem(2, "c.gif")),
        ]
        let (_, reports) = try await fixture.run(BatchJob("50%"), items)
        #expect(reports.map { $0.outputs.map(\.path) } == [["a.jpg"], ["b.png"], ["c.png"]])
        #expect(
            reports.allSatisfy { $0.source?.format == .gif && $0.outputs[0].size == PixelSize(width: 1, height: 1) })
        #expect(try await fixture.run(BatchJob("50%"), items).summary.skipped == 3)
        let asPNG = try await fixture.run(BatchJob("50%") { $0.format = .png }, [items[0]]).reports
        #expect(asPNG.map { $0.outputs.map(\.path) } == [["a.png"]])
    }

    @Test("Cover crops to the box, without upscaling")
    func cover() async throws {
        let items = [
            PlannedItem.item(try fixture.file(0, "a.png", BatchFixture.png(40, 20))),
            .item(try fixture.file(1, "b.png", BatchFixture.png(4, 30))),
        ]
        let (_, reports) = try await fixture.run(BatchJob("10x8") { $0.fit = .cover }, items)
        #expect(reports.map { $0.outputs.first?.size?.description } == ["10x8", "4x8"])
    }

    @Test("A crop keeps what the job says, or else the item, and another focus makes it again")
    func focus() async throws {
        // Red, then green, then blue.
        var strip = PixelBuffer(size: PixelSize(width: 30, height: 10))
        for y in 0..<10 {
            for x in 0..<30 {
                strip[x, y] = [RGBA(255, 0, 0), RGBA(0, 255, 0), RGBA(0, 0, 255)][x / 10]
            }
        }
        var items = [try fixture.file(0, "a.png", ImageEncoder(.png).encode(strip))]
        items.append(items[0])
        (items[1].number, items[1].stem, items[1].focus) = (1, "b", .point(x: 1, y: 0))
        func colors(_ focus: Focus) async throws -> (made: Int, colors: [RGBA]) {
            let job = BatchJob("10") {
                $0.fit = .cover
                $0.focus = focus
            }
            let made = try await fixture.run(job, items.map { .item($0) }).summary.ok
            let images = try ["out/a.png", "out/b.png"].map {
                try ImageDecoder().decode(.file(fixture.folder.path($0)), to: .original)
            }
            return (made, images.map { $0.pixels[5, 5] })
        }
        #expect(try await colors(.center) == (2, [RGBA(0, 255, 0), RGBA(0, 0, 255)]))
        #expect(try await colors(.point(x: 0, y: 0.5)) == (1, [RGBA(255, 0, 0), RGBA(0, 0, 255)]))
    }

    @Test("Pad puts the image into the box: on the background, or where there is alpha on nothing")
    func pad() async throws {
        let items = [PlannedItem.item(try fixture.file(0, "a.png", BatchFixture.png(20, 10)))]
        func corner(_ format: BatchJob.Format, _ background: RGBA?) async throws -> (size: String, RGBA) {
            let job = BatchJob("10x40") {
                $0.fit = .pad
                $0.format = format
                $0.background = background
            }
            let output = try #require(try await fixture.run(job, items).reports.first?.outputs.first)
            let image = try ImageDecoder().decode(.file(fixture.folder.path("out/\(output.path)")), to: .original)
                .pixels
            return (image.size.description, image[0, 0])
        }
        #expect(try await corner(.png, nil) == ("10x40", RGBA(0, 0, 0, 0)))
        #expect(try await corner(.png, RGBA(1, 2, 3)) == ("10x40", RGBA(1, 2, 3)))
        #expect(try await corner(.jpeg, nil) == ("10x40", RGBA(255, 255, 255)))
        #expect(try await corner(.jpeg, RGBA(0, 0, 0)) == ("10x40", RGBA(0, 0, 0)))
    }

    @Test("A box above the limits is refused, however small the image is")
    func hugePad() async throws {
        let items = [PlannedItem.item(try fixture.file(0, "a.png", BatchFixture.png(2, 1)))]
        let (_, reports) = try await fixture.run(BatchJob("65000") { $0.fit = .pad }, items)
        #expect(reports.first?.failure?.kind == .limit)
    }

    @Test("Outputs do not depend on threads or timing")
    func sameBytes() async throws {
        var expected: [String: [UInt8]]?
        for jobs in [1, 2, 7] {
            let fixture = try BatchFixture()
            var items: [PlannedItem] = []
            let gates = (0..<6).map { _ in AsyncGate() }
            for number in 0..<12 {
                let bytes = try BatchFixture.png(30 + number, 40, seed: number)
                if number.isMultiple(of: 2) {
                    items.append(.item(try fixture.file(number, "p\(number).png", bytes)))
                } else {
                    fixture.respond(to: "p\(number).png", .gated(gates[number / 2], bytes))
                    items.append(.item(fixture.addressItem(number, "p\(number).png")))
                }
            }
            // Bodies arrive in a different order each time.
            var order = gates
            order.shuffle()
            let opening = Task { [order] in
                await fixture.network.waitForRequests(1)
                for gate in order { gate.open() }
            }
            let sheet = try ContactSheet(path: fixture.folder.path("sheet.png"))
            try await fixture.run(BatchJob("16", "8"), items, jobs: jobs, transfers: 6, sheet: sheet)
            await opening.value
            var made = try fixture.resultBytes()
            made["sheet"] = try fixture.folder.read("sheet.png")
            #expect(made.count == 25 && (expected == nil || made == expected))
            expected = made
        }
    }

    @Test("Items of other shards are neither made nor counted, and an item's own sizes replace the job's")
    func otherShards() async throws {
        var item = try fixture.file(1, "a.png", BatchFixture.png(40, 20))
        item.sizes = [try #require(OutputSize("8"))]
        let (summary, reports) = try await fixture.run(BatchJob("20"), [.excluded, .item(item), .excluded])
        #expect(summary.total == 1 && reports.map(\.number) == [1])
        #expect(reports.first?.outputs.map(\.size) == [PixelSize(width: 8, height: 4)])
    }

    // MARK: Existing outputs

    @Test("An extension .png or .jpg in a name decides the format")
    func endings() async throws {
        let job = BatchJob("8") { $0.template = try? NameTemplate(parsing: "{stem}.jpg") }
        var items = [
            try fixture.file(0, "a.png", BatchFixture.png(16, 16)),
            try fixture.file(1, "b.png", BatchFixture.png(16, 16)),
        ]
        items[1].template = try NameTemplate(parsing: "own/{stem}.{ext}")
        items.append(fixture.addressItem(2, "c.png"))
        fixture.respond(to: "c.png", .body(try BatchFixture.png(16, 16)))
        for expected in [ItemReport.Status.ok, .skipped] {
            let (_, reports) = try await fixture.run(job, items.map { .item($0) })
            #expect(reports.map(\.status) == [expected, expected, expected])
        }
        #expect(fixture.results == ["out/a.jpg", "out/c.jpg", "out/own/b.png"] && fixture.network.count == 1)
        let formats = try fixture.results.map { try ImageDecoder().probe(.file(fixture.folder.path($0))).format }
        #expect(formats == [.jpeg, .jpeg, .png])
    }

    @Test("A second run skips up-to-date outputs without a fetch")
    func secondRun() async throws {
        fixture.respond(to: "b.png", .body(try BatchFixture.png(30, 30)))
        let items: [PlannedItem] = [
            .item(try fixture.file(0, "a.png", BatchFixture.png(40, 20))), .item(fixture.addressItem(1, "b.png")),
        ]
        let (_, first) = try await fixture.run(BatchJob("10"), items)
        let before = try fixture.resultBytes()
        let (summary, second) = try await fixture.run(BatchJob("10"), items)
        #expect(second.map(\.status) == [.skipped, .skipped] && second.map(\.outputs) == first.map(\.outputs))
        #expect(summary.files == 0 && fixture.network.count == 1)
        #expect(try fixture.resultBytes() == before)
    }

    @Test("A changed source, another option and --force make outputs again")
    func outdated() async throws {
        let items = [PlannedItem.item(try fixture.file(0, "a.png", BatchFixture.png(40, 20)))]
        try await fixture.run(BatchJob("10"), items)
        let upscaling = BatchJob("10") { $0.allowsUpscaling = true }
        let filtered = try await fixture.run(upscaling, items)
        let forced = try await fixture.run(BatchJob("10") { ($0.allowsUpscaling, $0.isForced) = (true, true) }, items)
        try fixture.folder.write("a.png", BatchFixture.png(40, 20, seed: 9))
        let changed = try await fixture.run(upscaling, items)
        #expect([filtered, forced, changed].map(\.summary.ok) == [1, 1, 1])
    }

    @Test("Only a missing size is made again, with the same bytes")
    func missingSize() async throws {
        let items = [PlannedItem.item(try fixture.file(0, "a.png", BatchFixture.png(40, 20)))]
        try await fixture.run(BatchJob("20", "10"), items)
        let before = try fixture.resultBytes()
        let gone = try fixture.folder.path(#require(fixture.results.first))
        try #require(remove(gone) == 0)
        let (summary, reports) = try await fixture.run(BatchJob("20", "10"), items)
        #expect(summary.files == 1 && reports.first?.outputs.count == 2)
        #expect(try fixture.resultBytes() == before)
    }

    // MARK: Failures

    @Test("Invalid and truncated files fail with their kind")
    func badFiles() async throws {
        let whole = try BatchFixture.png(40, 40)
        let sources: [(BatchError.Kind, [UInt8])] = [
            (.empty, []), (.notAnImage, Array("<html><body>no</body></html>".utf8)),
            (.unsupported, Array("8BPS............".utf8)), (.corrupt, Array(whole.prefix(whole.count / 2))),
            (.limit, try BatchFixture.png(60, 2)),
        ]
        var items: [PlannedItem] = []
        for (number, source) in sources.enumerated() {
            items.append(.item(try fixture.file(number, "f\(number)", source.1)))
        }
        items.append(.item(BatchItem(number: 5, id: "d", source: .file("/"), shownSource: "/", stem: "d")))
        items.append(.item(BatchItem(number: 6, id: "z", source: .file("a\0b"), shownSource: "", stem: "z")))
        items.append(.failed(number: 7, id: "line 8", shownSource: "", BatchError(.input, "no JSON")))
        var limits = ImageLimits()
        limits.side = 50
        let (summary, reports) = try await fixture.run(
            BatchJob("10"), items,
            services: fixture.services { $0.decoder = ImageDecoder(limits: limits) })
        #expect(reports.map(\.failure?.kind) == sources.map(\.0) + [.unreadable, .unreadable, .input])
        #expect(reports.allSatisfy { $0.status == .failed && $0.outputs.isEmpty })
        #expect(summary.failed == 8 && fixture.results == [])
    }

    @Test("What there is of a truncated image is made if that is asked for")
    func damaged() async throws {
        let whole = try BatchFixture.png(40, 40)
        let items = [PlannedItem.item(try fixture.file(0, "cut.png", Array(whole.prefix(whole.count / 2))))]
        #expect(try await fixture.run(BatchJob("10"), items).summary.failures == [.corrupt: 1])
        let job = BatchJob("10") { $0.damaged = .make }
        let (summary, reports) = try await fixture.run(job, items)
        #expect(summary.ok == 1 && reports[0].isTruncated && reports[0].outputs.count == 1)
        #expect(try await fixture.run(job, items).summary.skipped == 1)
        // What was made of a damaged image does not count otherwise.
        #expect(try await fixture.run(BatchJob("10"), items).summary.failed == 1)
    }

    @Test("An address of a list that a robots tag refuses makes no file")
    func robots() async throws {
        let body = try BatchFixture.png(4, 4)
        let services = fixture.services { services in
            services.transport = ScriptedTransport { request, _ in
                var response = FetchResponse(address: request.address, status: 200, body: body)
                response.headers.add(name: "X-Robots-Tag", value: "noai")
                return response
            }
        }
        var item = fixture.addressItem(0, "a.png")
        #expect(try await fixture.run(BatchJob("2"), [.item(item)], services: services).summary.ok == 1)
        item = fixture.addressItem(0, "b.png")
        item.isListed = true
        let (_, reports) = try await fixture.run(BatchJob("2"), [.item(item)], services: services)
        #expect(reports[0].failure?.kind == .robotsTag && fixture.results == ["out/a.png"])
        let job = BatchJob("2") { $0.ignoresRobotsTag = true }
        #expect(try await fixture.run(job, [.item(item)], services: services).summary.ok == 1)
    }

    @Test(
        "Failed fetches have their kind",
        arguments: [
            (
                BatchFixture.Response.status(404), BatchError.Kind.notFound,
                "http://pictures.test/x returned HTTP 404"
            ),
            (.status(410), .notFound, "http://pictures.test/x returned HTTP 410"),
            (.status(503), .fetch, "http://pictures.test/x returned HTTP 503"),
            (.body([]), .empty, "empty"),
            (.failure(FetchError(.tooLarge, "too large", exceededLimit: .body)), .limit, "too large"),
            (.failure(FetchError(.unreachable, "no route")), .fetch, "no route"),
            (.failure(FetchError(.timedOut, "silent")), .fetch, "silent"),
            (.failure(FetchError(.notRecorded, "not in it")), .notFound, "not in it"),
        ])
    func badAnswers(_ answer: BatchFixture.Response, _ kind: BatchError.Kind, _ message: String) async throws {
        fixture.respond(to: "x", answer)
        let (_, reports) = try await fixture.run(BatchJob("10"), [.item(fixture.addressItem(0, "x"))])
        #expect(reports.first?.failure == BatchError(kind, message))
    }

    @Test("An unrelated file is replaced only by force")
    func foreignFile() async throws {
        let items = [PlannedItem.item(try fixture.file(0, "a.png", BatchFixture.png(40, 20)))]
        try fixture.folder.write("out/a.png", "unrelated")
        let (_, reports) = try await fixture.run(BatchJob("10"), items)
        #expect(try reports.first?.failure?.kind == .collision && fixture.folder.text("out/a.png") == "unrelated")
        #expect(try await fixture.run(BatchJob("10") { $0.isForced = true }, items).summary.ok == 1)
    }

    @Test("A source is never replaced by its output, even by force", arguments: [false, true])
    func ownSource(_ isForced: Bool) async throws {
        let bytes = try BatchFixture.png(40, 20)
        let item = try fixture.file(0, "out/a.png", bytes)
        let template = try NameTemplate(parsing: "a.{ext}")
        let job = BatchJob("10") { ($0.isForced, $0.template) = (isForced, template) }
        let (_, reports) = try await fixture.run(job, [.item(item)])
        #expect(try reports.first?.failure?.kind == .collision && fixture.folder.read("out/a.png") == bytes)
    }

    @Test("Of two equal items, the second is up to date", arguments: [false, true])
    func repeated(isForced: Bool) async throws {
        let job = BatchJob("10") { $0.isForced = isForced }
        fixture.respond(to: "b.png", .body(try BatchFixture.png(20, 20)))
        let items = [
            try fixture.file(0, "a.png", BatchFixture.png(20, 20)), fixture.fileItem(1, "a.png"),
            fixture.addressItem(2, "b.png"), fixture.addressItem(3, "b.png"),
        ]
        for counts in [[2, 2, 2], isForced ? [2, 2, 2] : [0, 4, 0]] {
            let (summary, reports) = try await fixture.run(job, items.map { .item($0) })
            #expect([summary.ok, summary.skipped, summary.files, summary.failed] == counts + [0])
            #expect(reports.allSatisfy { $0.outputs.count == 1 })
        }
        #expect(fixture.results == ["out/a.png", "out/b.png"])
    }

    @Test(
        "A result of a URL in a format that was asked for is not up to date for a run that chooses",
        arguments: [false, true])
    func givenFormat(isPacked: Bool) async throws {
        fixture.respond(to: "a.png", .body(try BatchFixture.png(20, 20)))
        let items = [PlannedItem.item(fixture.addressItem(0, "a.png"))]
        for (format, counts) in [
            (BatchJob.Format.jpeg, [1, 0]), (.jpeg, [0, 1]), (.same, [1, 0]), (.same, [0, 1]), (.png, [0, 1]),
        ] {
            let job = BatchJob("10") { ($0.format, $0.isPacked) = (format, isPacked) }
            let (summary, _) = try await fixture.run(job, items, pack: isPacked ? 1 : nil)
            #expect([summary.ok, summary.skipped] == counts, "\(format)")
        }
    }

    @Test("Where the given and the chosen format of a URL are one, the result stays up to date for the given one")
    func chosenFormat() async throws {
        let photo = try ImageEncoder(.jpeg(.init())).encode(BatchFixture.picture(20, 20))
        fixture.respond(to: "a.jpg", .body(photo))
        let items = [PlannedItem.item(fixture.addressItem(0, "a.jpg"))]
        for (format, counts) in [(BatchJob.Format.jpeg, [1, 0]), (.same, [1, 0]), (.jpeg, [0, 1]), (.same, [0, 1])] {
            let (summary, _) = try await fixture.run(BatchJob("10") { $0.format = format }, items)
            #expect([summary.ok, summary.skipped] == counts, "\(format)")
        }
    }

    @Test("A feed error ends the run after the items in flight")
    func feedFails() async throws {
        let item = try fixture.file(0, "a.png", BatchFixture.png(40, 20))
        let events = CallRecorder<BatchEvent>()
        let problem = BatchError(.unavailable, "the search is gone")
        let feed = ListedFeed([.item(item)], then: problem)
        let run = fixture.batch(BatchJob("10"), feed, into: try fixture.output(), observer: events.record)
        await #expect(throws: problem) { try await run.run() }
        #expect(events.summaries.map(\.ok) == [1])
    }

    // MARK: Dry runs

    @Test("A dry run reports outputs without fetching or writing")
    func dryRun() async throws {
        let items: [PlannedItem] = [
            .item(try fixture.file(0, "a.png", BatchFixture.png(40, 20))), .item(fixture.addressItem(1, "b.PNG")),
            .item(fixture.addressItem(2, "c")),
        ]
        let events = CallRecorder<BatchEvent>()
        let job = BatchJob("10") { $0.isDryRun = true }
        let summary = try await fixture.batch(job, ListedFeed(items), into: nil, observer: events.record).run()
        #expect(summary.planned == 3 && fixture.network.count == 0 && fixture.results == [])
        #expect(events.reports.flatMap(\.outputs).map(\.path) == ["a.png", "b.png", "c.jpg"])
    }

    @Test("A single thread takes files in the feed's order")
    func order() async throws {
        let items = try (0..<60).map { PlannedItem.item(try fixture.file($0, "\($0).png", BatchFixture.png(4, 2))) }
        let run = try await fixture.run(BatchJob("10"), items, jobs: 1)
        #expect(run.reports.map(\.number) == Array(0..<60))
    }

    @Test("Of lines with one output name the first has it, however slow it is", arguments: [false, true])
    func namesakes(isDryRun: Bool) async throws {
        let gate = AsyncGate()
        fixture.respond(to: "slow.png", .gated(gate, try BatchFixture.png(20, 10)))
        var items = [fixture.addressItem(0, "slow.png")]
        items += try (1..<4).map { try fixture.file($0, "\($0).png", BatchFixture.png(40, 20)) }
        for (index, name) in ["one.{ext}", "one.png", "two.png", "one.{ext}"].enumerated() {
            items[index].template = try NameTemplate(parsing: name)
            items[index].isListed = true
        }
        let job = BatchJob("10") { $0.isDryRun = isDryRun }
        let run = try await fixture.run(job, items.map { .item($0) }, jobs: 2) { event in
            if case .ended(let report) = event, report.number == 2 { gate.open() }
        }
        #expect(run.reports.map(\.failure?.kind) == [nil, .collision, nil, .collision])
    }

    @Test("A dry run finds the same collisions as a run")
    func dryRunCollides() async throws {
        try await fixture.run(
            BatchJob("10") { $0.template = try? NameTemplate(parsing: "old.{ext}") },
            [.item(try fixture.file(0, "old.png", BatchFixture.png(40, 20)))])
        try fixture.folder.write("out/theirs.png", "unrelated")
        fixture.respond(to: "e.png", .body(try BatchFixture.png(20, 20)))
        var items = try ["a", "b", "c", "d"].enumerated().map {
            try fixture.file($0, "\($1).png", BatchFixture.png(40, 20))
        }
        items += [fixture.addressItem(4, "e.png"), fixture.fileItem(5, "a.png")]
        for (index, name) in ["same", "same", "old", "theirs", "same", "same"].enumerated() {
            items[index].template = try NameTemplate(parsing: "\(name).{ext}")
        }
        let job = BatchJob("10")
        let before = try fixture.resultBytes()
        let dry = try await fixture.run(BatchJob("10") { $0.isDryRun = true }, items.map { .item($0) }, jobs: 1)
        #expect(try fixture.resultBytes() == before)
        let real = try await fixture.run(job, items.map { .item($0) }, jobs: 1)
        let expected: [BatchError.Kind?] = [nil, .collision, .collision, .collision, .collision, nil]
        for (run, statuses) in [(dry, [ItemReport.Status.planned, .skipped]), (real, [.ok, .skipped])] {
            #expect(run.reports.map(\.failure?.kind) == expected)
            #expect(run.reports.filter { $0.failure == nil }.map(\.status) == statuses)
        }
    }

    @Test("A dry run checks existing files, unless forced")
    func dryRunLooks() async throws {
        let item = try fixture.file(0, "a.png", BatchFixture.png(40, 20))
        try fixture.folder.write("out/a.png", "unrelated")
        for isForced in [false, true] {
            let folder = try #require(OutputFolder.readOnly(at: fixture.outputPath))
            let job = BatchJob("10") { ($0.isDryRun, $0.isForced) = (true, isForced) }
            let summary = try await fixture.batch(job, ListedFeed([.item(item)]), into: folder).run()
            #expect([summary.failed, summary.planned] == (isForced ? [0, 1] : [1, 0]))
        }
    }

    // MARK: Limits

    @Test("Items in flight stay within the limits")
    func bounds() async throws {
        let body = try BatchFixture.png(50, 50)
        var items: [PlannedItem] = []
        for number in 0..<40 {
            if number.isMultiple(of: 2) {
                items.append(.item(try fixture.file(number, "f\(number).png", body)))
            } else {
                fixture.respond(to: "n\(number).png", .body(body))
                items.append(.item(fixture.addressItem(number, "n\(number).png")))
            }
        }
        let running = Mutex((now: 0, most: 0))
        let run = fixture.batch(
            BatchJob("10"), ListedFeed(items), into: try fixture.output(), jobs: 2, transfers: 3
        ) { event in
            running.withLock { running in
                switch event {
                case .began: running.now += 1
                case .ended: running.now -= 1
                case .finished: break
                }
                running.most = max(running.most, running.now)
            }
        }

        #expect(try await run.run().ok == 40)
        // Two files for each thread, three transfers, and two bodies in decoders.
        #expect((1...9).contains(running.withLock { $0.most }))
    }

    // MARK: Stopping

    @Test(
        "A stopped run leaves complete outputs; the next run adds the rest", arguments: 0..<12)
    func stopped(_ eventCount: Int) async throws {
        var items: [PlannedItem] = []
        for number in 0..<8 {
            let bytes = try BatchFixture.png(60, 40, seed: number)
            if number.isMultiple(of: 3) {
                fixture.respond(to: "p\(number).png", .body(bytes))
                items.append(.item(fixture.addressItem(number, "p\(number).png")))
            } else {
                items.append(.item(try fixture.file(number, "p\(number).png", bytes)))
            }
        }
        let events = CallRecorder<BatchEvent>()
        let task = Mutex<Task<BatchSummary, any Error>?>(nil)
        let run = fixture.batch(
            BatchJob("20", "9"), ListedFeed(items), into: try fixture.output(), jobs: 2, transfers: 2
        ) { event in
            events.record(event)
            if events.values.count == eventCount { task.withLock { $0?.cancel() } }
        }
        let gate = AsyncGate()
        let running = Task {
            try await gate.wait()
            return try await run.run()
        }
        task.withLock { $0 = running }
        if eventCount > 0 { gate.open() } else { running.cancel() }
        let summary = try? await running.value
        let ended = events.reports
        #expect(summary.map { $0.isInterrupted && $0.total == ended.count } ?? true)
        #expect(Set(ended.map(\.number)).count == ended.count)
        for name in fixture.results {
            let result = try ImageDecoder().decode(.bytes(fixture.folder.read(name)), to: .original)
            #expect(result.completeness == .complete && !name.contains(".tmp"))
        }
        let (completed, _) = try await fixture.run(BatchJob("20", "9"), items)
        #expect(completed.failed == 0 && fixture.results.count == 16)
    }

    @Test("A stopped run reports the items that began as cancelled")
    func cancelledReports() async throws {
        let gate = AsyncGate()
        let begun = AsyncGate()
        fixture.respond(to: "slow.png", .gated(gate, []))
        let items = (0..<3).map { PlannedItem.item(fixture.addressItem($0, "slow.png")) }
        let events = CallRecorder<BatchEvent>()
        let run = fixture.batch(BatchJob("10"), ListedFeed(items), into: try fixture.output()) { event in
            events.record(event)
            begun.open()
        }
        let task = Task { try await run.run() }
        try await begun.wait()
        task.cancel()
        let summary = try await task.value
        #expect(events.reports.map(\.failure?.kind) == [.cancelled] && events.reports.map(\.status) == [.cancelled])
        #expect(summary.isInterrupted && [summary.failed, summary.cancelled, summary.left] == [0, 1, 3])
    }

    @Test("An archive that takes no more responses ends the run")
    func fullArchive() async throws {
        var full = FetchError(.unavailable, "cannot write archive/index.jsonl: no space")
        full.isRecordingFailure = true
        for name in ["a", "b", "c"] { fixture.respond(to: name, .failure(full)) }
        let items = ["a", "b", "c"].enumerated().map { PlannedItem.item(fixture.addressItem($0, $1)) }
        await #expect(throws: BatchError(.unavailable, "cannot write archive/index.jsonl: no space")) {
            try await fixture.run(BatchJob("10"), items, jobs: 1, transfers: 1)
        }
        #expect(fixture.network.count == 1)
    }

    @Test("A full disk ends the run without waiting for the feed")
    func fullDisk() async throws {
        fixture.respond(to: "slow.png", .gated(AsyncGate(), []))
        let items: [PlannedItem] = [
            .item(fixture.addressItem(0, "slow.png")), .item(try fixture.file(1, "a.png", BatchFixture.png(40, 20))),
        ]
        let events = CallRecorder<BatchEvent>()
        let full = try OutputFolder(path: fixture.outputPath, .failing(with: ENOSPC))
        let run = fixture.batch(
            BatchJob("10"), EndlessFeed(items), into: full, transfers: 2, observer: events.record)
        let problem = await asyncBatchError { try await run.run() }
        #expect(problem?.kind == .unavailable && problem?.reason.hasSuffix(": No space left on device") == true)
        #expect(events.summaries.map(\.ok) == [0] && fixture.results == [])
        let ended = events.reports
        #expect(ended.allSatisfy { $0.failure?.kind == .cancelled } && ended.contains { $0.number == 1 })
    }

    @Test("A run that is cancelled before its start does not wait for its feed")
    func cancelledBeforehand() async throws {
        let run = fixture.batch(BatchJob("10"), EndlessFeed([]), into: try fixture.output())
        let gate = AsyncGate()
        let task = Task {
            try? await gate.wait()
            return try await run.run()
        }
        task.cancel()
        #expect(try await task.value.isInterrupted)
    }
}

/// Items of a list; then it waits like an open pipe.
private final class EndlessFeed: BatchFeed {
    let count: Int? = nil
    private let rest: Mutex<[PlannedItem]>

    init(_ items: [PlannedItem]) { rest = Mutex(items.reversed()) }

    func next() async throws -> PlannedItem? {
        if let item = rest.withLock({ $0.popLast() }) { return item }
        try await AsyncGate().wait()
        return nil
    }
}

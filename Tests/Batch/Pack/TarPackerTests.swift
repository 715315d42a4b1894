import SpyglassCodecs
import SpyglassFiles
import SpyglassJSON
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassBatch

@Suite("TarPacker", .timeLimit(.minutes(10)))
struct TarPackerTests {
    private let fixture: BatchFixture

    init() throws { fixture = try BatchFixture() }

    private var job: BatchJob { BatchJob("10") { $0.isPacked = true } }

    private func items(_ count: Int) throws -> [PlannedItem] {
        try (0..<count).map { .item(try fixture.file($0, "\($0).png", try BatchFixture.png(20, 10, seed: $0))) }
    }

    /// The names and bytes of a tar file's members.
    private func members(_ name: String) throws -> [(name: String, bytes: [UInt8])] {
        let bytes = try fixture.folder.read(name)
        var members: [(String, [UInt8])] = []
        var offset = 0
        while let header = Tar.header(Array(bytes[offset..<min(offset + Tar.blockBytes, bytes.count)])) {
            let start = offset + Tar.blockBytes
            members.append((header.name, Array(bytes[start..<start + header.byteCount])))
            offset = start + Tar.padded(header.byteCount)
        }
        #expect(Array(bytes[offset...]) == Tar.end)
        return members
    }

    private func identities() throws -> [FileIdentity] {
        try fixture.results.map { try Folder.working.status(of: fixture.folder.path($0)).identity }
    }

    @Test("A tar file holds the samples of its inputs, in order, each with its metadata")
    func contents() async throws {
        var all = try items(4)
        if case .item(var item) = all[0] {
            item.id = "zero"
            item.caption = "A caption"
            item.columns = [.init(name: "label", value: .number("7"))]
            all[0] = .item(item)
        }
        all.insert(.failed(number: 9, id: "x", shownSource: "", BatchError(.input, "broken")), at: 1)
        let (summary, reports) = try await fixture.run(job, all, pack: 3)
        #expect(summary.ok == 4 && summary.files == 2)
        #expect(fixture.results == ["out/00000.tar", "out/00001.tar"])
        let first = try members("out/00000.tar")
        #expect(first.prefix(3).map(\.name) == ["zero.png", "zero.json", "zero.txt"] && first.count == 5)
        let texts = first.map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(texts[1].hasPrefix(#"{"id":"zero","source":"0.png","width":20,"height":10,"#))
        #expect(texts[1].hasSuffix(#""columns":{"label":7}}"#) && texts[2] == "A caption")
        #expect(reports[0].tar == "00000.tar" && reports[0].member == "zero.png")
        #expect(reports.last?.json.contains(#""tar":"00000.tar","member":null"#) == true, "The bad line has no member")
        #expect(try members("out/00001.tar").count == 4)
    }

    @Test("Several sizes have their width in the name")
    func sizes() async throws {
        let job = BatchJob("10", "5x", "5x4") { $0.isPacked = true }
        try await fixture.run(job, try items(1), pack: 3)
        let endings = try members("out/00000.tar").map { $0.name.drop { $0 != "." } }
        #expect(endings == [".10.png", ".5x.png", ".5x4.png", ".json"])
    }

    @Test("Samples wait for their turn, and bytes do not depend on who is first")
    func order() async throws {
        let gate = AsyncGate()
        fixture.respond(to: "slow.png", .gated(gate, try BatchFixture.png(20, 10)))
        let all = [PlannedItem.item(fixture.addressItem(0, "slow.png"))] + (try items(6)).dropFirst()
        try await fixture.run(job, all, pack: 2) { event in
            if case .ended(let report) = event, report.number == 5 { gate.open() }
        }
        #expect(fixture.results == ["out/00000.tar", "out/00001.tar", "out/00002.tar"])
        let bytes = try fixture.resultBytes()
        try await fixture.run(BatchJob("10") { ($0.isPacked, $0.isForced) = (true, true) }, all, jobs: 1, pack: 2)
        #expect(try fixture.resultBytes() == bytes)
    }

    @Test("A second run changes nothing; a retried failure rewrites its own tar file")
    func again() async throws {
        let all = try items(5)
        let image = try fixture.folder.read("1.png")
        try fixture.folder.write("1.png", [1])
        #expect(try await fixture.run(job, all, pack: 2).summary.failed == 1)
        let before = try identities()
        let again = try await fixture.run(job, all, pack: 2).summary
        #expect(again.skipped == 4 && again.files == 0)
        #expect(try identities() == before)
        try fixture.folder.write("1.png", image)
        let retried = try await fixture.run(job, all, pack: 2).summary
        #expect(retried.ok == 1 && retried.skipped == 4 && retried.files == 1)
        #expect(try identities().dropFirst() == before.dropFirst())
        #expect(try members("out/00000.tar").count == 4)
    }

    @Test("A sample stays when its source is lost, and more inputs extend the last tar file")
    func keeps() async throws {
        let all = try items(4)
        try await fixture.run(job, Array(all.prefix(3)), pack: 2)
        try fixture.folder.write("0.png", [])
        let (summary, _) = try await fixture.run(job, all, pack: 2)
        #expect(summary.failed == 1 && summary.ok == 1 && summary.files == 1)
        #expect(try members("out/00000.tar").count == 4 && members("out/00001.tar").count == 4)
    }

    @Test("A tar file stays while nothing of it can be made, and a later run makes it again")
    func replaced() async throws {
        let all = try items(2)
        try await fixture.run(job, all, pack: 2)
        let before = try identities()
        let other = BatchJob("12") { $0.isPacked = true }
        let images = try ["0.png", "1.png"].map { ($0, try fixture.folder.read($0)) }
        for (name, _) in images { try fixture.folder.write(name, []) }
        #expect(try await fixture.run(other, all, pack: 2).summary.failed == 2)
        #expect(try identities() == before)
        for (name, bytes) in images { try fixture.folder.write(name, bytes) }
        #expect(try await fixture.run(other, all, pack: 2).summary.ok == 2)
        #expect(try members("out/00000.tar").count == 4 && identities() != before)
    }

    @Test("A tar file goes whose samples another one has now, and nothing of it can be made")
    func moved() async throws {
        let all = try items(4)
        try await fixture.run(job, all, pack: 2)
        let lost = [PlannedItem.item(try fixture.file(8, "x.png", [])), .item(try fixture.file(9, "y.png", []))]
        for isForced in [false, true] {
            let job = BatchJob("10") { ($0.isPacked, $0.isForced) = (true, isForced) }
            #expect(try await fixture.run(job, all[..<2] + lost + all[2...], pack: 2).summary.failed == 2)
            #expect(fixture.results == ["out/00000.tar", "out/00002.tar"])
        }
    }

    @Test("An image that is refused leaves its tar file, which goes with its last one", arguments: [false, true])
    func refused(isForced: Bool) async throws {
        try await fixture.run(job, try items(3), pack: 2)
        var refused = [fixture.fileItem(1, "1.png"), fixture.fileItem(2, "2.png")]
        for index in refused.indices { refused[index].expectedHash = String(repeating: "0", count: 64) }
        let other = BatchJob(isForced ? "10" : "12") { ($0.isPacked, $0.isForced) = (true, isForced) }
        let items = try items(1) + refused.map { .item($0) }
        #expect(try await fixture.run(other, items, pack: 2).summary.failed == 2)
        #expect(fixture.results == ["out/00000.tar"])
        #expect(try members("out/00000.tar").count == 2)
    }

    @Test("A refused image leaves a tar file of which nothing can be made; the other samples stay")
    func refusedAmongLost() async throws {
        try await fixture.run(job, try items(3), pack: 3)
        try fixture.folder.write("0.png", [])
        try fixture.folder.write("2.png", [])
        var refused = fixture.fileItem(1, "1.png")
        refused.expectedHash = String(repeating: "0", count: 64)
        let other = BatchJob("12") { $0.isPacked = true }
        let items = [fixture.fileItem(0, "0.png"), refused, fixture.fileItem(2, "2.png")]
        #expect(try await fixture.run(other, items.map { .item($0) }, pack: 3).summary.failed == 3)
        let names = try members("out/00000.tar").map(\.name)
        #expect(names.count == 4 && !names.contains { $0.hasPrefix("1") })
    }

    @Test("Shards are packed at once, but each by one run, and none beside a run of the whole folder")
    func locked() throws {
        let path = fixture.outputPath
        func pack(_ shard: String?) throws -> (OutputFolder, TarPacker) {
            let folder = try OutputFolder(path: path)
            let shard = try shard.map { try Shard(parsing: $0) { _ in nil } }
            return (folder, try TarPacker(.folder(folder, inputs: 2, isForced: false), shard: shard))
        }
        for (first, others) in [
            ("0/2", [("1/2", true), ("0/2", false), (nil, false)]), (nil, [("0/2", false), (nil, false)]),
        ] as [(String?, [(String?, Bool)])] {
            let running = try pack(first)
            for (shard, isFree) in others {
                let error = batchError { try pack(shard) }
                let isRefused = error?.kind == .unavailable && error?.message.contains("another run is packing") == true
                #expect(isRefused != isFree && (error == nil) == isFree, "\(shard ?? "all"): \(error?.message ?? "")")
            }
            running.0.removeTemporaries()
            #expect(!fixture.folder.files.contains { $0.contains("shard-0") })
            withExtendedLifetime(running) {}
        }
    }

    @Test("Tar files of other inputs are refused before anything is made, unless forced")
    func otherInputs() async throws {
        let all = try items(6)
        try await fixture.run(job, Array(all.prefix(3)), pack: 2)
        let bytes = try fixture.resultBytes()
        let ended = Mutex(0)
        let error = await asyncBatchError {
            try await fixture.run(job, Array(all.suffix(3)), pack: 2) { event in
                if case .ended = event { ended.withLock { $0 += 1 } }
            }
        }
        #expect(error?.kind == .usage && error?.remedy == "choose another --out, or use --force")
        #expect(error?.reason.contains("00000.tar' has none of these images") == true)
        #expect(try fixture.resultBytes() == bytes && ended.withLock { $0 } == 0)
        let forced = BatchJob("10") { ($0.isPacked, $0.isForced) = (true, true) }
        #expect(try await fixture.run(forced, Array(all.suffix(3)), pack: 2).summary.ok == 3)
        #expect(try members("out/00000.tar").first?.name.hasPrefix("3_png-") == true)
    }

    @Test("A list that grew, shrank, begins with a failure or has no input is the same list")
    func sameInputs() async throws {
        let all = try items(5)
        let image = try fixture.folder.read("0.png")
        try fixture.folder.write("0.png", [1])
        #expect(try await fixture.run(job, Array(all.prefix(3)), pack: 2).summary.ok == 2)
        try fixture.folder.write("0.png", image)
        #expect(try await fixture.run(job, all, pack: 2).summary.ok == 3)
        #expect(try await fixture.run(job, Array(all.prefix(2)), pack: 2).summary.skipped == 2)
        let new = PlannedItem.item(try fixture.file(9, "new.png", image))
        #expect(try await fixture.run(job, [new] + all, pack: 2).summary.failed == 0)
        #expect(try await fixture.run(job, [.excluded], pack: 2).summary.total == 0)
    }

    @Test("A sample with a member twice is made again")
    func repeatedMember() async throws {
        try await fixture.run(job, try items(1), pack: 2)
        let bytes = try fixture.folder.read("out/00000.tar")
        let data = bytes.dropLast(Tar.end.count)
        let last = Tar.blockBytes + Tar.padded(try #require(try members("out/00000.tar").last).bytes.count)
        try fixture.folder.write("out/00000.tar", Array(data + data.suffix(last)) + Tar.end)
        try await fixture.run(job, try items(1), pack: 2)
        #expect(try fixture.folder.read("out/00000.tar") == bytes)
    }

    @Test("A sample that could not be written counts as left, also one that has to wait")
    func unwritten() throws {
        for turn in [0, 1] {
            let packer = try TarPacker(
                .stream({ _ in throw BatchError(.unavailable, "full") }, scratch: "/nowhere", isImage: false))
            packer.add(.made([1]), turn: turn)
            packer.add(.made([2]), turn: 2)
            #expect(packer.streamFailure != nil && packer.finish(isComplete: true).unfinished == 2, "\(turn)")
        }
    }

    @Test("A tar file that ends early is made again")
    func damaged() async throws {
        let all = try items(3)
        try await fixture.run(job, all, pack: 3)
        let bytes = try fixture.folder.read("out/00000.tar")
        for count in [bytes.count - 1, bytes.count / 2, 700, 0] {
            try fixture.folder.write("out/00000.tar", Array(bytes.prefix(count)))
            try await fixture.run(job, all, pack: 3)
            #expect(try fixture.folder.read("out/00000.tar") == bytes, "\(count)")
        }
    }

    @Test("Another number of inputs and tar files of other programs are refused before anything changes")
    func refused() async throws {
        let all = try items(3)
        try await fixture.run(job, all, pack: 2)
        let bytes = try fixture.resultBytes()
        for count in [1, 3] {
            #expect(await asyncBatchError { try await fixture.run(job, all, pack: count) }?.kind == .usage)
        }
        try fixture.folder.write("out/00007.tar", "not a tar file")
        let error = await asyncBatchError { try await fixture.run(job, all, pack: 2) }
        #expect(error?.reason.contains("was not made by spyglass") == true)
        #expect(try fixture.resultBytes().filter { $0.key != "out/00007.tar" } == bytes)
    }

    @Test("A stopped run leaves whole tar files only, and counts the rest as left")
    func stopped() async throws {
        let gate = AsyncGate()
        fixture.respond(to: "slow.png", .gated(gate, []))
        let all = try items(3) + [.item(fixture.addressItem(3, "slow.png"))]
        let ended = Mutex(0)
        let task = Mutex<Task<BatchSummary, any Error>?>(nil)
        let started = AsyncGate()
        let work = Task { [job] in
            try await started.wait()
            return try await fixture.run(job, all, pack: 2) { event in
                guard case .ended = event else { return }
                let count = ended.withLock { count in
                    count += 1
                    return count
                }
                if count == 3 { task.withLock { $0 }?.cancel() }
            }.summary
        }
        task.withLock { $0 = work }
        started.open()
        let summary = try await work.value
        #expect(summary.ok == 2 && summary.left == 2 && summary.isInterrupted)
        #expect(fixture.results == ["out/00000.tar"])
    }
}

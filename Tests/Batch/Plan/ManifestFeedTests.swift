import Glibc
import SpyglassFetching
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassBatch

@Suite("ManifestFeed", .timeLimit(.minutes(10)))
struct ManifestFeedTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func items(_ text: String, job: BatchJob? = nil) async throws -> [PlannedItem] {
        try folder.write("list.jsonl", text)
        return try await ManifestFeed(path: folder.path("list.jsonl"), job ?? .sample("320")).all()
    }

    @Test("A line has a source, an id, sizes and a name")
    func line() async throws {
        let item = try #require(
            try await items(#"{"id":"m31","src":"deep/M31.jpg","size":["320x","x64"],"name":"{id}/{w}x{h}.{ext}"}"#)
                .first?.item)
        #expect(
            [item.id, item.stem, item.manifestSource, item.template?.text]
                == ["m31", "m31", "deep/M31.jpg", "{id}/{w}x{h}.{ext}"])
        #expect(item.source == .file("deep/M31.jpg") && item.sizes.map(\.description) == ["320x", "x64"])
    }

    @Test(
        "A source is a URL or a path",
        arguments: [
            ("a/b.jpg", "a/b.jpg", "a/b"), ("/a/b.tar", "/a/b.tar", "/a/b.tar"),
            ("file:///a%20b.jpg", "/a b.jpg", "/a b"),
            ("file://localhost/a.png", "/a.png", "/a"),
            ("https://x.test/a/b.jpg?size=1", "https://x.test/a/b.jpg?size=1", "x.test/a/b.jpg?size=1"),
            (" http://x.test/a.jpg", "http://x.test/a.jpg", "x.test/a"), (" a.jpg", " a.jpg", " a"),
            ("HTTP://x.test/a.jpg", "http://x.test/a.jpg", "x.test/a"), ("c:x.jpg", "c:x.jpg", "c:x"),
        ])
    func sources(_ source: String, _ expected: String, _ stem: String) async throws {
        let item = try #require(try await items(#"{"src":"\#(source)"}"#).first?.item)
        let found =
            switch item.source {
            case .file(let path): path
            case .address(let address): address.text
            }
        #expect([found, item.stem] == [expected, stem] && item.trust == .any)
    }

    @Test("Items without an id differ if only a hidden secret does", arguments: ["code", "key", "token", "sig"])
    func hiddenSecrets(name: String) async throws {
        let lines = ["a", "b"].map { #"{"src":"http://x.test/a?\#(name)=\#($0)"}"# }
        let planned = try await items(lines.joined(separator: "\n")).compactMap(\.item)
        #expect(planned.map(\.shownSource) == Array(repeating: "http://x.test/a?\(name)=***", count: 2))
        for values in [planned.map(\.id), planned.map(\.stem)] {
            #expect(Set(values).count == 2 && !values.joined().contains("\(name)=a"))
        }
    }

    @Test("A focus is a member, or a column of a table, and not copied to the report")
    func focus() async throws {
        let lines = [#""0.25,1""#, #""attention""#, "null"].map { #"{"src":"a","focus":\#($0)}"# }
        let items = try await items(lines.joined(separator: "\n"))
        #expect(items.map { $0.item?.focus } == [.point(x: 0.25, y: 1), .attention, nil])
        #expect(items.allSatisfy { $0.item?.columns == [] })
        var job = try BatchJob.sample("320")
        job.fit = .cover
        try folder.write("list.csv", "src,focus\na,\"0.25,1\"\nb,\n")
        let table = try await ManifestFeed(path: folder.path("list.csv"), job).all()
        #expect(table.map { $0.item?.focus } == [.point(x: 0.25, y: 1), nil])
    }

    private static let longSource = "{\"src\":\"" + String(repeating: "a", count: 4097) + "\"}"
    private static let manySizes = "{\"src\":\"a\",\"size\":[" + (1...65).map(String.init).joined(separator: ",") + "]}"

    @Test(
        "An invalid line is a failed item with its number, id and source",
        arguments: [
            ("{", nil, ""), ("[1]", nil, ""), ("17", nil, ""), (#"{"id":"x"}"#, "x", ""), (#"{"src":17}"#, nil, ""),
            (#"{"src":""}"#, nil, ""), (#"{"src":"a","id":""}"#, "a", "a"), (#"{"src":"a","id":[]}"#, "a", "a"),
            (#"{"src":17,"id":42}"#, "42", ""), (manySizes, "a", "a"),
            (#"{"id":"x","src":"a","size":"big"}"#, "x", "a"), (#"{"src":"a","size":0}"#, "a", "a"),
            (#"{"src":"a","focus":"left"}"#, "a", "a"), (#"{"src":"a","focus":[0.5,0.5]}"#, "a", "a"),
            (#"{"src":"a","name":"../x"}"#, "a", "a"), (#"{"src":"a","name":7}"#, "a", "a"),
            (#"{"src":"a","name":"{id}.gif"}"#, "a", "a"),
            (#"{"src":"a","size":["1","2"],"name":"x"}"#, "a", "a"),
            (#"{"src":"ftp://x.test/"}"#, "ftp://x.test/", "ftp://x.test/"),
            (#"{"id":7,"src":"https://me:hunter2@x.test/a?b=1&token=c#d"}"#, "7", "https://***@x.test/a?b=1&token=***"),
            (#"{"src":"file://other/x"}"#, "file://other/x", "file://other/x"),
            (#"{"src":"file://"}"#, "file://", "file://"), (#"{"src":"a"} x"#, nil, ""), ("\u{0}", nil, ""),
            (#"{"renditions":[]}"#, nil, ""), (#"{"id":"x","renditions":[{}]} "#, "x", ""),
            (longSource, nil, String(repeating: "a", count: 4097)),
        ])
    func broken(_ line: String, _ id: String?, _ source: String) async throws {
        let items = try await items("{\"src\":\"a.jpg\"}\n\(line)\n{\"src\":\"b.jpg\"}\n")
        guard case .failed(1, let shownID, let shownSource, let failure) = items[1] else {
            Issue.record("\(items[1])")
            return
        }
        #expect(
            [items[0].item?.id, items[2].item?.id, shownID, shownSource]
                == ["a.jpg", "b.jpg", id ?? "line 2", source])
        #expect(failure.message.hasPrefix("line 2: ") && !failure.message.containsBytes(of: "hunter2"))
    }

    @Test("An empty manifest is valid")
    func empty() async throws {
        for text in ["", "\n", "\u{FEFF}", "\r\n \t\n\n"] { #expect(try await items(text).isEmpty) }
    }

    @Test("A byte order mark, carriage returns and blank lines are ignored")
    func forms() async throws {
        let text = "\u{FEFF}{\"src\":\"a.jpg\"}\r\n\r\n{\"src\":\"b.jpg\"}\n\n}\n{\"src\":\"c.jpg\"}"
        let items = try await items(text)
        #expect(items.map(\.shown) == ["a.jpg", "b.jpg", "line 5: input", "c.jpg"])
        #expect(items.compactMap(\.item?.number) == [0, 1, 3])
    }

    @Test("The first line decides on the form, and a column to compare must exist")
    func firstLine() async throws {
        try folder.write("list", "{\"src\":\"a.jpg\"}\n[]\nb.jpg\n")
        let items = try await ManifestFeed(path: folder.path("list"), .sample("320")).all()
        #expect(items.map(\.shown) == ["a.jpg", "line 2: input", "line 3: input"])
        try folder.write("list.csv", "url,sha\na.jpg,1\n")
        var columns = ManifestColumns()
        columns.hash = "sha256"
        let feed = try ManifestFeed(path: folder.path("list.csv"), .sample("320"), columns: columns)
        let error = await asyncBatchError { try await feed.next() }
        #expect(error?.kind == .usage && error?.reason.containsBytes(of: "no column 'sha256'; it has") == true)
    }

    @Test("Megabytes of blank lines end the batch, which a few compressed bytes hold")
    func blankLines() async throws {
        let few = String(repeating: String(repeating: " ", count: 255) + "\n", count: 16 << 10)
        #expect(try await items("\(few)a.jpg\n\(few)b.jpg").count == 2)
        await #expect(throws: BatchError.self) { try await items("a.jpg\n \(few)b.jpg") }
    }

    @Test("Invalid UTF-8 is repaired, and the last of equal members counts")
    func repaired() async throws {
        try folder.write("list.jsonl", Array(#"{"id":"a","id":"caf"#.utf8) + [0xE9] + Array(#"","src":"x.jpg"}"#.utf8))
        let items = try await ManifestFeed(path: folder.path("list.jsonl"), .sample("320")).all()
        #expect(items.map(\.shown) == ["caf\u{FFFD}"])
    }

    @Test("A line above the limit is a failed item")
    func tooLong() async throws {
        let long = String(repeating: "x", count: LineReader.maxLength + 1)
        let fitting = #"{"src":"a.jpg","x":"\#(long.dropLast(100))"}"#
        let items = try await items("\(long)\n\(fitting)\n{\"src\":\"b.jpg\"}\n\(long)")
        #expect(items.map(\.shown) == ["line 1: input", "a.jpg", "b.jpg", "line 4: input"])
        let reasons = items.compactMap(\.failure?.reason)
        #expect(reasons.allSatisfy { $0.containsBytes(of: "more than 1048576 bytes") })
    }

    @Test("An address that is too long for an id once it is encoded needs one")
    func encodedSource() async throws {
        let address = "https://example.com/?\(String(repeating: "\u{FFFD}", count: 500))"
        let items = try await items("{\"src\":\"\(address)\"}\n{\"id\":\"short\",\"src\":\"\(address)\"}")
        #expect(items.map { $0.item?.id } == [nil, "short"])
        #expect(items[0].failure?.message == "line 1: \"src\" has more than 4096 bytes; add an \"id\"")
    }

    @Test(
        "An endless line ends the manifest, with a rule that suits its form",
        arguments: [
            ("list.csv", "url\n", "one record a line"), ("list", "", "one image a line"),
        ])
    func endless(_ name: String, _ start: String, _ rule: String) async throws {
        try folder.write(name, start)
        #expect(truncate(folder.path(name), LineReader.maxSkipped + 1 << 20) == 0)
        let feed = try ManifestFeed(path: folder.path(name), .sample("320"))
        let error = await asyncBatchError { try await feed.next() }
        #expect(error?.kind == .unavailable && error?.reason.hasSuffix(rule) == true)
    }

    @Test("The rendition of a list --json line is chosen by size")
    func listed() async throws {
        let line = """
            {"id":"PIA1","title":"x","thumbnail":"https://x.test/t.jpg","renditions":[\
            {"url":"https://x.test/l.jpg","width":1920,"height":1080},{"url":"https://x.test/m.jpg","width":640,"height":480}]}
            """
        let small = try #require(try await items(line, job: .sample("64", "320")).first?.item)
        #expect(small.shownSource == "https://x.test/m.jpg" && small.trust == .publicAddresses && small.id == "PIA1")
        for size in ["600", "4000"] {
            #expect(try await items(line, job: .sample(size)).first?.item?.shownSource == "https://x.test/l.jpg")
        }
        #expect(try await items(#"{"id":"P","thumbnail":null,"renditions":[]}"#).first?.failure?.kind == .notFound)
        // Of a folder.
        let members =
            #""id":"b.jpg","media_type":"image","thumbnail":null,"renditions":[],"source":"folder","file":"/a/b.jpg""#
        for (line, source) in [
            (#"{"id":"PIA2","thumbnail":"https://x.test/t.jpg","renditions":[]}"#, "https://x.test/t.jpg"),
            ("{\(members)}", "/a/b.jpg"), (#"{"url":"/a/b.jpg","file":7}"#, "/a/b.jpg"),
        ] {
            #expect(try await items(line).first?.item?.shownSource == source)
        }
        #expect(try await items(#"{"url":"/a/b.jpg","id":"/a/b.jpg"}"#).first?.item?.stem == "/a/b.jpg")
        let inner = members.replacing("image", with: "folder")
        #expect(try await items("{\(inner)}").first?.failure?.message.hasSuffix("a folder, not an image") == true)
    }

    @Test("Every line belongs to one shard")
    func shards() async throws {
        try folder.write(
            "list.jsonl",
            (0..<50).map { $0 % 10 == 0 ? "}\n" : $0 % 10 == 1 ? "{\"id\":\($0)}\n" : "{\"src\":\"\($0)\"}\n" }.joined()
        )
        var kept = 0
        for index in 0..<4 {
            // Unreadable lines belong to a shard by their number, others by their id.
            let shard = try Shard(parsing: "\(index)/4") { _ in nil }
            let items = try await ManifestFeed(path: folder.path("list.jsonl"), .sample("320"), shard: shard).all()
            #expect(items.count == 50)
            kept += items.count { $0 != .excluded }
        }
        #expect(kept == 50)
    }

    @Test("A missing manifest, and a folder, end the batch")
    func missing() async throws {
        #expect(batchError { try ManifestFeed(path: folder.path("gone"), .sample("320")) }?.kind == .unavailable)
        let feed = try ManifestFeed(path: folder.path, .sample("320"))
        await #expect(throws: BatchError.self) { try await feed.next() }
    }

    @Test("Memory does not grow with the lines")
    func memory() async throws {
        var peaks: [Int] = []
        for count in [100, 10_000] {
            let pipe = try Pipe()
            let writer = ThreadPool(count: 1)
            async let written: Void = writer.run { _ in
                for number in 0..<count { pipe.write("{\"id\":\"\(number)\",\"src\":\"photos/\(number).jpg\"}\n") }
                pipe.closeWriting()
            }
            let feed = try ManifestFeed(reading: pipe.reading, .sample("320"))
            var (items, peak) = (0, 0)
            while try await feed.next() != nil {
                items += 1
                peak = max(peak, feed.bufferedBytes)
            }
            try await written
            #expect(items == count)
            peaks.append(peak)
        }
        #expect(peaks[1] <= peaks[0] + 64 << 10)
    }

    @Test("Waiting for a line, and for the writer of a named pipe, can be cancelled")
    func cancelled() async throws {
        let pipe = try Pipe()
        pipe.write("{\"src\":\"a.jpg\"}\n{\"src\":")
        let reading = try ManifestFeed(reading: pipe.reading, .sample("320"))
        #expect(try await reading.next()?.shown == "a.jpg")
        try folder.pipe("pipe")
        for feed in [reading, try ManifestFeed(path: folder.path("pipe"), .sample("320"))] {
            let waiting = Task { try await feed.next() }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
        pipe.closeWriting()
    }

    @Test("A named pipe is opened before its writer")
    func namedPipe() async throws {
        try folder.pipe("pipe")
        let feed = try ManifestFeed(path: folder.path("pipe"), .sample("320"))
        async let items = feed.all()
        let path = folder.path("pipe")
        try await ThreadPool(count: 1).run { _ in
            let writing = open(path, O_WRONLY | O_CLOEXEC)
            let line = Array(#"{"src":"a.jpg"}"#.utf8)
            #expect(write(writing, line, line.count) == line.count)
            close(writing)
        }
        #expect(try await items.map(\.shown) == ["a.jpg"])
    }
}

/// Both ends of a pipe.
private final class Pipe: Sendable {
    let reading: Int32
    private let writing: Mutex<Int32>

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&ends) == 0)
        reading = ends[0]
        writing = Mutex(ends[1])
    }

    deinit { close(reading) }

    func write(_ text: String) {
        let end = writing.withLock { $0 }
        let bytes = Array(text.utf8)
        #expect(Glibc.write(end, bytes, bytes.count) == bytes.count)
    }

    func closeWriting() {
        writing.withLock { end in
            if end >= 0 { close(end) }
            end = -1
        }
    }
}

import Glibc
import SpyglassCaching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

@Suite("FileDownload: streaming", .timeLimit(.minutes(10)))
struct FileDownloadStreamTests {
    private let folder: TemporaryFolder
    private static let body = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }

    init() throws { folder = try TemporaryFolder() }

    private func save(_ address: WebAddress, through transport: any Transport) async throws -> [UInt8] {
        try await FileDownload(transport: transport).run(address, to: folder.path("moon.tif"))
        return try folder.read("moon.tif")
    }

    // MARK: - Memory

    @Test("A body arrives in chunks, of which none is lost, none comes in a pause, and none stays in the response")
    func held() async throws {
        let chunk = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let body = Array(repeatElement(chunk, count: 8).joined())
        let server = try LoopbackServer { _ in .init(body: body) }
        let pauser = BodyPauser { control in Task { control.isPaused = false } }
        var request = FetchRequest(server.address("/"), control: pauser.makeControl())
        request.delivery = .streamed
        let response = try await RetryingTransport(CurlTransport()).fetch(request)
        #expect(response.body.isEmpty && response.streamedByteCount == body.count)
        let received = pauser.state.withLock { $0 }
        #expect(received.whilePaused == 0 && received.bytes == body && received.maxChunk <= 64 << 10)
    }

    @Test("A long pause is neither a timeout nor a part of the deadline")
    func heldForLong() async throws {
        let clock = ManualClock()
        let server = try LoopbackServer { _ in .init(body: [UInt8](repeating: 7, count: 1 << 20)) }
        let (holds, word) = AsyncStream.makeStream(of: FetchControl.self)
        let pauser = BodyPauser { word.yield($0) }
        var request = FetchRequest(server.address("/"), control: pauser.makeControl())
        request.delivery = .streamed
        let task = Task { [request] in
            defer { word.finish() }
            return try await CurlTransport(clock: clock).fetch(request)
        }
        var isFirst = true
        for await held in holds {
            let rounds = isFirst ? 3 : 0
            isFirst = false
            // Not awaited: an ended transfer has no sleeper.
            Task {
                for _ in 0..<rounds {
                    await clock.waitForSleepers()
                    clock.advance(by: .seconds(200))
                }
                held.isPaused = false
            }
        }
        #expect(try await task.value.streamedByteCount == 1 << 20)
    }

    @Test("A slow disk pauses and resumes the transfer")
    func slowDisk() async throws {
        let gate = Gate()
        var calls = FileDownloadTarget.Calls()
        calls.write = { file, parts, count in
            gate.wait()
            return writev(file, parts, count)
        }
        let target = try FileDownloadTarget(path: folder.path("moon.tif"), calls)
        try target.open()
        let threads = ThreadPool(count: 1)
        let sink = FileDownloadSink(target, threads, ElapsedClock(ManualClock())) { _, _ in }
        let control = sink.makeControl()
        let tell = try #require(control.onBody)
        _ = tell(.started(status: 200, headers: HeaderFields()))
        let chunk = [UInt8](repeating: 7, count: 64 << 10)
        var byteCount = 0
        while !control.isPaused, byteCount < 100 * chunk.count {
            #expect(tell(.bytes(chunk)))
            byteCount += chunk.count
        }
        #expect(byteCount == FileDownloadSink.maxPending)
        gate.open()
        #expect(try await sink.finish() == byteCount)
        #expect(!control.isPaused)
        target.discard()
    }

    @Test("Progress is reported at most 20 times a second, and at the end")
    func progress() async throws {
        let clock = ManualClock()
        let target = try FileDownloadTarget(path: folder.path("moon.tif"))
        try target.open()
        let said = Mutex<[Int]>([])
        let sink = FileDownloadSink(target, ThreadPool(count: 1), ElapsedClock(clock)) { written, _ in
            said.withLock { $0.append(written) }
        }
        let tell = try #require(sink.makeControl().onBody)
        _ = tell(.started(status: 200, headers: HeaderFields()))
        for _ in 0..<1000 { _ = tell(.bytes([1, 2])) }
        #expect(try await sink.finish() == 2000)
        #expect(said.withLock(\.self) == [0, 2000])
        clock.advance(by: .milliseconds(50))
        _ = tell(.bytes([3]))
        #expect(try await sink.finish() == 2001)
        #expect(said.withLock(\.self) == [0, 2000, 2001, 2001])
        target.discard()
    }

    // MARK: - Again

    private let retrying = RetryingTransport(CurlTransport(), now: WallTime.now, jitter: { 0 })

    /// The first 400 bytes of the body.
    private static let cut = LoopbackServer.Reply(
        length: 1000, headers: [("ETag", "\"1\"")], Array(body[..<400]), then: .close)

    @Test("An interrupted transfer resumes in the file")
    func resumed() async throws {
        let server = try LoopbackServer { request in
            func headers(from start: Int) -> [(String, String)] {
                [("ETag", "\"1\""), ("Content-Range", "bytes \(start)-999/1000")]
            }
            return switch request.headers["Range"] {
            case nil: Self.cut
            case "bytes=400-":
                .init(206, length: 600, headers: headers(from: 400), Array(Self.body[400..<700]), then: .close)
            default: .init(206, headers: headers(from: 700), body: Array(Self.body[700...]))
            }
        }
        let saved = try await save(server.address("/"), through: retrying)
        #expect(saved == Self.body)
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=400-", "bytes=700-"])
    }

    /// A server that sends these replies in turn.
    private func server(_ replies: LoopbackServer.Reply...) throws -> LoopbackServer {
        let left = Mutex(replies)
        return try LoopbackServer { _ in left.withLock { $0.isEmpty ? .init(404) : $0.removeFirst() } }
    }

    @Test("An error page between two parts of a file is not in it")
    func errorPage() async throws {
        let headers = [("ETag", "\"1\""), ("Content-Range", "bytes 400-999/1000")]
        let rest = LoopbackServer.Reply(206, headers: headers, body: Array(Self.body[400...]))
        let server = try server(Self.cut, .init(503, text: "busy"), rest)
        #expect(try await save(server.address("/"), through: retrying) == Self.body)
    }

    @Test("A restarted transfer restarts the file, also with a shorter body")
    func restarted() async throws {
        let server = try server(
            .init(503, text: "busy"), Self.cut, .init(headers: [("ETag", "\"2\"")], text: "another"))
        #expect(try await save(server.address("/"), through: retrying) == Array("another".utf8))
        #expect(server.requests.map { $0.headers["Range"] } == [nil, nil, "bytes=400-"])
    }

    // MARK: - Other transports

    @Test("The disk cache serves a download, and does not store it")
    func cache() async throws {
        let server = try LoopbackServer { _ in .init(headers: [("Cache-Control", "max-age=60")], body: Self.body) }
        let store = MemoryStore()
        let caching = CachingTransport(CurlTransport(), store: store, now: ManualCalendar(.start).clock)
        #expect(try await save(server.address("/a"), through: caching) == Self.body)
        await caching.flush()
        #expect(store.keys.isEmpty)
        try await caching.get(server.address("/a"))
        await caching.flush()
        #expect(server.counts.requests == 2)
        let download = FileDownload(transport: caching)
        #expect(try await download.size(of: server.address("/a")) == 1000)
        try await download.run(server.address("/a"), to: folder.path("kept"))
        #expect(try folder.read("kept") == Self.body)
        #expect(server.counts.requests == 2)
    }

    @Test("A recorded download is replayed, with its size")
    func archive() async throws {
        let server = try LoopbackServer { request in
            request.method == "HEAD"
                ? .init(length: 1000)
                : .init(body: Self.body)
        }
        let recording = FileDownload(
            transport: RecordingTransport(RetryingTransport(CurlTransport()), folder: folder.path("archive")))
        #expect(try await recording.size(of: server.address("/a.tif")) == 1000)
        try await recording.run(server.address("/a.tif"), to: folder.path("first"))
        #expect(try folder.read("first") == Self.body)
        let replayed = FileDownload(transport: ArchiveTransport(folder: folder.path("archive")))
        #expect(try await replayed.size(of: server.address("/a.tif")) == 1000)
        try await replayed.run(server.address("/a.tif"), to: folder.path("second"))
        #expect(try folder.read("second") == Self.body)
        let error = await failure { try await replayed.size(of: server.address("/b.tif")) }
        #expect(error?.kind == .notRecorded)
    }

    @Test("A download too large for a recording is saved")
    func tooLargeForRecording() async throws {
        let server = try LoopbackServer { _ in .init(body: [UInt8](repeating: 7, count: 65 << 20)) }
        let recording = RecordingTransport(RetryingTransport(CurlTransport()), folder: folder.path("archive"))
        try await FileDownload(transport: recording).run(server.address("/"), to: folder.path("huge"))
        var status = stat()
        stat(folder.path("huge"), &status)
        #expect(status.st_size == 65 << 20)
        #expect(try folder.text("archive/index.jsonl").isEmpty)
    }

    @Test("A public service's address does not lead into a private network")
    func trust() async throws {
        let server = try LoopbackServer { _ in .init(body: Self.body) }
        let download = FileDownload(transport: CurlTransport())
        let error = await failure {
            try await download.run(server.address("/"), trust: .publicAddresses, to: folder.path("moon.tif"))
        }
        #expect(error?.kind == .disallowed)
        await #expect(throws: FetchError.self) {
            try await download.size(of: server.address("/"), trust: .publicAddresses)
        }
        #expect(server.counts.requests == 0)
    }
}

/// Pauses a body after every chunk, or after the first only.
private final class BodyPauser: Sendable {
    struct State {
        var control: FetchControl?
        var bytes: [UInt8] = []
        var maxChunk = 0
        var whilePaused = 0
    }

    let state = Mutex(State())
    private let onPause: @Sendable (FetchControl) -> Void

    init(onPause: @escaping @Sendable (FetchControl) -> Void) { self.onPause = onPause }

    func makeControl() -> FetchControl {
        let control = FetchControl(priority: .visible) { part in
            if case .bytes(let bytes) = part { self.take(bytes) }
            return true
        }
        state.withLock { $0.control = control }
        return control
    }

    private func take(_ bytes: [UInt8]) {
        let control = state.withLock { state in
            if state.control?.isPaused == true { state.whilePaused += 1 }
            state.bytes += bytes
            state.maxChunk = max(state.maxChunk, bytes.count)
            return state.control
        }
        control?.isPaused = true
        control.map(onPause)
    }
}

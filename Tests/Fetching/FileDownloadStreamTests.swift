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

    @Test("100 MB arrive in chunks, and none stays in the response")
    func huge() async throws {
        let chunk = [UInt8](repeating: 7, count: 1 << 20)
        let length = 100 * chunk.count
        let server = try LoopbackServer { _ in
            let head = LoopbackServer.Reply.head(200, headers: [("Content-Length", "\(length)")])
            return .init(steps: [.send(head)] + Array(repeating: .send(chunk), count: 100))
        }
        let seen = Mutex((byteCount: 0, maxChunk: 0))
        let control = FetchControl(priority: .visible) { part in
            guard case .bytes(let bytes) = part else { return true }
            seen.withLock { $0 = ($0.byteCount + bytes.count, max($0.maxChunk, bytes.count)) }
            return true
        }
        var request = FetchRequest(server.address("/"), control: control)
        request.delivery = .streamed
        request.bodyLimit = length
        let response = try await RetryingTransport(CurlTransport()).fetch(request)
        #expect(response.body.isEmpty && response.streamedByteCount == length)
        #expect(seen.withLock { $0.byteCount == length && $0.maxChunk <= 64 << 10 })
    }

    @Test("A paused body is not delivered, and nothing is lost")
    func held() async throws {
        let chunk = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let server = try LoopbackServer { _ in
            let head = LoopbackServer.Reply.head(200, headers: [("Content-Length", "\(8 * chunk.count)")])
            return .init(steps: [.send(head)] + Array(repeating: .send(chunk), count: 8))
        }
        let pauser = BodyPauser { control in Task { control.isPaused = false } }
        var request = FetchRequest(server.address("/"), control: pauser.makeControl())
        request.delivery = .streamed
        #expect(try await CurlTransport().fetch(request).streamedByteCount == 8 * chunk.count)
        #expect(pauser.state.withLock { $0.whilePaused } == 0)
        #expect(pauser.state.withLock { $0.bytes } == Array(repeatElement(chunk, count: 8).joined()))
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

    private static func cut(tag: String = "\"1\"", _ length: Int = 400) -> LoopbackServer.Reply {
        let head = LoopbackServer.Reply.head(200, headers: [("Content-Length", "1000"), ("ETag", tag)])
        return .init(steps: [.send(head + body[..<length]), .close])
    }

    @Test("An interrupted transfer resumes in the file")
    func resumed() async throws {
        let server = try LoopbackServer { request in
            switch request.headers["Range"] {
            case nil: return Self.cut()
            case "bytes=400-":
                let head = LoopbackServer.Reply.head(
                    206,
                    headers: [("ETag", "\"1\""), ("Content-Range", "bytes 400-999/1000"), ("Content-Length", "600")])
                return .init(steps: [.send(head + Self.body[400..<700]), .close])
            default:
                return .init(
                    206, headers: [("ETag", "\"1\""), ("Content-Range", "bytes 700-999/1000")],
                    body: Array(Self.body[700...]))
            }
        }
        let saved = try await save(
            server.address("/"), through: RetryingTransport(CurlTransport(), now: WallTime.now, jitter: { 0 }))
        #expect(saved == Self.body)
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=400-", "bytes=700-"])
    }

    @Test("A restarted transfer restarts the file, also with a shorter body")
    func restarted() async throws {
        let server = try LoopbackServer { request in
            request.headers["Range"] == nil ? Self.cut() : .init(headers: [("ETag", "\"2\"")], text: "another")
        }
        let saved = try await save(
            server.address("/"), through: RetryingTransport(CurlTransport(), now: WallTime.now, jitter: { 0 }))
        #expect(saved == Array("another".utf8))
    }

    @Test("A busy server is retried, and its error page is not in the file")
    func busy() async throws {
        let tries = Mutex(0)
        let server = try LoopbackServer { _ in
            let isFirst = tries.withLock { tries in
                tries += 1
                return tries == 1
            }
            return isFirst ? .init(503, text: "busy") : .init(body: Self.body)
        }
        let saved = try await save(
            server.address("/"), through: RetryingTransport(CurlTransport(), now: WallTime.now, jitter: { 0 }))
        #expect(saved == Self.body)
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
                ? .init(steps: [.send(LoopbackServer.Reply.head(200, headers: [("Content-Length", "1000")]))])
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
        let chunk = [UInt8](repeating: 7, count: 1 << 20)
        let server = try LoopbackServer { _ in
            let head = LoopbackServer.Reply.head(200, headers: [("Content-Length", "\(65 * chunk.count)")])
            return .init(steps: [.send(head)] + Array(repeating: .send(chunk), count: 65))
        }
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
            return state.control
        }
        control?.isPaused = true
        control.map(onPause)
    }
}

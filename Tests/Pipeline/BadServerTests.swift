import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

@Suite("Complete stack: faulty servers", .timeLimit(.minutes(10)))
struct BadServerTests {
    /// The outcome of a request.
    enum Outcome: Sendable {
        /// The image.
        case picture
        /// The rows that arrived, or all of them with a transfer error.
        case part
        /// An error of the network.
        case fetch(FetchError.Kind)
        /// A status without an image.
        case status(Int)
        /// Bytes that are not an image.
        case decode
    }

    /// A fault of a server.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let outcome: Outcome
        /// Whether it ends only when the network's clock advances.
        var takesTime = false
        /// The response to the n-th request, from 1.
        let reply: @Sendable (_ number: Int, LoopbackServer.Request) -> LoopbackServer.Reply
    }

    typealias Reply = LoopbackServer.Reply

    /// Header fields that would store such a response for long.
    private static let cacheable = [("Cache-Control", "max-age=100000"), ("ETag", "\"bad\"")]
    private static let body = Fixture.thumbnail
    private static let cutAt = body.count * 4 / 5

    private static func head(length: Int, _ headers: [(String, String)] = cacheable) -> [UInt8] {
        Reply.head(200, headers: headers + [("Content-Length", "\(length)")])
    }

    private static func rest(tag: String) -> Reply {
        Reply(
            206,
            headers: [("ETag", tag), ("Content-Range", "bytes \(cutAt)-\(body.count - 1)/\(body.count)")],
            body: Array(body[cutAt...]))
    }

    static let wrongs: [Wrong] = [
        Wrong(testDescription: "503, then well", outcome: .picture) { number, _ in
            number == 1 ? Reply(503, headers: cacheable, text: "busy") : Reply(headers: cacheable, body: body)
        },
        Wrong(testDescription: "503 for ever", outcome: .status(503)) { _, _ in Reply(503, headers: cacheable) },
        Wrong(testDescription: "429 with Retry-After", outcome: .picture) { number, _ in
            number == 1 ? Reply(429, headers: [("Retry-After", "30")]) : Reply(headers: cacheable, body: body)
        },
        Wrong(testDescription: "404", outcome: .status(404)) { _, _ in Reply(404, headers: cacheable, body: body) },
        Wrong(testDescription: "a redirect loop", outcome: .fetch(.disallowed)) { _, _ in
            .redirect(to: "/0.jpg", 301)
        },
        Wrong(testDescription: "a redirect to a file", outcome: .fetch(.disallowed)) { _, _ in
            .redirect(to: "file:///etc/passwd", 301)
        },
        Wrong(testDescription: "a body cut again and again", outcome: .part) { _, _ in
            Reply(steps: [.send(head(length: body.count) + body[..<cutAt]), .close])
        },
        Wrong(testDescription: "a body cut and gone on with", outcome: .picture) { _, request in
            request.headers["Range"] == nil
                ? Reply(steps: [.send(head(length: body.count) + body[..<cutAt]), .close]) : rest(tag: "\"bad\"")
        },
        Wrong(testDescription: "the rest of another representation", outcome: .picture) { number, request in
            if request.headers["Range"] != nil { return rest(tag: "\"other\"") }
            return number == 1
                ? Reply(steps: [.send(head(length: body.count) + body[..<cutAt]), .close])
                : Reply(headers: cacheable, body: body)
        },
        Wrong(testDescription: "an unrequested part", outcome: .fetch(.unreachable)) { _, _ in
            Reply(206, headers: cacheable + [("Content-Range", "bytes 0-\(body.count - 1)/9999")], body: body)
        },
        Wrong(testDescription: "a length that is too short", outcome: .part) { _, _ in
            Reply(steps: [.send(head(length: cutAt) + body), .close])
        },
        Wrong(testDescription: "a length that is too long", outcome: .part) { _, _ in
            Reply(steps: [.send(head(length: body.count + 1000) + body), .close])
        },
        Wrong(testDescription: "an invalid length", outcome: .fetch(.unreachable)) { _, _ in
            Reply(steps: [.send(Reply.head(200, headers: cacheable + [("Content-Length", "-5")]) + body), .close])
        },
        Wrong(testDescription: "an endless body", outcome: .fetch(.tooLarge)) { _, _ in
            Reply(steps: [.send(Reply.head(200, headers: cacheable)), .flood(body)])
        },
        Wrong(testDescription: "no answer for ever", outcome: .fetch(.timedOut), takesTime: true) { _, _ in
            Reply(steps: [.stall])
        },
        Wrong(testDescription: "a body that drips", outcome: .fetch(.timedOut), takesTime: true) { _, _ in
            Reply(steps: [.send(head(length: body.count) + body[..<2]), .stall])
        },
        Wrong(testDescription: "a reset, then well", outcome: .picture) { number, _ in
            number == 1 ? Reply(steps: [.reset]) : Reply(headers: cacheable, body: body)
        },
        Wrong(testDescription: "a reset every time", outcome: .fetch(.unreachable)) { _, _ in
            Reply(steps: [.reset])
        },
        Wrong(testDescription: "a page with 200", outcome: .decode) { _, _ in
            Reply(headers: cacheable + [("Content-Type", "image/jpeg")], text: "<html>Please log in</html>")
        },
        Wrong(testDescription: "nothing with 200", outcome: .decode) { _, _ in Reply(headers: cacheable) },
        Wrong(testDescription: "204", outcome: .decode) { _, _ in
            Reply(steps: [.send(Reply.head(204, headers: cacheable))])
        },
        Wrong(testDescription: "a picture that is called a page", outcome: .picture) { _, _ in
            Reply(headers: cacheable + [("Content-Type", "text/html")], body: body)
        },
        Wrong(testDescription: "304 to who has nothing", outcome: .fetch(.unreachable)) { _, _ in
            Reply(steps: [.send(Reply.head(304, headers: cacheable))])
        },
        Wrong(testDescription: "HTTP/1.0", outcome: .picture) { _, _ in
            Reply(steps: [.send(Array("HTTP/1.0 200 OK\r\nETag: \"bad\"\r\n\r\n".utf8) + body), .close])
        },
    ]

    private let folder: TemporaryFolder
    private let memory = ImagePipeline.Memory(totalCostLimit: 1 << 20)
    private let right: DecodedImage

    init() throws {
        folder = try TemporaryFolder()
        right = try ImageDecoder().decode(.bytes(Self.body), to: ImageRequest.sample.target)
    }

    private func run(
        _ address: WebAddress, on stack: Stack, takesTime: Bool = false
    ) async -> Result<ImageResponse, any Error> {
        let request = ImageRequest(.address(address), target: ImageRequest.sample.target)
        let load = { () async -> Result<ImageResponse, any Error> in
            do { return .success(try await stack.pipeline.image(for: request)) } catch { return .failure(error) }
        }
        let result = await stack.retryClock.passing(by: .seconds(60)) {
            takesTime ? await stack.networkClock.passing(by: .seconds(20), while: load) : await load()
        }
        await stack.end()
        return result
    }

    private func expectRight(_ result: Result<ImageResponse, any Error>, _ what: Comment) {
        #expect(throws: Never.self, what) {
            let shown = try result.get()
            let isWhole = shown.image.completeness == .complete && shown.transferError == nil
            #expect(isWhole && shown.image.pixels == right.pixels, what)
        }
    }

    @Test("Each gives the right image or error, and nothing wrong is cached", arguments: wrongs)
    func wrong(_ wrong: Wrong) async throws {
        let state = Mutex((isWell: false, count: 0))
        let server = try LoopbackServer { [cacheable = Self.cacheable, body = Self.body] request in
            let (isWell, number) = state.withLock { state in
                state.count += 1
                return (state.isWell, state.count)
            }
            return isWell
                ? Reply(headers: [cacheable[0], ("ETag", "\"good\"")], body: body) : wrong.reply(number, request)
        }
        let address = server.address("/0.jpg")
        let first = await run(address, on: Stack(folder: folder.path, memory: memory), takesTime: wrong.takesTime)
        expect(first, toBe: wrong.outcome)

        // Offline, incomplete images are marked as such.
        let offline = await run(address, on: Stack(folder: folder.path, mode: .offline))
        if case .picture = wrong.outcome {
            if wrong.testDescription != "HTTP/1.0" || (try? offline.get()) != nil { expectRight(offline, "offline") }
        } else if let shown = try? offline.get() {
            #expect(shown.image.completeness != .complete || shown.transferError != nil, "offline")
        }

        // The server is repaired: the same caches are no obstacle.
        state.withLock { $0.isWell = true }
        expectRight(await run(address, on: Stack(folder: folder.path, memory: memory)), "with the same memory")
        expectRight(await run(address, on: Stack(folder: folder.path)), "with the same folder")
    }

    private func expect(_ result: Result<ImageResponse, any Error>, toBe outcome: Outcome) {
        switch (outcome, result) {
        case (.picture, _): expectRight(result, "at first")
        case (.part, .success(let shown)):
            #expect(shown.image.completeness != .complete || shown.transferError != nil)
        case (.fetch(let kind), .failure(ImageError.fetch(let error))): #expect(error.kind == kind, "\(error)")
        case (.status(let status), .failure(ImageError.status(let answered, _))): #expect(answered == status)
        case (.decode, .failure(ImageError.decode)): break
        default: Issue.record("\(result)")
        }
    }
}

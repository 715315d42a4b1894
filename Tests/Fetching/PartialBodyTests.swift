import SpyglassCaching
import SpyglassTestSupport
import Testing

@testable import SpyglassFetching

@Suite("RetryingTransport: interrupted transfers", .timeLimit(.minutes(10)))
struct PartialBodyTests {
    private let log = CallRecorder<FetchEvent>()

    /// "moonlight" under the tag "1".
    private static func rest(_ headers: [(String, String)] = [("ETag", "\"1\"")], from first: Int = 4)
        -> ScriptedOutcome
    {
        let body = Array("moonlight".utf8.dropFirst(first))
        return .answer(
            206, headers + [("Content-Range", "bytes \(first)-8/9"), ("Content-Length", "\(body.count)")], body)
    }

    private static let cut = ScriptedOutcome.part("moon", [("ETag", "\"1\""), ("Content-Length", "9")])

    private func transport(_ base: ScriptedTransport, retries: Int = 2, resumes: Bool = true) -> RetryingTransport {
        RetryingTransport(
            base, retries: retries, resumes: resumes, clock: ManualClock(), now: { .start }, jitter: { 0 },
            onEvent: log.record)
    }

    @Test("Only the rest is requested, and the joined response looks ordinary")
    func resumed() async throws {
        let base = ScriptedTransport(Self.cut, Self.rest([("etag", "\"1\""), ("Cache-Control", "max-age=9")]))
        let response = try await transport(base).get(.moon)
        #expect(
            response.status == 200 && response.text == "moonlight"
                && response.headers.values(of: "Content-Length") == ["9"] && response.headers["Content-Range"] == nil)
        #expect(response.headers["Cache-Control"] == "max-age=9")
        let sent = base.headers(1)
        #expect(sent["Range"] == "bytes=4-" && sent["If-Range"] == "\"1\"" && sent["Accept-Encoding"] == "identity")
        guard case .retrying(_, 1, _, nil, 4, _)? = log.values.first else {
            return #expect(Bool(false), "\(log.values)")
        }
    }

    static let misfits: [(String, ScriptedOutcome)] = [
        ("another tag", rest([("ETag", "\"2\"")])), ("no tag", rest([])), ("a weak tag", rest([("ETag", "W/\"1\"")])),
        ("another start", rest(from: 3)), ("a later start", rest(from: 5)),
        ("another total", .answer(206, [("ETag", "\"1\""), ("Content-Range", "bytes 4-9/10")], Array("lights".utf8))),
        ("not to the end", .answer(206, [("ETag", "\"1\""), ("Content-Range", "bytes 4-7/9")], Array("ligh".utf8))),
        (
            "fewer bytes than it says",
            .answer(206, [("ETag", "\"1\""), ("Content-Range", "bytes 4-8/9")], Array("li".utf8))
        ),
        ("no range", .answer(206, [("ETag", "\"1\"")], Array("light".utf8))),
        ("encoded", rest([("ETag", "\"1\""), ("Content-Encoding", "gzip")])),
        ("not satisfiable", .answer(416, [], [])),
    ]

    @Test("A wrong rest starts over, immediately and once", arguments: misfits.indices)
    func startsOver(index: Int) async throws {
        let base = ScriptedTransport(Self.cut, Self.misfits[index].1, .text("sunlight"))
        #expect(try await transport(base, retries: 1).get(.moon).text == "sunlight", "\(Self.misfits[index].0)")
        #expect(base.headers(2).fields.isEmpty && base.count == 3)
    }

    @Test("The rest from another address is not joined")
    func otherAddress() async throws {
        let base = ScriptedTransport { request, before in
            if before == 0 { return try Self.cut.play(for: request) }
            if before == 2 { return try ScriptedOutcome.text("sunlight").play(for: request) }
            var response = try Self.rest().play(for: request)
            response.address = .mars
            return response
        }
        #expect(try await transport(base).get(.moon).text == "sunlight")
    }

    @Test("A complete response instead of the rest is the result")
    func changed() async throws {
        let base = ScriptedTransport(Self.cut, .text("sunlight", [("ETag", "\"2\"")]))
        #expect(try await transport(base).get(.moon).text == "sunlight")
        #expect(base.count == 2)
    }

    @Test(
        "Without a strong validator or ranges it starts over",
        arguments: [
            [], [("ETag", "W/\"1\"")], [("ETag", "1")], [("ETag", "\"1\""), ("Accept-Ranges", "none")],
            [("ETag", "\"1\""), ("Content-Encoding", "gzip")],
            [("Last-Modified", "Thu, 01 Oct 2026 00:00:00 GMT")],
            [("Last-Modified", "Thu, 01 Oct 2026 00:00:00 GMT"), ("Date", "Thu, 01 Oct 2026 00:00:59 GMT")],
        ] as [[(String, String)]])
    func notResumable(headers: [(String, String)]) async throws {
        let base = ScriptedTransport(.part("moon", headers), .text("moonlight"))
        #expect(try await transport(base).get(.moon).text == "moonlight")
        #expect(base.headers(1)["Range"] == nil)
    }

    @Test("A Last-Modified older than a minute is a strong validator")
    func lastModified() async throws {
        let date = ("Last-Modified", "Thu, 01 Oct 2026 00:00:00 GMT")
        let base = ScriptedTransport(
            .part("moon", [date, ("Date", "Thu, 01 Oct 2026 00:01:00 GMT")]), Self.rest([date]))
        #expect(try await transport(base).get(.moon).text == "moonlight")
        #expect(base.headers(1)["If-Range"] == date.1)
    }

    @Test("After the last retry the error has the longest part", arguments: [true, false])
    func maxPart(resumes: Bool) async throws {
        let base = ScriptedTransport(
            Self.cut, .part("mo", [("ETag", "\"1\""), ("Content-Length", "9")]), .error(.timedOut))
        let error = await failure { try await transport(base, resumes: resumes).get(.moon) }
        #expect(error?.kind == .timedOut && error?.partialResponse?.text == "moon")
        #expect(base.headers(2)["Range"] == (resumes ? "bytes=4-" : nil))
    }

    @Test("A part survives later errors of the server")
    func partThen503() async throws {
        let base = ScriptedTransport(Self.cut, .text("", status: 503))
        let error = await failure { try await transport(base).get(.moon) }
        #expect(error?.partialResponse?.text == "moon")
        #expect(base.count == 3)
    }

    @Test("The middle of a body is never returned as its start")
    func strayMiddle() async throws {
        let stray = ScriptedOutcome.part("li", status: 206, [("ETag", "\"2\""), ("Content-Range", "bytes 4-8/9")])
        let base = ScriptedTransport(.reset, stray)
        let error = await #expect(throws: FetchError.self) { try await transport(base).get(.moon) }
        #expect(error?.partialResponse == nil)
        let unasked = ScriptedTransport(Self.rest())
        await #expect(throws: FetchError.self) { try await transport(unasked).get(.moon) }
        #expect(unasked.count == 1)
    }

    @Test("The limit applies to the joined body")
    func limit() async throws {
        let base = ScriptedTransport(Self.cut, Self.rest())
        let error = await failure { try await transport(base).fetch(FetchRequest(.moon, bodyLimit: 8)) }
        #expect(error?.exceededLimit == .body)
        #expect(
            try await transport(ScriptedTransport(Self.cut, Self.rest())).fetch(FetchRequest(.moon, bodyLimit: 9))
                .status
                == 200)
    }

    @Test("A range of the caller is resumed within it")
    func ownRange() async throws {
        let first = ScriptedOutcome.part("nl", status: 206, [("ETag", "\"1\""), ("Content-Range", "bytes 3-8/9")])
        let base = ScriptedTransport(first, Self.rest(from: 5))
        let headers = HeaderFields(pairs: [("Range", "bytes=3-"), ("If-Range", "\"1\"")])
        let response = try await transport(base).fetch(FetchRequest(.moon, headers: headers))
        #expect(
            response.status == 206 && response.text == "nlight"
                && response.headers.values(of: "Content-Range") == ["bytes 3-8/9"])
        #expect(base.headers(1).values(of: "Range") == ["bytes=5-"])
    }

    @Test("The listener gets one consistent body")
    func story() async throws {
        let recorder = BodyRecorder()
        let base = ScriptedTransport(.text("wait", status: 503), Self.cut, Self.rest())
        _ = try await transport(base).fetch(FetchRequest(.moon, control: recorder.control()))
        #expect(recorder.lines == ["begins 200", "moon", "light"])
    }

    @Test("The listener is notified when a body starts over")
    func restarts() async throws {
        let restart = BodyRecorder()
        let changed = ScriptedTransport(Self.cut, Self.rest([("ETag", "\"2\"")]), .text("sun"))
        _ = try await transport(changed).fetch(FetchRequest(.moon, control: restart.control()))
        #expect(restart.lines == ["begins 200", "moon", "begins 200", "sun"])

        let shorter = BodyRecorder()
        let base = ScriptedTransport(Self.cut, .part("mo", [("ETag", "\"1\""), ("Content-Length", "9")]), Self.rest())
        _ = try await transport(base).fetch(FetchRequest(.moon, control: shorter.control()))
        #expect(shorter.lines == ["begins 200", "moon", "begins 200", "mo", "begins 200", "moon", "light"])
    }

    @Test("A newer part without a validator is not mixed with the older one")
    func flapping() async throws {
        let recorder = BodyRecorder()
        let base = ScriptedTransport { request, before in
            if before == 0 { return try Self.cut.play(for: request) }
            if before == 1 { return try ScriptedOutcome.part("mars").play(for: request) }
            return try (request.headers["Range"] == nil ? ScriptedOutcome.text("moonlight") : Self.rest()).play(
                for: request)
        }
        _ = try await transport(base).fetch(FetchRequest(.moon, control: recorder.control()))
        #expect(recorder.lines == ["begins 200", "moon", "begins 200", "mars", "begins 200", "moonlight"])
    }

    @Test("A listener that returns false gets no more")
    func refused() async throws {
        let recorder = BodyRecorder()
        let base = ScriptedTransport(Self.cut, Self.rest())
        _ = try await transport(base).fetch(FetchRequest(.moon, control: recorder.control(until: 2)))
        #expect(recorder.lines == ["begins 200", "moon"])
    }

    @Test("The listener's priority reaches the transport")
    func priority() async throws {
        let recorder = BodyRecorder()
        let control = recorder.control()
        let base = ScriptedTransport { request, _ in
            control.priority = .prefetch
            #expect(request.priority == .prefetch)
            return FetchResponse(address: request.address, status: 200)
        }
        _ = try await transport(base).fetch(FetchRequest(.moon, control: control))
        #expect(base.count == 1)
    }
}

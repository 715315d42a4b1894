import Glibc
import SpyglassFetching
import SpyglassTestSupport
import SpyglassThreads

/// Returns a closure's responses and records the requests.
final class ScriptedTransport: Transport {
    private let asked = Mutex<[FetchRequest]>([])
    private let respond: @Sendable (FetchRequest, Int) throws -> FetchResponse

    /// `respond` receives the request and the number of requests before it.
    init(_ respond: @escaping @Sendable (FetchRequest, Int) throws -> FetchResponse) { self.respond = respond }

    /// The same response to every request.
    convenience init(status: Int = 200, _ body: String, headers: [(String, String)] = []) {
        self.init { request, _ in
            FetchResponse(
                address: request.address, status: status,
                headers: HTTPHeaders(headers.map { HTTPHeaders.Field(name: $0, value: $1) }), body: Array(body.utf8))
        }
    }

    var requests: [FetchRequest] { asked.withLock(\.self) }
    var addresses: [String] { requests.map(\.address.text) }

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        let before = asked.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
        return try respond(request, before)
    }
}

extension FetchResponse {
    init(to request: FetchRequest, status: Int = 200, _ body: String) {
        self.init(address: request.address, status: status, body: Array(body.utf8))
    }
}

/// Records waits without waiting.
final class SkippingClock: Clock {
    struct Instant: InstantProtocol {
        var offset = Duration.zero
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let state = Mutex<(now: Instant, sleeps: [Duration])>((Instant(), []))

    var now: Instant { state.withLock(\.now) }
    var minimumResolution: Duration { .zero }
    var sleeps: [Duration] { state.withLock(\.sleeps) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.sleeps.append(state.now.duration(to: deadline))
            state.now = deadline
        }
    }
}

/// A file's bytes; none if it cannot be read.
func bytes(ofFile path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
    defer { fclose(file) }
    var all: [UInt8] = []
    var window = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&window, 1, window.count, file), count > 0 { all += window[..<count] }
    return all
}

/// Serves `Fixtures/nasa` at `base`.
func fixtureTransport(base: String = "http://localhost:8080") -> ScriptedTransport {
    ScriptedTransport { request, _ in
        let query = (request.address.query ?? "").split(separator: "&").map { $0.split(separator: "=") }
        func value(_ name: String) -> String {
            query.first { $0.first.map(String.init) == name }?.last.map(String.init) ?? ""
        }
        var path = request.address.path.dropFirst()
        if path == "search" {
            path = "search/\(value("q"))-\(value("page"))"
        } else if path.hasPrefix("album/") {
            path += "-\(value("page"))"
        }
        let file = TestData.fixture("nasa/\(path).json")
        guard TestData.exists(file) else { return FetchResponse(to: request, status: 404, "{}") }
        return FetchResponse(to: request, fixture("\(path).json", base: base))
    }
}

/// A file of `Fixtures/nasa` with the server's address filled in.
func fixture(_ name: String, base: String = "http://localhost:8080") -> String {
    let text = String(decoding: bytes(ofFile: TestData.fixture("nasa/\(name)")), as: UTF8.self)
    var parts: [Substring] = []
    var rest = text[...]
    while let place = rest.firstRange(of: "{{base}}") {
        parts += [rest[..<place.lowerBound], Substring(base)]
        rest = rest[place.upperBound...]
    }
    return (parts + [rest]).joined()
}

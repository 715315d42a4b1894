import SpyglassCaching
import SpyglassThreads

@testable import SpyglassFetching

/// A transport that answers from a closure, one try after another, and remembers what it was asked.
final class ScriptedResponses: Transport {
    typealias Answer = @Sendable (FetchRequest, Int) async throws -> FetchResponse

    private let asked = Mutex<[FetchRequest]>([])
    private let answer: Answer

    /// `answer` is given the request and how many came before it.
    init(_ answer: @escaping Answer) { self.answer = answer }

    /// Each of these once, and then the last one again and again.
    convenience init(_ outcomes: ScriptedOutcome...) {
        self.init { request, before in try outcomes[min(before, outcomes.count - 1)].play(for: request) }
    }

    var requests: [FetchRequest] { asked.withLock(\.self) }
    var count: Int { requests.count }

    /// The header fields of one request; none of one that never came.
    func headers(_ index: Int) -> HTTPHeaders {
        let requests = requests
        return requests.indices.contains(index) ? requests[index].headers : HTTPHeaders()
    }

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        let before = asked.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
        return try await answer(request, before)
    }
}

/// One thing a scripted transport does.
enum ScriptedOutcome: Sendable {
    case answer(Int, [(String, String)], [UInt8])
    case error(FetchError.Kind)
    /// A connection that breaks before anything came.
    case reset
    /// A transfer that breaks after so much.
    case part(Int, [(String, String)], [UInt8])

    static func text(_ text: String, status: Int = 200, _ headers: [(String, String)] = []) -> ScriptedOutcome {
        .answer(status, headers, Array(text.utf8))
    }

    static func part(_ text: String, status: Int = 200, _ headers: [(String, String)] = []) -> ScriptedOutcome {
        .part(status, headers, Array(text.utf8))
    }

    func play(for request: FetchRequest) throws -> FetchResponse {
        switch self {
        case .answer(let status, let headers, let body):
            tell(request, status, headers, body)
            return FetchResponse(
                address: request.address, status: status, headers: HTTPHeaders(pairs: headers), body: body)
        case .error(let kind): throw FetchError(kind, "\(request.address): scripted")
        case .reset:
            var error = FetchError(.unreachable, "\(request.address): reset")
            error.isConnectionLost = true
            throw error
        case .part(let status, let headers, let body):
            tell(request, status, headers, body)
            var error = FetchError(.unreachable, "\(request.address): cut")
            error.partialResponse = FetchResponse(
                address: request.address, status: status, headers: HTTPHeaders(pairs: headers), body: body)
            throw error
        }
    }

    private func tell(_ request: FetchRequest, _ status: Int, _ headers: [(String, String)], _ body: [UInt8]) {
        guard let listener = request.control?.onBody,
            listener(.started(status: status, headers: HTTPHeaders(pairs: headers)))
        else { return }
        _ = listener(.bytes(body))
    }
}

extension HTTPHeaders {
    init(pairs: [(String, String)]) { self.init(pairs.map { Field(name: $0.0, value: $0.1) }) }
}

extension WebAddress {
    static let moon = picture("moon")
    static let mars = picture("mars")

    static func picture(_ name: String) -> WebAddress {
        WebAddress(scheme: "http", host: "pictures.example", port: nil, path: "/\(name).jpg", query: nil)
    }
}

/// What a `FetchControl` tells, in words.
final class BodyStory: Sendable {
    private let told = Mutex<[String]>([])

    var lines: [String] { told.withLock(\.self) }

    func control(until limit: Int = .max) -> FetchControl {
        FetchControl(priority: .visible) { part in
            self.told.withLock { told in
                switch part {
                case .started(let status, _): told.append("begins \(status)")
                case .bytes(let bytes): told.append(String(decoding: bytes, as: UTF8.self))
                }
                return told.count < limit
            }
        }
    }
}

/// Events, as they come.
final class EventLog: Sendable {
    private let seen = Mutex<[FetchEvent]>([])
    var events: [FetchEvent] { seen.withLock(\.self) }
    var observer: FetchEvent.Observer { { event in self.seen.withLock { $0.append(event) } } }
}

/// A calendar that tests turn, forth and back.
final class Calendar: Sendable {
    private let time: Mutex<WallTime>
    init(_ start: WallTime = .start) { time = Mutex(start) }
    var now: WallTime { time.withLock(\.self) }
    var reader: @Sendable () -> WallTime { { self.now } }
    func turn(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
}

extension WallTime {
    /// Thu, 01 Oct 2026 00:00:00 GMT.
    static let start = WallTime(seconds: 1_790_812_800)
}

/// A store in memory, which a test may fill, read, and hold up.
final class MemoryStore: ByteStore {
    private let entries = Mutex<[String: CacheEntry]>([:])
    private let reads = Mutex(0)
    private let refuses: Bool

    init(refuses: Bool = false) { self.refuses = refuses }

    var keys: [String] { entries.withLock { $0.keys.sorted() } }
    var readCount: Int { reads.withLock(\.self) }

    func entry(for key: String) -> CacheEntry? {
        reads.withLock { $0 += 1 }
        return entries.withLock { $0[key] }
    }

    func store(_ entry: CacheEntry, for key: String) -> Bool {
        guard !refuses else { return false }
        entries.withLock { $0[key] = entry }
        return true
    }

    func remove(_ key: String) { entries.withLock { $0[key] = nil } }
}

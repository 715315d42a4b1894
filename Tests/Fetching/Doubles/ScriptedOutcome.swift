import SpyglassCaching
import SpyglassTestSupport
import SpyglassThreads

@testable import SpyglassFetching

extension ScriptedTransport {
    /// Plays each outcome once, and repeats the last one.
    convenience init(_ outcomes: ScriptedOutcome...) {
        self.init { request, before in try outcomes[min(before, outcomes.count - 1)].play(for: request) }
    }

    /// The header fields of one request; none if it is missing.
    func headers(_ index: Int) -> HTTPHeaders {
        let requests = requests
        return requests.indices.contains(index) ? requests[index].headers : HTTPHeaders()
    }
}

/// One thing a scripted transport does.
enum ScriptedOutcome: Sendable {
    case answer(Int, [(String, String)], [UInt8])
    case error(FetchError.Kind)
    /// A connection that is lost before the response.
    case reset
    /// A transfer that is interrupted after these bytes.
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

/// The body events of a `FetchControl` as text.
final class BodyRecorder: Sendable {
    private let recorded = Mutex<[String]>([])

    var lines: [String] { recorded.withLock(\.self) }

    func control(until limit: Int = .max) -> FetchControl {
        FetchControl(priority: .visible) { part in
            self.recorded.withLock { recorded in
                switch part {
                case .started(let status, _): recorded.append("begins \(status)")
                case .bytes(let bytes): recorded.append(String(decoding: bytes, as: UTF8.self))
                }
                return recorded.count < limit
            }
        }
    }
}

extension WallTime {
    /// Thu, 01 Oct 2026 00:00:00 GMT.
    static let start = WallTime(seconds: 1_790_812_800)
}

import SpyglassCaching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

extension ScriptedTransport {
    /// Plays each outcome once, and repeats the last one.
    convenience init(_ outcomes: ScriptedOutcome...) {
        self.init { request, before in try outcomes[min(before, outcomes.count - 1)].play(for: request) }
    }

    /// The header fields of one request; none if it is missing.
    func headers(_ index: Int) -> HeaderFields {
        let requests = requests
        return requests.indices.contains(index) ? requests[index].headers : HeaderFields()
    }
}

extension Transport {
    /// Starts a fetch, which runs up to its first suspension, so that fetches arrive in order.
    func start(
        _ address: WebAddress, _ priority: FetchPriority = .visible, control: FetchControl? = nil
    ) -> Task<FetchResponse, any Error> {
        var request = FetchRequest(address, priority: priority)
        request.control = control
        return Task.immediate { [request] in try await self.fetch(request) }
    }

    /// Fetches an address without options.
    @discardableResult
    func get(_ address: WebAddress) async throws -> FetchResponse { try await fetch(FetchRequest(address)) }
}

extension FetchResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension CacheEntry {
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// Returns the `FetchError` that `body` throws, if any; another error fails the test.
func failure<Value>(_ body: () async throws -> Value) async -> FetchError? {
    do {
        _ = try await body()
        return nil
    } catch {
        if !(error is FetchError) { Issue.record(error) }
        return error as? FetchError
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
                address: request.address, status: status, headers: HeaderFields(pairs: headers), body: body)
        case .error(let kind): throw FetchError(kind, "\(request.address): scripted")
        case .reset:
            var error = FetchError(.unreachable, "\(request.address): reset")
            error.isConnectionLost = true
            throw error
        case .part(let status, let headers, let body):
            tell(request, status, headers, body)
            var error = FetchError(.unreachable, "\(request.address): cut")
            error.partialResponse = FetchResponse(
                address: request.address, status: status, headers: HeaderFields(pairs: headers), body: body)
            throw error
        }
    }

    private func tell(_ request: FetchRequest, _ status: Int, _ headers: [(String, String)], _ body: [UInt8]) {
        guard let listener = request.control?.onBody,
            listener(.started(status: status, headers: HeaderFields(pairs: headers)))
        else { return }
        _ = listener(.bytes(body))
    }
}

extension HeaderFields {
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

/// Makes gzip members (RFC 1952) for tests, without a compressor.
enum Gzip {
    private static let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]

    /// A valid member that holds `bytes` (at most 65,535) uncompressed.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let length = UInt16(bytes.count)
        return header + [1] + littleEndian(length) + littleEndian(~length) + bytes
            + littleEndian(checksum(bytes)) + littleEndian(UInt32(bytes.count))
    }

    /// The start of a member that unpacks to more than `size` zeros, a hundredth as long.
    static func bomb(_ size: Int) -> [UInt8] {
        var bits = BitWriter(bytes: header)
        bits.write(0b1, 1)  // the last block
        bits.write(0b01, 2)  // fixed Huffman codes, RFC 1951 section 3.2.6
        bits.write(0b0000_1100, 8)  // the literal 0 is 00110000, codes go most significant bit first
        for _ in 0...(size / 258) {
            bits.write(0b1010_0011, 8)  // length 258 is 11000101
            bits.write(0, 5)  // distance 1
        }
        return bits.bytes + [0]
    }

    private struct BitWriter {
        var bytes: [UInt8]
        var used = 8

        mutating func write(_ value: UInt32, _ count: Int) {
            for bit in 0..<count {
                if used == 8 {
                    bytes.append(0)
                    used = 0
                }
                bytes[bytes.count - 1] |= UInt8(value >> UInt32(bit) & 1) << UInt8(used)
                used += 1
            }
        }
    }

    private static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    /// CRC-32 of RFC 1952 section 8.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = ~0
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0xedb8_8320 : 0) }
        }
        return ~crc
    }
}

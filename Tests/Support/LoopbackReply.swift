public import SpyglassFetching

extension LoopbackServer {
    /// A received request.
    public struct Request: Sendable {
        /// The method, such as `GET`.
        public let method: String
        /// Path and query, as sent.
        public let target: String
        /// The header fields, in order.
        public let headers: HeaderFields
        /// The number of its connection, from 1.
        public let connection: Int

        /// The path as sent, without the query.
        public var path: String { String(target.prefix { $0 != "?" }) }
        /// The value of a query item, decoded.
        public func query(_ name: String) -> String? {
            WebAddress("http://host\(target)")?.queryItems.first { $0.name == name }?.value
        }
    }

    /// The steps of a response.
    public struct Reply: Sendable {
        /// A step of a response.
        public enum Step: Sendable {
            /// Sends these bytes.
            case send([UInt8])
            /// Waits until the test opens the gate.
            case wait(Gate)
            /// Sends these bytes again and again until the client leaves or the server stops.
            case flood([UInt8])
            /// Sends nothing until the client leaves or the server stops.
            case stall
            /// Closes the connection.
            case close
            /// Resets the connection (TCP RST).
            case reset
        }

        /// The steps in order; then the connection accepts another request.
        public var steps: [Step]

        /// Creates a response from steps.
        public init(steps: [Step]) { self.steps = steps }

        /// Creates a complete response with `Content-Length`.
        public init(_ status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = []) {
            let length = [("Content-Length", "\(body.count)")]
            steps = [.send(Self.head(status, headers: headers + length) + body)]
        }

        /// Creates a response of text.
        public init(_ status: Int = 200, headers: [(String, String)] = [], text: String) {
            self.init(status, headers: headers, body: Array(text.utf8))
        }

        /// Creates the start of a response that announces `length` bytes, and what follows it.
        public init(
            _ status: Int = 200, length: Int, headers: [(String, String)] = [], _ start: [UInt8] = [], then end: Step...
        ) {
            let length = [("Content-Length", "\(length)")]
            steps = [.send(Self.head(status, headers: headers + length) + start)] + end
        }

        /// Returns the response, held back until the gate opens.
        public func after(_ gate: Gate) -> Reply { Reply(steps: [.wait(gate)] + steps) }

        /// Creates a redirect.
        public static func redirect(to location: String, _ status: Int = 302) -> Reply {
            Reply(status, headers: [("Location", location)], text: "elsewhere")
        }

        /// Creates a chunked response (RFC 9112 section 7.1).
        public static func chunked(_ parts: [[UInt8]], headers: [(String, String)] = []) -> Reply {
            var bytes = head(200, headers: headers + [("Transfer-Encoding", "chunked")])
            for part in parts where !part.isEmpty {
                bytes += Array("\(String(part.count, radix: 16))\r\n".utf8) + part + Array("\r\n".utf8)
            }
            return Reply(steps: [.send(bytes + Array("0\r\n\r\n".utf8))])
        }

        /// A status line and header fields with the empty line.
        public static func head(_ status: Int, headers: [(String, String)]) -> [UInt8] {
            let lines = ["HTTP/1.1 \(status) Scripted"] + headers.map { "\($0.0): \($0.1)" }
            return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        }
    }

    /// The server's counters.
    public struct Counts: Sendable {
        /// Received requests.
        public internal(set) var requests = 0
        /// Requests that are being answered now.
        public internal(set) var answering = 0
        /// Connections that were ever made.
        public internal(set) var connections = 0
        /// Connections that are open now.
        public internal(set) var openConnections = 0
        /// The most connections that were open at one time.
        public internal(set) var maxConnections = 0
    }
}

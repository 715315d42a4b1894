internal import SpyglassJSON

/// One line of an archive's index: an answer, or one hop of a redirect.
struct ArchiveEntry {
    /// The address that was asked, without secrets.
    var url: String
    /// The HTTP status.
    var status: Int
    /// The header fields, in order.
    var headers: [HTTPHeaders.Field]
    /// Where the body is, relative to the archive; `nil` for an empty one.
    var body: String?

    /// The entry as a line of the index, without a line break.
    var line: String {
        var members = [
            ("url", JSONText.string(url)), ("status", JSONText.number(status)),
            ("headers", JSONText.object(headers.map { ($0.name, JSONText.string($0.value)) })),
        ]
        if let body { members.append(("body", JSONText.string(body))) }
        return JSONText.object(members)
    }
}

extension ArchiveEntry {
    /// Reads a line of the index; members beside the four are left for later versions.
    init(_ object: JSONValue) throws(FetchError) {
        url = try Self.url(of: object)
        guard case .number? = object["status"], let status = object["status"]?.integer, (100...599).contains(status)
        else { throw Self.wrong("status", "no HTTP status") }
        self.status = status
        headers = []
        switch object["headers"] {
        case nil, .null: break
        case .object(let members):
            for member in members {
                guard case .string(let value) = member.value else { throw Self.wrong("headers", "not text throughout") }
                headers.append(HTTPHeaders.Field(name: member.name, value: value))
            }
        default: throw Self.wrong("headers", "no object")
        }
        switch object["body"] {
        case nil, .null: body = nil
        case .string(let path): body = path
        default: throw Self.wrong("body", "no text")
        }
    }

    /// The address alone.
    static func url(of object: JSONValue) throws(FetchError) -> String {
        guard case .object = object else { throw FetchError(.unavailable, "it is no JSON object") }
        guard case .string(let url) = object["url"] else { throw wrong("url", "no text") }
        return url
    }

    private static func wrong(_ member: String, _ what: String) -> FetchError {
        FetchError(.unavailable, "\"\(member)\" is \(what)")
    }
}

/// An archive's index in memory: which line answers which address.
///
/// Only the address of a line is read at first; the rest when it is asked for.
struct ArchiveIndex: Sendable {
    static let fileName = "index.jsonl"
    /// Far above the 40 MB of a hundred thousand answers, far below what would hurt.
    static let byteLimit = 256 << 20
    /// An address and its header fields cannot be longer.
    static let lineLimit = 1 << 20

    /// Every address with a line, in the order in which they first came.
    private(set) var addresses: [WebAddress] = []
    private let name: String
    private let bytes: [UInt8]
    private var lastLines: [String: Line] = [:]

    private struct Line {
        let number: Int
        let range: Range<Int>
    }

    /// Reads an index.
    ///
    /// - Throws: `FetchError` of kind `unavailable` that names the broken line. A last line that was cut off, as a recording
    ///   that was killed leaves it, is left out.
    init(_ bytes: [UInt8], name: String) throws(FetchError) {
        self.bytes = bytes
        self.name = name
        var start = 0
        var number = 0
        while start < bytes.count {
            number += 1
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
            let line = Line(number: number, range: start..<(end ?? bytes.count))
            start = (end ?? bytes.count) + 1
            guard bytes[line.range].contains(where: { $0 > 0x20 }) else { continue }
            do {
                let address = try WebAddress(validating: ArchiveEntry.url(of: object(line)))
                if lastLines.updateValue(line, forKey: address.archiveKey) == nil { addresses.append(address) }
            } catch {
                guard end == nil else { throw broken(line, error) }
            }
        }
    }

    /// The last entry for an address, and its line for messages; `nil` when there is none.
    func entry(for address: WebAddress) throws(FetchError) -> (ArchiveEntry, place: String)? {
        guard let line = lastLines[address.archiveKey] else { return nil }
        do {
            return (try ArchiveEntry(object(line)), "\(name), line \(line.number)")
        } catch {
            throw broken(line, error)
        }
    }

    private func object(_ line: Line) throws(FetchError) -> JSONValue {
        guard line.range.count <= Self.lineLimit else { throw FetchError(.unavailable, "it is too long") }
        do {
            return try JSONValue(parsing: Array(bytes[line.range]))
        } catch {
            throw FetchError(.unavailable, "it is no JSON, \(error.description)")
        }
    }

    private func broken(_ line: Line, _ error: FetchError) -> FetchError {
        FetchError(.unavailable, "\(name), line \(line.number) cannot be read: \(error.description)")
    }
}

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
/// Only the address of a line is read at first, and only its hash and place are kept: 16 bytes a line beside the file's own.
struct ArchiveIndex: Sendable {
    static let fileName = "index.jsonl"
    /// Far above the 40 MB of a hundred thousand answers, far below what would hurt; places fit in 32 bits.
    static let byteLimit = 256 << 20
    /// Addresses of one archive: a crawl of NASA's largest search has 70,000.
    static let addressLimit = 1_000_000
    /// An address and its header fields cannot be longer.
    static let lineLimit = 1 << 20

    /// The first hosts that have an answer, four at most.
    private(set) var hosts: [String] = []
    private let name: String
    private let bytes: [UInt8]
    /// By the hash of `WebAddress.archiveKey`, which a process chooses anew; the line itself tells two of one hash apart.
    private var lastLines: [Int: Line] = [:]

    /// How many addresses have an answer.
    var count: Int { lastLines.count }

    private struct Line {
        let number: UInt32
        let start: UInt32
    }

    /// Reads an index.
    ///
    /// - Throws: `FetchError` of kind `unavailable` that names the broken line. A last line that was cut off, as a recording
    ///   that was killed leaves it, is left out.
    init(_ bytes: [UInt8], name: String, addressLimit: Int = ArchiveIndex.addressLimit) throws(FetchError) {
        self.bytes = bytes
        self.name = name
        var found: [Int: Line] = [:]
        var hosts: [String] = []
        try forEachLine { (line, address) throws(FetchError) in
            found[address.archiveKey.hashValue] = line
            guard found.count <= addressLimit else {
                throw FetchError(
                    .unavailable, "\(name) has answers for more addresses than the limit of \(addressLimit)")
            }
            if hosts.count < 4, !hosts.contains(address.host) { hosts.append(address.host) }
        }
        lastLines = found
        self.hosts = hosts
    }

    /// The last entry for an address, and its line for messages; `nil` when there is none.
    func entry(for address: WebAddress) throws(FetchError) -> (ArchiveEntry, place: String)? {
        let key = address.archiveKey
        guard let line = lastLines[key.hashValue] else { return nil }
        do {
            let object = try object(line)
            guard try WebAddress(validating: ArchiveEntry.url(of: object)).archiveKey == key else { return nil }
            return (try ArchiveEntry(object), "\(name), line \(line.number)")
        } catch {
            throw broken(line, error)
        }
    }

    /// The addresses that are wanted, in order; one that was recorded again stands again.
    ///
    /// Reads the whole index once more.
    func addresses(where isWanted: (WebAddress) -> Bool) throws(FetchError) -> [WebAddress] {
        var addresses: [WebAddress] = []
        try forEachLine { (_, address) throws(FetchError) in if isWanted(address) { addresses.append(address) } }
        return addresses
    }

    private func forEachLine(_ body: (Line, WebAddress) throws(FetchError) -> Void) throws(FetchError) {
        var start = 0
        var number: UInt32 = 0
        while start < bytes.count {
            number += 1
            let line = Line(number: number, start: UInt32(start))
            let range = range(of: line)
            start = range.upperBound + 1
            guard bytes[range].contains(where: { $0 > 0x20 }) else { continue }
            let address: WebAddress
            do {
                address = try WebAddress(validating: ArchiveEntry.url(of: object(line)))
            } catch {
                // A last line that was cut off.
                guard range.upperBound < bytes.count else { return }
                throw broken(line, error)
            }
            try body(line, address)
        }
    }

    private func range(of line: Line) -> Range<Int> {
        let start = Int(line.start)
        return start..<(bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count)
    }

    private func object(_ line: Line) throws(FetchError) -> JSONValue {
        let range = range(of: line)
        guard range.count <= Self.lineLimit else { throw FetchError(.unavailable, "it is too long") }
        do {
            return try JSONValue(parsing: Array(bytes[range]))
        } catch {
            throw FetchError(.unavailable, "it is no JSON, \(error.description)")
        }
    }

    private func broken(_ line: Line, _ error: FetchError) -> FetchError {
        FetchError(.unavailable, "\(name), line \(line.number) cannot be read: \(error.description)")
    }
}

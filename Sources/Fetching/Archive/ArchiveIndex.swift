internal import SpyglassJSON

/// One line of an archive's index: a response, or one hop of a redirect.
struct ArchiveEntry {
    /// Without secrets.
    var url: String
    var status: Int
    var headers: [HTTPHeaders.Field]
    /// Relative to the archive; `nil` for an empty body.
    var body: String?

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
    /// Other members are for later versions.
    init(_ object: JSONValue) throws(FetchError) {
        url = try Self.url(of: object)
        guard case .number? = object["status"], let status = object["status"]?.integer, (100...599).contains(status)
        else { throw Self.wrong("status", "not an HTTP status") }
        self.status = status
        headers = []
        switch object["headers"] {
        case nil, .null: break
        case .object(let members):
            for member in members {
                guard case .string(let value) = member.value else {
                    throw Self.wrong("headers", "not an object of strings")
                }
                headers.append(HTTPHeaders.Field(name: member.name, value: value))
            }
        default: throw Self.wrong("headers", "not an object")
        }
        switch object["body"] {
        case nil, .null: body = nil
        case .string(let path): body = path
        default: throw Self.wrong("body", "not a string")
        }
    }

    static func url(of object: JSONValue) throws(FetchError) -> String {
        guard case .object = object else { throw FetchError(.unavailable, "not a JSON object") }
        guard case .string(let url) = object["url"] else { throw wrong("url", "not a string") }
        return url
    }

    private static func wrong(_ member: String, _ what: String) -> FetchError {
        FetchError(.unavailable, "\"\(member)\" is \(what)")
    }
}

/// An archive's index in memory: 16 bytes a line for address hash and position, besides the file's own bytes.
struct ArchiveIndex: Sendable {
    static let fileName = "index.jsonl"
    /// A hundred thousand responses take 40 MB; positions fit in 32 bits.
    static let byteLimit = 256 << 20
    /// A crawl of NASA's largest search has 70,000.
    static let addressLimit = 1_000_000
    /// Maximum bytes of a line.
    static let lineLimit = 1 << 20

    private(set) var hosts: [String] = []
    private let name: String
    private let bytes: [UInt8]
    /// By the process's hash of `WebAddress.archiveKey`; the line resolves collisions.
    private var lastLines: [Int: Line] = [:]

    var count: Int { lastLines.count }

    private struct Line {
        let number: UInt32
        let start: UInt32
    }

    /// Throws `unavailable` with the broken line; ignores half a last line of a killed recording.
    init(_ bytes: [UInt8], name: String, addressLimit: Int = ArchiveIndex.addressLimit) throws(FetchError) {
        self.bytes = bytes
        self.name = name
        var found: [Int: Line] = [:]
        var hosts: [String] = []
        try forEachLine { (line, address) throws(FetchError) in
            found[address.archiveKey.hashValue] = line
            guard found.count <= addressLimit else {
                throw FetchError(.unavailable, "\(name) has responses for more URLs than the limit of \(addressLimit)")
            }
            if hosts.count < 4, !hosts.contains(address.host) { hosts.append(address.host) }
        }
        lastLines = found
        self.hosts = hosts
    }

    /// The last entry of an address, and its line for messages.
    func entry(for address: WebAddress) throws(FetchError) -> (ArchiveEntry, location: String)? {
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

    /// In order, with repetitions; reads the whole index again.
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
        guard range.count <= Self.lineLimit else { throw FetchError(.unavailable, "line too long") }
        do {
            return try JSONValue(parsing: Array(bytes[range]))
        } catch {
            throw FetchError(.unavailable, "not JSON: \(error.description)")
        }
    }

    private func broken(_ line: Line, _ error: FetchError) -> FetchError {
        FetchError(.unavailable, "\(name), line \(line.number): \(error.description)")
    }
}

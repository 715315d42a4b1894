internal import FoundationEssentials

/// One line of an archive's index: an answer, or one hop of a redirect.
struct ArchiveEntry: Codable {
    /// The address that was asked, without secrets.
    var url: String
    /// The HTTP status.
    var status: Int
    /// The header fields.
    var headers: [String: String]?
    /// Where the body is, relative to the archive; `nil` for an empty one.
    var body: String?
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

    private struct Address: Decodable {
        let url: String
    }

    /// Reads an index.
    ///
    /// - Throws: `FetchError` of kind `unavailable` that names the broken line. A last line that was cut off, as a recording
    ///   that was killed leaves it, is left out.
    init(_ bytes: [UInt8], name: String) throws(FetchError) {
        self.bytes = bytes
        self.name = name
        let decoder = JSONDecoder()
        var start = 0
        var number = 0
        while start < bytes.count {
            number += 1
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
            let line = Line(number: number, range: start..<(end ?? bytes.count))
            start = (end ?? bytes.count) + 1
            guard bytes[line.range].contains(where: { $0 > 0x20 }) else { continue }
            do {
                let text: Address = try decode(line, decoder)
                let address = try WebAddress(validating: text.url)
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
            let entry: ArchiveEntry = try decode(line, JSONDecoder())
            guard (100...599).contains(entry.status) else {
                throw FetchError(.unavailable, "\(entry.status) is no HTTP status")
            }
            return (entry, "\(name), line \(line.number)")
        } catch {
            throw broken(line, error)
        }
    }

    private func decode<Value: Decodable>(_ line: Line, _ decoder: JSONDecoder) throws -> Value {
        guard line.range.count <= Self.lineLimit else { throw FetchError(.unavailable, "it is too long") }
        return try decoder.decode(Value.self, from: Data(bytes[line.range]))
    }

    private func broken(_ line: Line, _ error: any Error) -> FetchError {
        FetchError(.unavailable, "\(name), line \(line.number) cannot be read: \(Self.words(for: error)).")
    }

    private static func words(for error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "\"\(key.stringValue)\" is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "\"\(context.codingPath.map(\.stringValue).joined(separator: ".").prefix(80).description.withoutControls)\" is of the wrong type"
        case DecodingError.dataCorrupted: "it is no JSON object"
        case let error as FetchError: error.description
        default: "it is no JSON object"
        }
    }
}

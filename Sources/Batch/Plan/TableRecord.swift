/// A record of a CSV or TSV table (RFC 4180), which goes on over line breaks in quotes.
struct TableRecord: Sendable {
    private enum Place { case start, plain, quoted, afterQuote }

    /// Bounds what one quote that is not closed can take.
    static let maxLines = 4096
    private static let quote = UInt8(ascii: "\"")
    private let delimiter: UInt8
    private(set) var fields: [String] = []
    private var field: [UInt8] = []
    private var place = Place.start

    init(delimiter: UInt8) { self.delimiter = delimiter }

    /// Adds a line without its line break; `false` if the record goes on in the next one.
    mutating func add(_ line: [UInt8]) throws(BatchError) -> Bool {
        for (index, byte) in line.enumerated() {
            switch (place, byte) {
            case (.start, Self.quote): place = .quoted
            case (.quoted, Self.quote): place = .afterQuote
            case (.quoted, _): field.append(byte)
            case (.afterQuote, Self.quote):
                field.append(byte)
                place = .quoted
            case (_, delimiter): endField()
            case (_, UInt8(ascii: "\r")) where index == line.count - 1: break
            case (.afterQuote, _): throw BatchError(.input, "text after a quoted field")
            case (.start, _), (.plain, _):
                field.append(byte)
                place = .plain
            }
        }
        guard place != .quoted else {
            field.append(UInt8(ascii: "\n"))
            return false
        }
        endField()
        return true
    }

    private mutating func endField() {
        fields.append(String(decoding: field, as: UTF8.self))
        field.removeAll(keepingCapacity: true)
        place = .start
    }

    /// The fields of a line that is a whole record.
    static func fields(_ line: [UInt8], delimiter: UInt8) -> [String]? {
        var record = TableRecord(delimiter: delimiter)
        return (try? record.add(line)) == true ? record.fields : nil
    }
}

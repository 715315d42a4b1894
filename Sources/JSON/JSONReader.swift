/// A syntax error in a JSON text.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, without the position.
    public let description: String
    /// Bytes from the start of the text.
    public let offset: Int
}

extension JSONValue {
    /// Levels of arrays and objects; NASA's responses have seven.
    public static let depthLimit = 64
    /// The maximum number of values, so that 16 MiB of `[0,0,0…` do not become a gigabyte; NASA's pages of 100 items have 2,500.
    public static let valueLimit = 1_000_000

    /// Reads a whole JSON text of UTF-8 bytes.
    ///
    /// Repairs harmless faults, so that one bad letter does not lose 99 other items. Skips a byte order mark, replaces invalid
    /// UTF-8 and lone surrogates with U+FFFD, and accepts raw control characters in strings.
    ///
    /// - Throws: `JSONError` for everything else that RFC 8259 does not allow, and beyond `depthLimit` and `valueLimit`.
    public init(parsing bytes: [UInt8]) throws(JSONError) {
        var reader = JSONReader(bytes: bytes)
        self = try reader.document()
    }
}

private struct JSONReader {
    let bytes: [UInt8]
    var position = 0
    var values = 0

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }
    private func error(_ message: String) -> JSONError { JSONError(description: message, offset: position) }

    mutating func document() throws(JSONError) -> JSONValue {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        skipSpace()
        let value = try value(depth: 0)
        skipSpace()
        guard current == nil else { throw error("unexpected text after the value") }
        return value
    }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard depth < JSONValue.depthLimit else { throw error("more than \(JSONValue.depthLimit) levels") }
        values += 1
        guard values <= JSONValue.valueLimit else { throw error("more than \(JSONValue.valueLimit) values") }
        switch current {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): return try number()
        case nil: throw error("unexpected end")
        default: throw error("expected a value")
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        var members: [JSONValue.Member] = []
        position += 1
        skipSpace()
        if take("}") { return .object([]) }
        while true {
            skipSpace()
            guard current == UInt8(ascii: "\"") else { throw error(ending("expected a name")) }
            let name = try string()
            skipSpace()
            guard take(":") else { throw error(ending("expected a colon")) }
            skipSpace()
            members.append(JSONValue.Member(name: name, value: try value(depth: depth + 1)))
            skipSpace()
            if take("}") { return .object(members) }
            guard take(",") else { throw error(ending("expected a comma or a brace")) }
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        var elements: [JSONValue] = []
        position += 1
        skipSpace()
        if take("]") { return .array([]) }
        while true {
            skipSpace()
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if take("]") { return .array(elements) }
            guard take(",") else { throw error(ending("expected a comma or a bracket")) }
        }
    }

    private func ending(_ message: String) -> String { current == nil ? "unexpected end" : message }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else { throw error("expected a value") }
        position += word.utf8.count
        return value
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        _ = take("-")
        if take("0") {
            if let digit = current, isDigit(digit) { throw error("number with a leading zero") }
        } else {
            try digits()
        }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return .number(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func digits() throws(JSONError) {
        guard let first = current, isDigit(first) else { throw error("expected a digit") }
        while let byte = current, isDigit(byte) { position += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension JSONReader {
    /// The string at the current quotation mark.
    private mutating func string() throws(JSONError) -> String {
        position += 1
        var run = position
        var unescaped: [UInt8] = []
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                let rest = bytes[run..<position]
                position += 1
                // Most strings hold no escape and are copied once.
                return String(decoding: unescaped.isEmpty ? rest : (unescaped + rest)[...], as: UTF8.self)
            case UInt8(ascii: "\\"):
                unescaped += bytes[run..<position]
                position += 1
                unescaped += try escape()
                run = position
            default: position += 1
            }
        }
        throw error("unexpected end")
    }

    /// The character after a backslash, as UTF-8.
    private mutating func escape() throws(JSONError) -> [UInt8] {
        guard let byte = current else { throw error("unexpected end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): break
        default: throw error("unknown escape")
        }
        let unit = try codeUnit()
        if UTF16.isLeadSurrogate(unit), let trail = trailingSurrogate() {
            let value = 0x10000 + ((UInt32(unit) & 0x3FF) << 10 | (UInt32(trail) & 0x3FF))
            return Array(String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
        }
        return Array(String(Unicode.Scalar(unit) ?? "\u{FFFD}").utf8)
    }

    /// The second half of a pair, if it follows; else nothing is consumed.
    private mutating func trailingSurrogate() -> UInt16? {
        let start = position
        if take("\\"), take("u"), let unit = try? codeUnit(), UTF16.isTrailSurrogate(unit) { return unit }
        position = start
        return nil
    }

    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        guard bytes.count - position >= 4 else { throw error("unexpected end") }
        var unit: UInt16 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw error("unknown escape") }
            unit = unit << 4 | UInt16(digit)
        }
        position += 4
        return unit
    }
}

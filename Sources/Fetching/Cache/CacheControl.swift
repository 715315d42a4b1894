/// `Cache-Control` (RFC 9111 section 5.2): malformed values shorten the storage; field names after `no-cache` are ignored.
struct CacheControl: Hashable, Sendable {
    var noStore = false
    var noCache = false
    var mustRevalidate = false
    var onlyIfCached = false
    /// Seconds of freshness; in a request, the maximum age.
    var maxAge: Int64?

    init(_ headers: HTTPHeaders) {
        var reader = DirectiveReader(headers.values(of: "Cache-Control").joined(separator: ","))
        while let (name, argument) = reader.next() {
            switch name {
            case "no-store": noStore = true
            case "no-cache": noCache = true
            case "must-revalidate": mustRevalidate = true
            case "only-if-cached": onlyIfCached = true
            case "max-age":
                let seconds = argument.flatMap(DeltaSeconds.parse) ?? 0
                maxAge = maxAge == nil || maxAge == seconds ? seconds : 0
            default: break
            }
        }
    }
}

enum DeltaSeconds {
    /// Replaces larger numbers, as the RFC allows: 68 years.
    static let largest: Int64 = 1 << 31

    static func parse(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return min(Int64(text) ?? largest, largest)
    }
}

/// Splits a list of `name`, `name=token` and `name="quoted"`; skips anything else up to the next comma.
struct DirectiveReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    /// The next name, in lower case, with its unquoted argument.
    mutating func next() -> (name: String, argument: String?)? {
        while !rest.isEmpty {
            skipBlanks()
            let name = take { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") && !Self.isBlank($0) }
            skipBlanks()
            var argument: String?
            if rest.first == UInt8(ascii: "=") {
                rest.removeFirst()
                skipBlanks()
                argument =
                    rest.first == UInt8(ascii: "\"") ? quoted() : take { $0 != UInt8(ascii: ",") && !Self.isBlank($0) }
                skipBlanks()
            }
            let isWhole = rest.isEmpty || rest.first == UInt8(ascii: ",")
            // A malformed directive counts by its name.
            if !isWhole { argument = "" }
            _ = take { $0 != UInt8(ascii: ",") }
            if !rest.isEmpty { rest.removeFirst() }
            if !name.isEmpty { return (name.lowercased(), argument) }
        }
        return nil
    }

    /// Reads a quoted string (RFC 9110 section 5.6.4); commas in it end nothing.
    private mutating func quoted() -> String {
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            let escaped = byte == UInt8(ascii: "\\") ? rest.popFirst() : nil
            bytes.append(escaped ?? byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func take(while isPart: (UInt8) -> Bool) -> String {
        let part = rest.prefix(while: isPart)
        rest = rest[part.endIndex...]
        return String(decoding: part, as: UTF8.self)
    }

    private mutating func skipBlanks() { rest = rest.drop(while: Self.isBlank) }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

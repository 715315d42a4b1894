/// The directives of `Cache-Control` (RFC 9111 section 5.2) that a private cache acts on.
///
/// Whatever is odd is read so that less is kept, or for a shorter time: a `max-age` that is no number, or two that
/// differ, is 0; fields behind `no-cache` or `private` are not looked at. What only shared caches act on (`s-maxage`,
/// `private`, `proxy-revalidate`) and what is unknown is ignored.
struct CacheControl: Hashable, Sendable {
    /// Nothing of the answer, or of any answer to the request, is kept.
    var noStore = false
    /// The answer is not used again without asking.
    var noCache = false
    /// Once it is old, the answer is never used without asking.
    var mustRevalidate = false
    /// Of a request: what is stored, or nothing.
    var onlyIfCached = false
    /// How many seconds the answer is fresh; of a request: how old an answer may be.
    var maxAge: Int64?

    /// Reads all fields of that name together.
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

/// A number of seconds (RFC 9111 section 1.2.2).
enum DeltaSeconds {
    /// What stands for every larger number, by the RFC: 68 years.
    static let largest: Int64 = 1 << 31

    /// Reads digits and nothing else.
    static func parse(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return min(Int64(text) ?? largest, largest)
    }
}

/// Takes a list of `name`, `name=token` and `name="quoted"` apart; what is none of these is skipped up to the next comma.
struct DirectiveReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    /// The next directive: its name in lower case, and its argument without quotation marks.
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
            // A malformed one still counts by its name: an argument that cannot be read is none that helps.
            if !isWhole { argument = "" }
            _ = take { $0 != UInt8(ascii: ",") }
            if !rest.isEmpty { rest.removeFirst() }
            if !name.isEmpty { return (name.lowercased(), argument) }
        }
        return nil
    }

    /// What stands between quotation marks (RFC 9110 section 5.6.4), and those are gone; a comma in it ends nothing.
    private mutating func quoted() -> String {
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                bytes.append(escaped)
            } else {
                bytes.append(byte)
            }
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

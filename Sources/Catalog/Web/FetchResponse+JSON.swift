internal import SpyglassFetching
internal import SpyglassJSON

extension FetchResponse {
    /// The body as JSON, of at most `limit` bytes.
    func json(limit: Int) throws(CatalogError) -> JSONValue {
        let host = address.host
        guard body.count <= limit else { throw .tooLarge(from: host, limit: limit) }
        switch body.first(where: { $0 > 0x20 }) {
        case nil: throw .invalid(from: host, "empty body (HTTP \(status)); try again later")
        case UInt8(ascii: "<"):
            let title = pageReason.map { " (\($0))" } ?? ""
            throw .invalid(from: host, "a web page instead of JSON\(title); is a proxy or a login page in between?")
        default: break
        }
        do {
            return try JSONValue(parsing: body)
        } catch {
            throw .invalid(from: host, "malformed JSON: \(error) (byte \(error.offset)); try again later")
        }
    }

    /// The title of a web page, else its first text; `nil` if there is none.
    var pageReason: String? {
        // A web page shows its text early; 64 KiB are the limit of other reasons, too.
        let bytes = body.prefix(1 << 16)
        // JSON here is malformed, or larger than any reason.
        let isJSON = bytes.first { $0 > UInt8(ascii: " ") }.map { "{[".utf8.contains($0) } ?? false
        guard !isJSON, !bytes.contains(0) else { return nil }
        let page = String(decoding: bytes, as: UTF8.self)
        let title = [("<title", "</title"), ("<TITLE", "</TITLE")].lazy.compactMap { start, end in
            page.byteRange(of: start).flatMap { start in
                page[start.upperBound...].byteRange(of: end).map { page[start.lowerBound..<$0.lowerBound] }
            }
        }.first
        return [title ?? "", page[...]].lazy.compactMap {
            CatalogError.reason(PlainText.line(String($0), limit: 1 << 16))
        }
        .first
    }
}

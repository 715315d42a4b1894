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
            throw .invalid(from: host, "a web page instead of JSON; is a proxy or a login page in between?")
        default: break
        }
        do {
            return try JSONValue(parsing: body)
        } catch {
            throw .invalid(from: host, "malformed JSON: \(error) (byte \(error.offset)); try again later")
        }
    }
}

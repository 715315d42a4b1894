/// The header fields that are recorded: lower-case names, each once, sorted.
enum RecordedHeaders {
    /// Fields of the transfer, not of the recorded bytes (RFC 9110 section 7.6.1, RFC 9112).
    private static let ofTransfer: Set<String> = [
        "content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection",
        "trailer", "upgrade", "alt-svc",
    ]

    static func kept(of headers: HTTPHeaders, at address: WebAddress) -> [HTTPHeaders.Field] {
        var kept: [String: String] = [:]
        for field in headers.fields {
            let name = field.name.lowercased()
            guard !ofTransfer.contains(name), !Secrets.isSecret(name.utf8) else { continue }
            let value = isAddress(name) ? (try? address.resolving(field.value))?.storableText : field.value
            guard var value else { continue }
            if name == "link" { value = links(value, at: address) }
            // Any field may hold an address with a secret, such as `Refresh`.
            guard !Secrets.names(in: value.utf8[...]).contains(where: Secrets.isHidden),
                !(value.containsBytes(of: "://") && value.utf8.contains(UInt8(ascii: "@")))
            else { continue }
            // The last address counts; lists are joined (RFC 9110 section 5.3).
            kept[name] = isAddress(name) ? value : kept[name].map { "\($0), \(value)" } ?? value
        }
        return kept.sorted { $0.key < $1.key }.map { HTTPHeaders.Field(name: $0.key, value: $0.value) }
    }

    /// A `Link` (RFC 8288 section 3) without secrets.
    private static func links(_ value: String, at address: WebAddress) -> String {
        let parts = value.split(separator: "<", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(String(parts.first ?? "")) { text, part in
            let target = part.prefix { $0 != ">" }
            let kept = (try? address.resolving(String(target)))?.storableText ?? ""
            return "\(text)<\(kept)\(part[target.endIndex...])"
        }
    }

    private static func isAddress(_ name: String) -> Bool { name == "location" || name == "content-location" }
}

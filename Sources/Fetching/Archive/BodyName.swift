internal import SpyglassCaching

/// The file name of a recorded body, of letters, digits and `_ ~ . -`: `bodies/images-assets.nasa.gov/As_11~thumb.jpg`.
struct BodyName {
    private let folder: String
    private let stem: String
    private let suffix: String
    private let fingerprint: UInt64
    private static let stemLimit = 80

    init(_ address: WebAddress, contentType: String?, body: [UInt8]) {
        let segments = Array(address.path.utf8).split(separator: UInt8(ascii: "/")).suffix(2).map {
            String(decoding: PercentEncoding.decoded($0), as: UTF8.self)
        }
        var name = segments.last ?? "index"
        let ending = Self.ending(of: name)
        if let ending { name.removeLast(ending.count + 1) }
        // `collection.json` is ambiguous without its item.
        if segments.count == 2, !name.hasPrefix(segments[0]) { name = "\(segments[0])-\(name)" }
        for item in address.withoutSecrets.queryItems { name += "-\(item.name)-\(item.value)" }
        let safeStem = Self.safe(name)
        fingerprint = FNV1a.hash(address.archiveKey.utf8, from: FNV1a.hash(body))
        stem =
            safeStem.utf8.count <= Self.stemLimit
            ? safeStem : "\(safeStem.prefix(Self.stemLimit))-\(Hex.text(fingerprint))"
        suffix = Self.suffix(ending: ending, contentType: contentType, body: body)
        folder = "bodies/\(Self.safe(address.authority).prefix(Self.stemLimit))"
    }

    /// In order of preference; the first that is free or has the same bytes is used.
    var candidates: [String] {
        let unique = "\(stem)-\(Hex.text(fingerprint))"
        return (["\(stem)", unique] + (2...9).map { "\(unique)-\($0)" }).map { "\(folder)/\($0).\(suffix)" }
    }

    private static func safe(_ text: String) -> String {
        let safe = text.utf8.map {
            PercentEncoding.isAlphanumeric($0) || "_~.-".utf8.contains($0) ? $0 : UInt8(ascii: "_")
        }
        let name = String(decoding: safe, as: UTF8.self)
        return name.isEmpty || name.hasPrefix(".") || name.hasPrefix("-") ? "_\(name)" : name
    }

    /// Up to five letters and digits after the last dot.
    private static func ending(of name: String) -> String? {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
        let ending = name[name.index(after: dot)...]
        guard (1...5).contains(ending.utf8.count), ending.utf8.allSatisfy(PercentEncoding.isAlphanumeric) else {
            return nil
        }
        return String(ending)
    }

    /// By the bytes, then the server's type, then the address.
    private static func suffix(ending: String?, contentType: String?, body: [UInt8]) -> String {
        let ending = ending?.lowercased()
        if body.starts(with: [0xff, 0xd8, 0xff]) { return ending == "jpeg" ? "jpeg" : "jpg" }
        if body.starts(with: [0x89, 0x50, 0x4e, 0x47]) { return "png" }
        if body.starts(with: "GIF8".utf8) { return "gif" }
        if body.starts(with: "RIFF".utf8), body.dropFirst(8).starts(with: "WEBP".utf8) { return "webp" }
        let type = contentType?.lowercased() ?? ""
        if type.containsBytes(of: "json") { return "json" }
        if type.containsBytes(of: "html") { return "html" }
        if let ending { return ending }
        switch body.first(where: { $0 > 0x20 }) {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return "json"
        default: return type.hasPrefix("text/") ? "txt" : "bin"
        }
    }
}

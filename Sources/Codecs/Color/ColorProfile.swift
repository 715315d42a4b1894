/// An ICC profile (ICC.1:2022), as far as it must be known before a library is asked: for which colours it is, what it is called,
/// and whether it is sRGB.
///
///     let profile = try ColorProfile(bytes)
///     if profile.isSRGB { return picture }
///
/// Every offset and count in it is untrusted: what points outside is as if it were not there.
struct ColorProfile {
    /// The colours that a profile can be for.
    enum Space: String {
        case gray = "grey"
        case rgb = "RGB"
        case cmyk = "CMYK"
    }

    /// Why some bytes are no profile of a picture, for people.
    struct Flaw: Error {
        let reason: String
    }

    /// The colours it is for.
    let space: Space
    let content: ProfileBytes

    private static let headerBytes = 128
    private static let entryBytes = 12
    /// `MAX_TABLE_TAG` of lcms2, which takes no more.
    private static let maxTags = 100

    /// Reads the header (section 7.2).
    init(_ bytes: [UInt8]) throws(Flaw) {
        content = ProfileBytes(bytes: bytes)
        guard bytes.count >= Self.headerBytes + 4, content.name(at: 36) == "acsp" else {
            throw Flaw(reason: "it is no ICC profile")
        }
        let kinds: [ProfileName] = ["mntr", "scnr", "prtr", "spac"]
        guard let kind = content.name(at: 12), kinds.contains(kind) else {
            throw Flaw(reason: "it is not of a kind that describes a picture")
        }
        switch content.name(at: 16) {
        case "GRAY": space = .gray
        case "RGB ": space = .rgb
        case "CMYK": space = .cmyk
        default: throw Flaw(reason: "it is for neither grey nor RGB nor CMYK")
        }
    }

    /// Whether its colours are looked up in a table of its maker, which says how to bring those into a smaller space that do not fit.
    var hasTable: Bool { entry(of: "A2B0") != nil }

    // MARK: Tags

    /// Where the content of a tag is, all of it within the bytes (section 7.3).
    func range(of tag: ProfileName) -> Range<Int>? {
        guard let entry = entry(of: tag), let start = content.number32(at: entry + 4),
            let count = content.number32(at: entry + 8), Int(start) <= content.bytes.count,
            Int(count) <= content.bytes.count - Int(start)
        else { return nil }
        return Int(start)..<Int(start) + Int(count)
    }

    /// Where the entry of a tag stands in the table.
    private func entry(of tag: ProfileName) -> Int? { entries.first { content.name(at: $0) == tag } }

    private var entries: StrideTo<Int> {
        let stated = content.number32(at: Self.headerBytes).map { Int($0) } ?? 0
        let start = Self.headerBytes + 4
        let count = min(stated, Self.maxTags, (content.bytes.count - start) / Self.entryBytes)
        return stride(from: start, to: start + count * Self.entryBytes, by: Self.entryBytes)
    }

    /// The bytes without the floating-point tables, which may stand besides the usual ones and rarely do.
    ///
    /// The library would prefer them, and nothing bounds them but the size of the file: they may have thousands of stages, to be
    /// computed for each of the 80,000 points of its grid. A tag of another name is as if it were not there.
    var bytesWithoutFloatTables: [UInt8] {
        let tags: [ProfileName] = ["D2B0", "D2B1", "D2B2", "D2B3"]
        var bytes = content.bytes
        for entry in entries where content.name(at: entry).map(tags.contains) == true { bytes[entry] = 0 }
        return bytes
    }
}

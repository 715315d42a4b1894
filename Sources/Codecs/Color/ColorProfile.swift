/// An ICC profile (ICC.1:2022), whose offsets and counts are untrusted: values outside of the profile count as missing.
struct ColorProfile {
    enum Space: String {
        case gray = "grey"
        case rgb = "RGB"
        case cmyk = "CMYK"
    }

    let space: Space
    let content: BinaryReader

    private static let headerBytes = 128
    private static let entryBytes = 12
    /// `MAX_TABLE_TAG` of lcms2, which takes no more.
    private static let maxTags = 100

    /// Reads the header (section 7.2).
    init(_ bytes: [UInt8]) throws(CodecError) {
        content = BinaryReader(bytes)
        guard bytes.count >= Self.headerBytes + 4, content.name(at: 36) == "acsp" else {
            throw CodecError(.unsupported, "not an ICC profile")
        }
        let kinds: [FourCC] = ["mntr", "scnr", "prtr", "spac"]
        guard let kind = content.name(at: 12), kinds.contains(kind) else {
            throw CodecError(.unsupported, "not an image profile")
        }
        switch content.name(at: 16) {
        case "GRAY": space = .gray
        case "RGB ": space = .rgb
        case "CMYK": space = .cmyk
        default: throw CodecError(.unsupported, "not for grey, RGB or CMYK")
        }
    }

    /// Whether the profile has a lookup table (perceptual intent), which also maps colours into a smaller gamut.
    var hasTable: Bool { entry(of: "A2B0") != nil }

    /// Returns the content of a tag (section 7.3); `nil` if it is not within the bytes.
    func tag(_ tag: FourCC) -> BinaryReader? {
        guard let entry = entry(of: tag), let start = try? content.size(4, at: entry + 4),
            let count = try? content.size(4, at: entry + 8)
        else { return nil }
        return try? content.part(count, at: start.value)
    }

    private func entry(of tag: FourCC) -> Int? { entries.first { content.name(at: $0) == tag } }

    private var entries: StrideTo<Int> {
        let start = Self.headerBytes + 4
        let room = min(Self.maxTags, (content.count - start) / Self.entryBytes)
        let count = (try? content.size(4, at: Self.headerBytes))?.upTo(room) ?? 0
        return stride(from: start, to: start + count * Self.entryBytes, by: Self.entryBytes)
    }

    /// The bytes without the optional floating-point tables, which lcms2 would prefer and whose cost is unbounded.
    var bytesWithoutFloatTables: [UInt8] {
        let tags: [FourCC] = ["D2B0", "D2B1", "D2B2", "D2B3"]
        var bytes = Array(content.bytes)
        for entry in entries where content.name(at: entry).map(tags.contains) == true { bytes[entry] = 0 }
        return bytes
    }
}

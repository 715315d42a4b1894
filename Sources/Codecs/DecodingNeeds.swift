/// Guesses from the first bytes which libraries decoding will load, for a process that cannot open anything later.
package struct DecodingNeeds: Sendable {
    /// Whether the image may have a colour profile that this process applies; true unless the bytes rule it out.
    package var usesColorManagement = false
    /// Whether a worker may decode it.
    package var mayNeedWorker = false
    /// Whether pixels may be transparent; true unless the bytes rule it out.
    package var mayBeTransparent = false

    package static let unknown = DecodingNeeds(usesColorManagement: true, mayNeedWorker: true, mayBeTransparent: true)
}

extension DecodingNeeds {
    /// Looks at the first bytes that `read` returns: a few, which mostly rule a profile out, or more.
    package init(_ read: (_ byteCount: Int) -> [UInt8]?) {
        for byteCount in [4 << 10, 64 << 10] {
            self = read(byteCount).map { DecodingNeeds($0) } ?? .unknown
            if !usesColorManagement { return }
        }
    }

    init(_ head: [UInt8]) {
        self.init()
        guard case .image(let format) = FileKind.sniff(head.span) else { return }
        switch format {
        case .jpeg: usesColorManagement = Self.mayHaveProfile(JPEGSegments(BinaryReader(head)))
        case .png: (usesColorManagement, mayBeTransparent) = Self.describe(PNGChunks(BinaryReader(head)))
        // The profiles of others are read where they are decoded, in a worker; GIF and BMP have none.
        default: (mayNeedWorker, mayBeTransparent) = (format.needsWorker, true)
        }
    }

    private static func describe(_ chunks: PNGChunks) -> (hasProfile: Bool, hasAlpha: Bool) {
        let (typeAt, alphaBit) = (9, 4)
        var (chunks, hasProfile, hasAlpha) = (chunks, false, false)
        while let chunk = chunks.next() {
            switch chunk.name {
            case "IHDR": hasAlpha = (try? chunk.content?.integer(1, at: typeAt)).map { $0 & alphaBit != 0 } ?? true
            case "IDAT": return (hasProfile, hasAlpha)
            case "iCCP", "cICP": hasProfile = true
            case "tRNS": hasAlpha = true
            default: break
            }
        }
        return (true, true)
    }

    /// Returns whether a profile other than sRGB may come before the first scan.
    private static func mayHaveProfile(_ segments: JPEGSegments) -> Bool {
        let name = Array("ICC_PROFILE\0".utf8)
        var segments = segments
        guard let content = segments.first(JPEGSegments.applicationData2, named: name) else {
            return !segments.reachesScan
        }
        // Two bytes after the name number the parts.
        guard (try? content.integer(1, at: name.count + 1)) == 1 else { return true }
        return (try? ColorProfile(Array(content.bytes.dropFirst(name.count + 2))))?.isSRGB != true
    }
}

/// What decoding a file will need to open, told by its first bytes, in Swift; for a process that cannot open anything later.
package struct DecodingNeeds: Sendable {
    /// Whether it may have a colour profile to be applied in this process; true unless the bytes rule it out.
    package var usesColorManagement = false
    /// Whether a worker may decode it.
    package var mayNeedWorker = false
    /// Whether pixels may be transparent; true unless the bytes rule it out.
    package var mayBeTransparent = false

    /// Needs of a file that is not known yet.
    package static let unknown = DecodingNeeds(usesColorManagement: true, mayNeedWorker: true, mayBeTransparent: true)

    private init(usesColorManagement: Bool, mayNeedWorker: Bool, mayBeTransparent: Bool) {
        self.usesColorManagement = usesColorManagement
        self.mayNeedWorker = mayNeedWorker
        self.mayBeTransparent = mayBeTransparent
    }

    /// Looks at the first bytes that `read` returns: a few, which mostly rule a profile out, or more.
    package init(_ read: (_ byteCount: Int) -> [UInt8]?) {
        for byteCount in [4 << 10, 64 << 10] {
            self = read(byteCount).map { DecodingNeeds($0) } ?? .unknown
            if !usesColorManagement { return }
        }
    }

    init(_ head: [UInt8]) {
        let bytes = head.span
        guard case .image(let format) = FileKind.sniff(bytes) else { return }
        switch format {
        case .jpeg: usesColorManagement = JPEGSegments.mayHaveProfile(in: bytes)
        case .png: (usesColorManagement, mayBeTransparent) = Self.chunks(of: bytes)
        // The profiles of others are read where they are decoded, in a worker; GIF and BMP have none.
        default: (mayNeedWorker, mayBeTransparent) = (format.needsWorker, true)
        }
    }

    /// The chunks of a PNG up to its pixels.
    private static func chunks(of bytes: Span<UInt8>) -> (hasProfile: Bool, hasAlpha: Bool) {
        let alphaBit: UInt8 = 4
        guard bytes.count > 25 else { return (true, true) }
        var (hasProfile, hasAlpha) = (false, bytes[25] & alphaBit != 0)
        var at = 8
        while at + 8 <= bytes.count {
            func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) } }
            switch number(at + 4) {
            case 0x4944_4154: return (hasProfile, hasAlpha)  // IDAT
            case 0x6943_4350: hasProfile = true  // iCCP
            case 0x7452_4E53: hasAlpha = true  // tRNS
            default: break
            }
            at += 12 + number(at)
        }
        return (true, true)
    }
}

extension JPEGSegments {
    /// Whether a profile other than sRGB may come before the first scan.
    fileprivate static func mayHaveProfile(in bytes: Span<UInt8>) -> Bool {
        let name = Array("ICC_PROFILE\0".utf8)
        guard reachesScan(bytes) else { return true }
        // Two bytes after the name number the parts.
        guard let range = find(applicationData2, in: bytes, where: { $0.matches(name, at: 0) }) else { return false }
        guard range.count > name.count + 2, bytes[range.lowerBound + name.count + 1] == 1 else { return true }
        let content = bytes.extracting(range.lowerBound + name.count + 2..<range.upperBound)
        let profile = content.withUnsafeBufferPointer { Array($0) }
        return (try? ColorProfile(profile))?.isSRGB != true
    }
}

/// A file's kind by its first bytes; names and content types are ignored.
///
///     switch FileKind.sniff(bytes.span) {
///     case .image(let format): ...
///     case .otherImage(let name): print("not supported: \(name)")
///     case .notAnImage(let what): print("this is \(what), not an image")
///     case .empty: ...
///     }
package enum FileKind: Hashable, Sendable {
    /// An image that can be decoded, unless damaged.
    case image(ImageFormat)
    /// An image of an unsupported format, by its name: `GIF`.
    case otherImage(String)
    /// Anything else, with its article: `a web page`, `an unknown kind of file`.
    case notAnImage(String)
    /// No bytes.
    case empty

    /// Bytes that `sniff` reads at most; fewer suffice except for a web page or SVG with a long preamble.
    package static let bytesNeeded = 1024

    /// Recognises a file by its first bytes.
    package static func sniff(_ bytes: Span<UInt8>) -> FileKind {
        guard bytes.count > 0 else { return .empty }
        // It starts like a TIFF.
        if bytes.matches("II*\0"), bytes.matches([0x43, 0x52, 0x02], at: 8) { return .otherImage("CR2 (camera RAW)") }
        for format in ImageFormat.allCases where format.entry.signatures.contains(where: { $0.matches(bytes) }) {
            return .image(format)
        }
        for signature in otherSignatures where signature.bytes.matches(bytes) { return signature.kind }
        if bytes.matches("ftyp", at: 4) { return mediaFile(bytes) }
        if let name = netpbm(bytes) { return .otherImage(name) }
        return text(bytes) ?? .notAnImage("an unknown file format")
    }

    package func decodable() throws(CodecError) -> ImageFormat {
        switch self {
        case .image(let format): return format
        case .otherImage(let name): throw .unsupported(name)
        case .notAnImage(let what): throw CodecError(.notAnImage, "\(what), not an image")
        case .empty: throw CodecError(.empty, "empty")
        }
    }

    // MARK: Signatures

    private struct Signature {
        let bytes: FileSignature
        let kind: FileKind

        init(_ bytes: [UInt8], at offset: Int = 0, _ kind: FileKind) {
            (self.bytes, self.kind) = (FileSignature(bytes, at: offset), kind)
        }

        init(_ text: String, at offset: Int = 0, _ kind: FileKind) { self.init(Array(text.utf8), at: offset, kind) }
    }

    private static let otherSignatures: [Signature] = [
        Signature("FUJIFILMCCD-RAW", .otherImage("RAF (camera RAW)")),
        Signature("IIRO", .otherImage("ORF (camera RAW)")),
        Signature("IIRS", .otherImage("ORF (camera RAW)")),
        Signature([0x49, 0x49, 0xBC, 0x01], .otherImage("JPEG XR")),
        Signature([0xFF, 0x0A], .otherImage("JPEG XL")),
        Signature([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A], .otherImage("JPEG XL")),
        Signature([0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A], .otherImage("JPEG 2000")),
        Signature([0xFF, 0x4F, 0xFF, 0x51], .otherImage("JPEG 2000")),
        Signature([0x00, 0x00, 0x01, 0x00], .otherImage("ICO")),
        Signature([0x00, 0x00, 0x02, 0x00, 0x01], .otherImage("CUR")),
        Signature("icns", .otherImage("ICNS")),
        Signature("DDS ", .otherImage("DDS")),
        Signature("/* XPM */", .otherImage("XPM")),
        Signature("8BPS", .otherImage("Photoshop")),
        Signature("qoif", .otherImage("QOI")),
        Signature("gimp xcf", .otherImage("XCF")),
        Signature("SIMPLE  =", .otherImage("FITS")),
        Signature([0x76, 0x2F, 0x31, 0x01], .otherImage("OpenEXR")),
        Signature("#?RADIANCE", .otherImage("Radiance HDR")),
        Signature([0x8A, 0x4D, 0x4E, 0x47], .otherImage("MNG")),
        Signature([0x8B, 0x4A, 0x4E, 0x47], .otherImage("JNG")),
        Signature("%PDF-", .notAnImage("a PDF document")),
        Signature("%!PS", .notAnImage("a PostScript document")),
        Signature("PK\u{3}\u{4}", .notAnImage("a ZIP archive")),
        Signature([0x1F, 0x8B], .notAnImage("a gzip file")),
        Signature([0x1A, 0x45, 0xDF, 0xA3], .notAnImage("a Matroska video")),
        Signature("AVI ", at: 8, .notAnImage("an AVI video")),
        Signature("moov", at: 4, .notAnImage("a video")),
        Signature("mdat", at: 4, .notAnImage("a video")),
        Signature([0x00, 0x00, 0x01, 0xBA], .notAnImage("an MPEG video")),
        Signature([0x00, 0x00, 0x01, 0xB3], .notAnImage("an MPEG video")),
        Signature([0x30, 0x26, 0xB2, 0x75], .notAnImage("a Windows Media file")),
        Signature([0x46, 0x4C, 0x56, 0x01], .notAnImage("a Flash video")),
        Signature("OggS", .notAnImage("an Ogg file")),
        Signature([0x7F, 0x45, 0x4C, 0x46], .notAnImage("an executable")),
    ]

    /// Tells images from videos by the brands of an ISO base media file, the major one first (ISO 14496-12, section 4.3).
    private static func mediaFile(_ bytes: Span<UInt8>) -> FileKind {
        if bytes.matches("crx", at: 8) { return .otherImage("CR3 (camera RAW)") }
        let reader = BinaryReader(bytes)
        let end = (try? reader.size(4, at: 0))?.upTo(bytes.count) ?? 0
        let others = stride(from: 16, to: max(end, 16), by: 4).compactMap(reader.name)
        let major = reader.name(at: 8)
        if major.map(hevcBrands.contains) == true { return .image(.heif) }
        let brands = [major].compactMap(\.self) + others
        if brands.contains(where: avifBrands.contains) { return .image(.avif) }
        let isImage = brands.contains { hevcBrands.contains($0) || imageBrands.contains($0) }
        return isImage ? .image(.heif) : .notAnImage("a video")
    }

    private static let avifBrands: [FourCC] = ["avif", "avis"]
    /// HEVC images, of several layers and in sequences (ISO 23008-12, annex B).
    private static let hevcBrands: [FourCC] = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"]
    /// Images of any codec.
    private static let imageBrands: [FourCC] = ["mif1", "mif2", "msf1", "miaf"]

    /// Netpbm's formats: P1 to P7 and white space (netpbm.sourceforge.net/doc), PFM.
    private static func netpbm(_ bytes: Span<UInt8>) -> String? {
        guard bytes.count > 2, bytes[0] == UInt8(ascii: "P"), bytes[2].isSpace || bytes[2] == UInt8(ascii: "#") else {
            return nil
        }
        switch bytes[1] {
        case UInt8(ascii: "1"), UInt8(ascii: "4"): return "PBM"
        case UInt8(ascii: "2"), UInt8(ascii: "5"): return "PGM"
        case UInt8(ascii: "3"), UInt8(ascii: "6"): return "PPM"
        case UInt8(ascii: "7"): return "PAM"
        case UInt8(ascii: "F"), UInt8(ascii: "f"): return "PFM"
        default: return nil
        }
    }

    // MARK: Text

    private static func text(_ bytes: Span<UInt8>) -> FileKind? {
        let end = min(bytes.count, bytesNeeded)
        var start = bytes.matches([0xEF, 0xBB, 0xBF], at: 0) ? 3 : 0
        while start < end, bytes[start].isSpace { start += 1 }
        guard start < end else { return .notAnImage("blank text") }
        guard isText(bytes.extracting(start..<end)) else { return nil }
        if bytes[start] == UInt8(ascii: "<") { return markup(bytes, from: start, to: end) }
        if bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[") { return .notAnImage("JSON") }
        return .notAnImage("text")
    }

    private static func isText(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.indices.contains(where: { bytes[$0].isBinary }) else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            (0..<min(4, bytes.count)).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
        }
    }

    private static func markup(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> FileKind {
        func holds(_ tag: String) -> Bool {
            let tag = Array(tag.utf8)
            return (start..<end).contains { bytes.matches(tag, at: $0, ignoringCase: true) }
        }
        if holds("<svg") { return .otherImage("SVG") }
        if holds("<!doctype html") || holds("<html") || holds("<head") || holds("<body") {
            return .notAnImage("a web page")
        }
        return .notAnImage("XML")
    }
}

extension Span<UInt8> {
    fileprivate func matches(_ text: String, at offset: Int = 0, ignoringCase: Bool = false) -> Bool {
        matches(Array(text.utf8), at: offset, ignoringCase: ignoringCase)
    }

    func matches(_ bytes: [UInt8], at offset: Int, ignoringCase: Bool = false) -> Bool {
        guard count - bytes.count >= offset else { return false }
        return bytes.indices.allSatisfy { at in
            let byte = self[offset + at]
            return bytes[at] == (ignoringCase ? byte.lowercased : byte)
        }
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
    fileprivate var isBinary: Bool { self < 0x20 && !isSpace && self != 0x1B }
    fileprivate var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

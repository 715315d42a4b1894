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
    /// Anything else, with its article where it has one: `a web page`, `text`, `an unknown file format`.
    case notAnImage(String)
    case empty

    /// Bytes that `sniff` reads at most; fewer suffice except for a web page or SVG with a long preamble.
    package static let bytesNeeded = 1024

    package static func sniff(_ bytes: Span<UInt8>) -> FileKind {
        guard bytes.count > 0 else { return .empty }
        // It starts like a TIFF.
        if bytes.matches("II*\0"), bytes.matches([0x43, 0x52, 0x02], at: 8) { return .image(.raw) }
        func isSigned(_ signatures: [FileSignature]) -> Bool { signatures.contains { $0.matches(bytes) } }
        for format in ImageFormat.allCases where isSigned(format.entry.signatures) { return .image(format) }
        if FITSFile.isCompressed(bytes) { return .image(.fits) }
        for (name, signatures) in otherImages where isSigned(signatures) { return .otherImage(name) }
        for (name, signatures) in otherFiles where isSigned(signatures) { return .notAnImage(name) }
        if bytes.matches("ftyp", at: 4) { return mediaFile(bytes) }
        if let kind = netpbm(bytes) { return kind }
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

    private static let otherImages: [(name: String, signatures: [FileSignature])] = [
        ("CRW (camera RAW)", [FileSignature("HEAPCCDR", at: 6)]),
        ("MRW (camera RAW)", ["\0MRM"]),
        ("X3F (camera RAW)", ["FOVb"]),
        ("JPEG XR", [[0x49, 0x49, 0xBC, 0x01]]),
        ("JPEG 2000", [[0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A], [0xFF, 0x4F, 0xFF, 0x51]]),
        ("CUR", [[0x00, 0x00, 0x02, 0x00, 0x01]]),
        ("ICNS", ["icns"]),
        ("DDS", ["DDS "]),
        ("XPM", ["/* XPM */"]),
        ("Photoshop", ["8BPS"]),
        ("XCF", ["gimp xcf"]),
        ("OpenEXR", [[0x76, 0x2F, 0x31, 0x01]]),
        ("Radiance HDR", ["#?RADIANCE"]),
        ("MNG", [[0x8A, 0x4D, 0x4E, 0x47]]),
        ("JNG", [[0x8B, 0x4A, 0x4E, 0x47]]),
    ]

    private static let otherFiles: [(name: String, signatures: [FileSignature])] = [
        ("a PDF document", ["%PDF-"]),
        ("a PostScript document", ["%!PS"]),
        ("a ZIP archive", ["PK\u{3}\u{4}"]),
        ("a gzip file", [[0x1F, 0x8B]]),
        ("a Matroska video", [[0x1A, 0x45, 0xDF, 0xA3]]),
        ("an AVI video", [FileSignature("AVI ", at: 8)]),
        ("a video", [FileSignature("moov", at: 4), FileSignature("mdat", at: 4)]),
        ("an MPEG video", [[0x00, 0x00, 0x01, 0xBA], [0x00, 0x00, 0x01, 0xB3]]),
        ("a Windows Media file", [[0x30, 0x26, 0xB2, 0x75]]),
        ("a Flash video", [[0x46, 0x4C, 0x56, 0x01]]),
        ("an Ogg file", ["OggS"]),
        ("an executable", [[0x7F, 0x45, 0x4C, 0x46]]),
    ]

    /// Tells images from videos by the brands of an ISO base media file, the major one first (ISO 14496-12, section 4.3).
    private static func mediaFile(_ bytes: Span<UInt8>) -> FileKind {
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
    private static func netpbm(_ bytes: Span<UInt8>) -> FileKind? {
        guard bytes.count > 2, bytes[0] == UInt8(ascii: "P"), bytes[2].isSpace || bytes[2] == UInt8(ascii: "#") else {
            return nil
        }
        switch Unicode.Scalar(bytes[1]) {
        case "1"..."7": return .image(.pnm)
        case "F", "f": return .otherImage("PFM")
        default: return nil
        }
    }

    private static func text(_ bytes: Span<UInt8>) -> FileKind? {
        let end = min(bytes.count, bytesNeeded)
        var start = bytes.matches([0xEF, 0xBB, 0xBF], at: 0) ? 3 : 0
        while start < end, bytes[start].isSpace { start += 1 }
        guard start < end else { return .notAnImage("blank text") }
        guard isText(bytes.extracting(start..<end)) else { return nil }
        switch Unicode.Scalar(bytes[start]) {
        case "<": return markup(bytes.extracting(start..<end))
        case "{", "[": return .notAnImage("JSON")
        default: return .notAnImage("text")
        }
    }

    private static func isText(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.indices.contains(where: { bytes[$0].isBinary }) else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            (0..<min(4, bytes.count)).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
        }
    }

    private static func markup(_ bytes: Span<UInt8>) -> FileKind {
        func holds(_ tag: String) -> Bool {
            let tag = Array(tag.utf8)
            return bytes.indices.contains { bytes.matches(tag, at: $0, ignoringCase: true) }
        }
        if holds("<svg") { return .otherImage("SVG") }
        let isPage = ["<!doctype html", "<html", "<head", "<body"].contains(where: holds)
        return .notAnImage(isPage ? "a web page" : "XML")
    }
}

extension ImageFormat {
    /// By the last part of a name, in any case: `.jpg`, `.jpeg`, `.png`.
    package init?(extensionOf name: some Collection<UInt8>) {
        guard case .image(let format)? = FileKind(extensionOf: name) else { return nil }
        self = format
    }
}

extension FileKind {
    /// Guesses the kind from a file name's extension, in any case: `.image(.jpeg)`, `.otherImage("SVG")`; `nil` for no image.
    ///
    /// The contents may differ; `sniff` decides what can be decoded. The bytes must be contiguous.
    package init?(extensionOf name: some Collection<UInt8>) {
        let known = name.withContiguousStorageIfAvailable { Self.ofExtension(UnsafeRawBufferPointer($0)) }
        guard let kind = known ?? nil else { return nil }
        self = kind
    }

    /// Guesses from a name in memory; not generic, for speed, since folders have many names.
    package static func ofExtension(_ name: UnsafeRawBufferPointer) -> FileKind? {
        let end = name.suffix(maxExtension + 1)
        guard let dot = end.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let ending = String(decoding: end[(dot + 1)...].map(\.lowercased), as: UTF8.self)
        guard ending == "gz" else { return extensions[ending] }
        let kind = ofExtension(UnsafeRawBufferPointer(rebasing: name[..<dot]))
        return kind == .image(.fits) ? kind : nil
    }

    private static let maxExtension = 5

    private static let extensions: [String: FileKind] = {
        var kinds = otherExtensions.mapValues { FileKind.otherImage($0) }
        for format in ImageFormat.allCases {
            for ending in format.entry.fileExtensions { kinds[ending] = .image(format) }
        }
        return kinds
    }()

    /// The formats that `sniff` names.
    private static let otherExtensions = [
        "crw": "CRW (camera RAW)", "mrw": "MRW (camera RAW)", "x3f": "X3F (camera RAW)", "exr": "OpenEXR",
        "hdr": "Radiance HDR", "j2k": "JPEG 2000", "jp2": "JPEG 2000", "jxr": "JPEG XR",
        "psd": "Photoshop", "svg": "SVG", "tga": "TGA", "xcf": "XCF",
    ]
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
    var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
    fileprivate var isBinary: Bool { self < 0x20 && !isSpace && self != 0x1B }
    fileprivate var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

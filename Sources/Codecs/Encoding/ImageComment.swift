/// The comment of a file: the first COM segment of a JPEG, the first tEXt chunk of a PNG named `Comment`, `xmp:CreatorTool` of
/// the XMP in a WebP or AVIF.
///
///     ImageComment.find(in: firstKilobyte.span)
///     try ImageComment.find { count, offset in try file.bytes(count, at: offset) }?.text
package struct ImageComment: Hashable, Sendable {
    package let text: String
    /// The length of the file by its header; `nil` for a JPEG and a PNG, which have an end of their own.
    package let fileBytes: Int?

    /// Keeps the comment within the first KiB.
    static let maxCharacters = 900
    private static let headBytes = 1024

    /// Returns the comment in the first bytes of a JPEG or PNG, with question marks for anything but printable ASCII.
    ///
    /// 1 KiB suffices for files of `ImageEncoder`. The bytes are untrusted: a truncated comment, or one behind invalid
    /// data, is not found. The time is linear.
    package static func find(in head: Span<UInt8>) -> String? { find(in: BinaryReader(head)) }

    /// Returns the comment of a file of any format that is written, as this program stores it.
    ///
    /// - Parameter read: returns `count` bytes from `offset` on, or those before the file's end.
    /// - Returns: the comment; `nil` for a file of another program.
    /// - Throws: what `read` throws.
    package static func find<Failure: Error>(
        _ read: (_ count: Int, _ offset: Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> ImageComment? {
        let head = BinaryReader(try read(headBytes, 0))
        switch FileKind.sniff(head.bytes.span) {
        case .image(.webp): return findInWebP(BinaryReader(head.bytes, isBigEndian: false))
        case .image(.avif): return try findInAVIF(read)
        default: return find(in: head).map { ImageComment(text: $0, fileBytes: nil) }
        }
    }

    private static func find(in head: BinaryReader) -> String? {
        var segments = JPEGSegments(head)
        if let comment = segments.first(JPEGSegments.comment) { return text(comment.bytes) }
        guard head.matches(PNGChunks.signature) else { return nil }
        let keyword = Array("Comment\0".utf8)
        for case (name: "tEXt", let content?) in PNGChunks(head) where content.matches(keyword) {
            return text(content.bytes.dropFirst(keyword.count))
        }
        return nil
    }

    /// `WebPEncoding` writes XMP as the second chunk.
    private static func findInWebP(_ head: BinaryReader) -> ImageComment? {
        guard head.name(at: WebPEncoding.xmpAt) == "XMP ", let fileBytes = try? head.size(4, at: 4) + 8,
            let count = try? head.size(4, at: WebPEncoding.xmpAt + 4),
            let xmp = try? head.part(count, at: WebPEncoding.xmpAt + 8)
        else { return nil }
        return XMP.comment(in: xmp.bytes).map { ImageComment(text: $0, fileBytes: fileBytes.value) }
    }

    /// libavif writes EXIF and XMP at the start of the box with the data.
    private static func findInAVIF<Failure: Error>(
        _ read: (_ count: Int, _ offset: Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> ImageComment? {
        let (headerBytes, maxBoxes, maxMetadata) = (8, 8, Exif.maxStored + headBytes)
        var offset = 0
        for _ in 0..<maxBoxes {
            let header = BinaryReader(try read(headerBytes, offset))
            guard let name = header.name(at: 4), let size = try? header.integer(4, at: 0), size >= headerBytes else {
                return nil
            }
            if name == "mdat" {
                let metadata = try read(min(size - headerBytes, maxMetadata), offset + headerBytes)
                let fileBytes = offset + size
                return XMP.comment(in: metadata[...]).map { ImageComment(text: $0, fileBytes: fileBytes) }
            }
            offset += size
        }
        return nil
    }

    static func cleaned(_ text: String) -> String { String(printable: text.unicodeScalars.prefix(maxCharacters)) }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(printable: bytes.lazy.map { Unicode.Scalar($0) })
    }
}

/// The XMP (ISO 16684-1) that holds the comment of a WebP or AVIF.
enum XMP {
    private static let start =
        "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
        + "<rdf:Description rdf:about=\"\" xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\" \(key)"
    private static let key = "xmp:CreatorTool=\""
    private static let end = "\"/></rdf:RDF>"

    static func bytes(_ comment: String) -> [UInt8] {
        let special: [Unicode.Scalar] = ["<", "&", "\""]
        let text = ImageComment.cleaned(comment).unicodeScalars.map { special.contains($0) ? "?" : $0 }
        return Array((start + String(String.UnicodeScalarView(text)) + end).utf8)
    }

    /// Returns the comment in bytes that have such XMP; only its attribute is looked for, in linear time.
    static func comment(in bytes: ArraySlice<UInt8>) -> String? {
        let key = Array(key.utf8)
        guard let at = bytes.indices.first(where: { bytes[$0] == key[0] && bytes[$0...].starts(with: key) }) else {
            return nil
        }
        let text = bytes[(at + key.count)...].prefix { $0 != UInt8(ascii: "\"") }
        guard text.endIndex < bytes.endIndex, text.count <= ImageComment.maxCharacters else { return nil }
        return String(printable: text.lazy.map { Unicode.Scalar($0) })
    }
}

/// The comment of a JPEG or PNG file: the first COM segment, or the first tEXt chunk named `Comment`.
///
///     ImageComment.find(in: firstKilobyte.span)
public enum ImageComment {
    /// Keeps the comment within the first KiB.
    static let maxCharacters = 900

    /// Finds the comment in the first bytes of a file.
    ///
    /// 1 KiB suffices for files of `ImageEncoder`. The bytes are untrusted: a truncated comment, or one behind invalid
    /// data, is not found. Allocates only the text; the time is linear.
    ///
    /// - Returns: the text, with question marks for anything but printable ASCII; `nil` if there is none.
    public static func find(in head: Span<UInt8>) -> String? {
        if let comment = JPEGSegments.find(JPEGSegments.comment, in: head) { return text(head.extracting(comment)) }
        if starts(head, with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return inPNG(head) }
        return nil
    }

    static func cleaned(_ text: String) -> String { String(printable: text.unicodeScalars.prefix(maxCharacters)) }

    private static func text(_ bytes: Span<UInt8>) -> String {
        bytes.withUnsafeBufferPointer { String(printable: $0.lazy.map { Unicode.Scalar($0) }) }
    }

    private static func starts(_ bytes: Span<UInt8>, with prefix: [UInt8]) -> Bool {
        bytes.count >= prefix.count && prefix.indices.allSatisfy { bytes[$0] == prefix[$0] }
    }

    /// Walks the chunks (PNG specification, 5.3).
    private static func inPNG(_ bytes: Span<UInt8>) -> String? {
        let keyword = Array("Comment\0".utf8)
        var at = 8
        while at + 12 <= bytes.count {
            let length = (0..<4).reduce(0) { $0 << 8 | Int(bytes[at + $1]) }
            let content = at + 8
            guard length <= bytes.count - content else { return nil }
            let chunk = bytes.extracting(content..<content + length)
            if starts(bytes.extracting(at + 4..<content), with: Array("tEXt".utf8)), starts(chunk, with: keyword) {
                return text(chunk.extracting(keyword.count...))
            }
            at = content + length + 4
        }
        return nil
    }
}

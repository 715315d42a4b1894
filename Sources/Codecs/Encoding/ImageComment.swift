/// The comment of a JPEG or PNG file: the first COM segment, or the first tEXt chunk named `Comment`.
///
///     ImageComment.find(in: firstKilobyte.span)
package enum ImageComment {
    /// Keeps the comment within the first KiB.
    static let maxCharacters = 900

    /// Finds the comment in the first bytes of a file.
    ///
    /// 1 KiB suffices for files of `ImageEncoder`. The bytes are untrusted: a truncated comment, or one behind invalid
    /// data, is not found. The time is linear.
    ///
    /// - Returns: the text, with question marks for anything but printable ASCII; `nil` if there is none.
    package static func find(in head: Span<UInt8>) -> String? {
        let head = BinaryReader(head)
        var segments = JPEGSegments(head)
        if let comment = segments.first(JPEGSegments.comment) { return text(comment.bytes) }
        guard head.matches(PNGChunks.signature) else { return nil }
        let keyword = Array("Comment\0".utf8)
        for case (name: "tEXt", let content?) in PNGChunks(head) where content.matches(keyword) {
            return text(content.bytes.dropFirst(keyword.count))
        }
        return nil
    }

    static func cleaned(_ text: String) -> String { String(printable: text.unicodeScalars.prefix(maxCharacters)) }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(printable: bytes.lazy.map { Unicode.Scalar($0) })
    }
}

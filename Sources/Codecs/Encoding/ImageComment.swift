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
        if starts(head, with: [0xFF, 0xD8]) { return inJPEG(head) }
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

    /// Walks the segments (T.81, B.1.1.4) before the first scan.
    private static func inJPEG(_ bytes: Span<UInt8>) -> String? {
        let (comment, startOfScan, endOfImage): (UInt8, UInt8, UInt8) = (0xFE, 0xDA, 0xD9)
        var at = 2
        while at + 4 <= bytes.count, bytes[at] == 0xFF {
            let marker = bytes[at + 1]
            if marker == 0xFF {  // a fill byte
                at += 1
                continue
            }
            let length = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
            guard marker != startOfScan, marker != endOfImage, length >= 2 else { return nil }
            let end = at + 2 + length
            if marker == comment { return end <= bytes.count ? text(bytes.extracting(at + 4..<end)) : nil }
            at = end
        }
        return nil
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

internal import SpyglassCaching

/// What a result was made of: the comment in every file we write, by which a later run knows that it is up to date.
///
///     Fingerprint(id: "m31.jpg", source: hash, options: hash).text
///     // "spyglass 1 0123456789abcdef 0123456789abcdef 0123456789abcdef"
///
/// It keeps no secret and proves nothing: whoever wants to can forge it.
package struct Fingerprint: Hashable, Sendable {
    /// XXH64 of the item's id.
    package let id: UInt64
    /// `SourceHash` of what it was made of.
    package let source: UInt64
    /// A hash of everything that changes the bytes of this one result.
    package let options: UInt64

    /// The first words: what made it, and the version of this form.
    private static let start = "spyglass 1 "

    package init(id: String, source: UInt64, options: UInt64) {
        self.id = XXHash64.hash(Array(id.utf8))
        self.source = source
        self.options = options
    }

    /// Reads what `text` wrote; `nil` for anything else.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.start) else { return nil }
        let numbers = text.dropFirst(Self.start.count).split(separator: " ", omittingEmptySubsequences: false)
        guard numbers.count == 3, let id = Hex.number(numbers[0]), let source = Hex.number(numbers[1]),
            let options = Hex.number(numbers[2])
        else { return nil }
        self.id = id
        self.source = source
        self.options = options
    }

    /// One line of ASCII, 61 bytes.
    package var text: String { "\(Self.start)\(Hex.text(id)) \(Hex.text(source)) \(Hex.text(options))" }
}

extension Fingerprint {
    /// Bytes from the start of a file that are enough to find one: we write it first.
    static let searchLength = 1024

    /// The fingerprint among the first bytes of a JPEG (COM) or PNG (tEXt, "Comment"); `nil` where there is none.
    init?(inHead head: [UInt8]) {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let found =
            if head.starts(with: [0xFF, 0xD8]) {
                Self.jpegComment(head)
            } else if head.starts(with: signature) {
                Self.pngComment(head)
            } else {
                nil as ArraySlice<UInt8>?
            }
        guard let found, let mark = Fingerprint(String(decoding: found, as: UTF8.self)) else { return nil }
        self = mark
    }

    /// The first comment before the picture's data (ITU T.81 annex B.1.1.4, B.2.4.5).
    private static func jpegComment(_ head: [UInt8]) -> ArraySlice<UInt8>? {
        var offset = 2
        while offset + 4 <= head.count, head[offset] == 0xFF {
            let marker = head[offset + 1]
            let end = offset + 2 + (Int(head[offset + 2]) << 8 | Int(head[offset + 3]))
            // Start of scan, or a length that does not count itself.
            guard marker != 0xDA, end >= offset + 4 else { return nil }
            if marker == 0xFE { return end <= head.count ? head[(offset + 4)..<end] : nil }
            offset = end
        }
        return nil
    }

    /// The first comment before the picture's data (PNG specification, section 11.3.3.2).
    private static func pngComment(_ head: [UInt8]) -> ArraySlice<UInt8>? {
        let keyword = Array("tEXtComment\0".utf8)
        var offset = 8
        while offset + 8 <= head.count {
            let length = head[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            let data = offset + 8
            guard length <= head.count - data else { return nil }
            if head[(offset + 4)...].starts(with: keyword) { return head[(data + keyword.count - 4)..<(data + length)] }
            // Behind the data stands a checksum.
            offset = data + length + 4
        }
        return nil
    }
}

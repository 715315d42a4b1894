import SpyglassFiles

/// One word of the command line: its text, and the bytes as the shell gave them.
///
/// A file name may hold any byte but 0 and `/`, so it is not always UTF-8: the text is for options, queries and
/// messages, the bytes open the file.
struct Argument: Hashable, Sendable {
    /// The word; what is not UTF-8 is replaced with U+FFFD.
    let text: String
    /// The word as it came, when `text` had to be repaired.
    private let original: [UInt8]?

    init(_ text: String) {
        self.text = text
        self.original = nil
    }

    init(bytes: [UInt8]) {
        self.text = String(decoding: bytes, as: UTF8.self)
        self.original = text.utf8.elementsEqual(bytes) ? nil : bytes
    }

    /// Whether the text is the word as it came.
    var isUTF8: Bool { original == nil }

    /// The bytes as they came.
    var bytes: [UInt8] { original ?? Array(text.utf8) }
}

extension Argument: FilePath {
    func withCPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        original.map { $0.withCPath(body) } ?? text.withCPath(body)
    }

    var containsZero: Bool { text.containsZero }
    var shown: String { text }
}

extension Argument: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self.init(text) }
}

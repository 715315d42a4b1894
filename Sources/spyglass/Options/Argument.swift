import SpyglassFiles

/// One word of the command line; its bytes open files, since names need not be UTF-8.
struct Argument: Hashable, Sendable {
    /// Invalid UTF-8 is replaced with U+FFFD.
    let text: String
    /// The bytes, if they are not valid UTF-8.
    private let original: [UInt8]?

    init(_ text: String) {
        self.text = text
        self.original = nil
    }

    init(bytes: [UInt8]) {
        self.text = String(decoding: bytes, as: UTF8.self)
        self.original = text.utf8.elementsEqual(bytes) ? nil : bytes
    }

    var isUTF8: Bool { original == nil }

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

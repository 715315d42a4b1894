/// A path or a file name: text, or bytes that need not be UTF-8.
package protocol FilePath {
    /// The C string ends at the first zero.
    func withCPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result
    var containsZero: Bool { get }
    var shown: String { get }
}

extension String: FilePath {
    package func withCPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result { withCString(body) }
    package var containsZero: Bool { utf8.contains(0) }
    package var shown: String { self }
}

extension [UInt8]: FilePath {
    package func withCPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (self + [0]).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                // An array that ends in zero has an address.
                text.baseAddress.map(body) ?? "".withCString(body)
            }
        }
    }

    package var containsZero: Bool { contains(0) }

    /// The folder that has the last name of a path; `nil` for the root, and for a name alone.
    package var folderAround: [UInt8]? {
        let slash = UInt8(ascii: "/")
        guard let end = lastIndex(where: { $0 != slash }), let start = self[...end].lastIndex(of: slash) else {
            return nil
        }
        return start == 0 ? [slash] : Array(self[..<start])
    }

    /// The last name of a path; empty for the root.
    package var lastName: [UInt8] { split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? [] }

    package func appending(name: [UInt8]) -> [UInt8] {
        last == UInt8(ascii: "/") ? self + name : self + [UInt8(ascii: "/")] + name
    }

    package var shown: String { String(decoding: self, as: UTF8.self) }

    /// The path as text; one that is not UTF-8 is followed by a zero, which no path has, and its bytes.
    package var uniqueText: String {
        if let text = String(validating: self, as: UTF8.self) { return text }
        return shown + "\u{0}" + map { String($0, radix: 16) }.joined(separator: " ")
    }
}

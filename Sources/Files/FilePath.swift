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
    package var shown: String { String(decoding: self, as: UTF8.self) }
}

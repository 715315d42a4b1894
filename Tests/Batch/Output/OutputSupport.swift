import Glibc

@testable import SpyglassBatch

extension FileCalls {
    /// A disk on which every write fails.
    static func failing(with code: Int32) -> FileCalls {
        FileCalls(write: { _, _, _ in
            errno = code
            return -1
        })
    }
}

/// The smallest file with a comment and the first and last bytes of a JPEG.
func markedJPEG(_ fingerprint: Fingerprint, padding: Int = 0) -> [UInt8] {
    let text = Array(fingerprint.text.utf8)
    return [0xFF, 0xD8, 0xFF, 0xFE, 0, UInt8(text.count + 2)] + text + [UInt8](repeating: 0xAA, count: padding)
        + [0xFF, 0xD9]
}

extension OutputName {
    init(_ path: String) { self.init(components: path.split(separator: "/").map(String.init)) }
}

extension Fingerprint {
    static let sample = Fingerprint(id: "m31.jpg", source: 1, options: 2)
}

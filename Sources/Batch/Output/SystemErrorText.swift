internal import Glibc

/// The system's own words for a failed call (`strerror`).
enum SystemErrorText {
    /// For the call that was just made.
    static var last: String { of(errno) }

    static func of(_ code: Int32) -> String { String(cString: strerror(code)) }
}

/// A file whatever it is called: the device it is on and its number there.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }
}

extension stat {
    var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
    var isPlainFile: Bool { st_mode & S_IFMT == S_IFREG }
}

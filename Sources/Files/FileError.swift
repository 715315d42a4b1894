internal import Glibc

/// A file operation that failed.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package let call: String
    /// Empty where only the descriptor is known.
    package let path: String
    /// The call's `errno`, or one of the codes below.
    package let code: Int32

    package static let tooLarge: Int32 = -1
    package static let notRegularFile: Int32 = -2
    package static let truncated: Int32 = -3
    package static let foreign: Int32 = -4
    package static let shared: Int32 = -5
    package static let locked: Int32 = -6

    package init(_ call: String, _ path: String = "", code: Int32 = errno) {
        self.call = call
        self.path = path
        self.code = code
    }

    package var reason: String {
        switch code {
        case Self.tooLarge: "larger than the limit"
        case Self.notRegularFile: "not a regular file"
        case Self.truncated: "became shorter while it was read"
        case Self.foreign: "belongs to another user"
        case Self.shared: "other users may write to it"
        case Self.locked: "locked by another process; end or continue that process"
        default: String(cString: strerror(code))
        }
    }

    package var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
    package var isClosedPeer: Bool { code == EPIPE || code == ECONNRESET }
    package var isMessageTooLong: Bool { code == EMSGSIZE }
    package var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }
}

/// Repeats a system call while signals interrupt it (`EINTR`); throws if its result is negative.
@discardableResult
package func checked<Result: SignedInteger>(
    _ name: String, path: @autoclosure () -> String = "", _ call: () -> Result
) throws(FileError) -> Result {
    while true {
        let result = call()
        if result >= 0 { return result }
        guard errno == EINTR else { throw FileError(name, path()) }
    }
}

internal import Glibc

/// A file operation that failed.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package let call: String
    /// Empty where only the descriptor is known.
    package let path: String
    package let cause: Cause

    package enum Cause: Hashable, Sendable {
        /// The `errno` of the call.
        case system(Int32)
        case tooLarge, notRegularFile, truncated, damaged, foreign, shared, locked
    }

    package init(_ call: String, _ path: String = "", cause: Cause) {
        self.call = call
        self.path = path
        self.cause = cause
    }

    package init(_ call: String, _ path: String = "", code: Int32 = errno) {
        self.init(call, path, cause: .system(code))
    }

    /// The `errno` of the call; 0 for a cause that the system does not know.
    package var code: Int32 { if case .system(let code) = cause { code } else { 0 } }

    /// Returns the error with another path.
    func named(_ path: String) -> FileError { FileError(call, path, cause: cause) }

    package var reason: String {
        switch cause {
        case .system(let code): String(cString: strerror(code))
        case .tooLarge: "larger than the limit"
        case .notRegularFile: "not a regular file"
        case .truncated: "became shorter while it was read"
        case .damaged: "its compressed data is damaged or ends early"
        case .foreign: "belongs to another user"
        case .shared: "other users may write to it"
        case .locked: "locked by another process; end or continue that process"
        }
    }

    package var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
    package var isClosedPeer: Bool { code == EPIPE || code == ECONNRESET }
    package var isMessageTooLong: Bool { code == EMSGSIZE }
    package var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }
}

/// Repeats a system call while signals interrupt it (`EINTR`); throws if its result is negative.
@discardableResult
package func checked(
    _ name: String, path: @autoclosure () -> String = "", _ call: () -> Int
) throws(FileError) -> Int {
    while true {
        let result = call()
        if result >= 0 { return result }
        guard errno == EINTR else { throw FileError(name, path()) }
    }
}

@discardableResult
package func checked(
    _ name: String, path: @autoclosure () -> String = "", _ call: () -> Int32
) throws(FileError) -> Int32 {
    Int32(truncatingIfNeeded: try checked(name, path: path()) { Int(call()) })
}

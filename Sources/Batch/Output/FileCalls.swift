internal import Glibc

/// The system calls that put the bytes of a result on the disk; a test gives others, of a disk that fails.
struct FileCalls: Sendable {
    /// C: `write`; returns the bytes that were taken, or -1 with `errno`.
    var write: @Sendable (_ file: Int32, UnsafeRawBufferPointer) -> Int = { Glibc.write($0, $1.baseAddress, $1.count) }
    /// C: `close`; returns 0, or -1 with `errno`.
    var close: @Sendable (_ file: Int32) -> Int32 = { Glibc.close($0) }
}

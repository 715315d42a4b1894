internal import Glibc

/// The system calls that put the bytes of a result on the disk; a test gives others, of a disk that is full.
struct FileCalls: Sendable {
    /// C: `write`.
    var write: @Sendable (_ file: Int32, UnsafeRawBufferPointer) -> Int = { Glibc.write($0, $1.baseAddress, $1.count) }
}

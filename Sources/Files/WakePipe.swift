internal import Glibc

/// A pipe that wakes a thread which waits in `poll`.
package struct WakePipe: ~Copyable, Sendable {
    /// Becomes readable with `wake()`, and stays so.
    package let reading: FileDescriptor
    private let writing: FileDescriptor

    package init() throws(FileError) {
        var ends: [Int32] = [-1, -1]
        try checked("pipe") { pipe(&ends) }
        // Swift's Glibc has no `pipe2`.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reading = FileDescriptor(owning: ends[0])
        writing = FileDescriptor(owning: ends[1])
    }

    package func wake() { try? writing.write([0]) }
}

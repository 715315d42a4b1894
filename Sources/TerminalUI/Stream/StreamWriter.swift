internal import Glibc

/// Writes all bytes to a descriptor.
///
///     let output = StreamWriter.standardOutput
///     do { try output.write(bytes) } catch .outputClosed { exit(0) }
///
/// One call is one `write(2)`, unless the kernel takes only a part, a signal interrupts, or the descriptor is
/// non-blocking and full. Then it continues, waiting in `poll`. It blocks as long as the reader does. The process must
/// ignore SIGPIPE, which otherwise ends it when the reader closes the output.
public struct StreamWriter: Sendable {
    /// Standard output: data.
    public static let standardOutput = StreamWriter(descriptor: STDOUT_FILENO)
    /// Standard error: messages.
    public static let standardError = StreamWriter(descriptor: STDERR_FILENO)
    private let descriptor: Int32
    private let calls: Calls

    struct Calls: Sendable {
        /// `write(2)`: the count, or a negative `errno`.
        var write: @Sendable (UnsafeRawBufferPointer) -> Int
        /// Waits until the descriptor is writable or broken: 0, or a negative `errno`.
        var wait: @Sendable () -> Int
    }

    /// Creates a writer to an open descriptor, which the caller still owns.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
        calls = Calls(
            write: { bytes in
                let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
                return count >= 0 ? count : Int(-errno)
            },
            wait: {
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                return poll(&request, 1, -1) >= 0 ? 0 : Int(-errno)
            })
    }

    init(calls: Calls) {
        descriptor = -1
        self.calls = calls
    }

    /// Writes all bytes, in order.
    ///
    /// - Throws: `outputClosed` if the reader has closed the output; otherwise `writeFailed`. Part of the bytes may have
    ///   been written.
    public func write(_ bytes: TerminalBytes) throws(TerminalError) {
        let failure = TerminalRestorer.watch(descriptor, bytes) { bytes.raw.withUnsafeBytes { drain($0) } }
        if let failure { throw failure }
    }

    private func drain(_ bytes: UnsafeRawBufferPointer) -> TerminalError? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = calls.write(UnsafeRawBufferPointer(rebasing: rest))
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch Int32(clamping: -count) {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK:
                let result = calls.wait()
                guard result >= 0 || result == Int(-EINTR) else { return .writeFailed(errno: Int32(clamping: -result)) }
            case EPIPE: return .outputClosed
            case 0: return .writeFailed(errno: EIO)  // no bytes and no error: avoid an endless loop
            case let number: return .writeFailed(errno: number)
            }
        }
        return nil
    }
}

internal import Glibc

/// Writes to a descriptor until all is written.
///
///     let output = StreamWriter.standardOutput
///     do { try output.write(bytes) } catch .closed { exit(0) }
///
/// One call is one `write(2)`, unless the kernel takes only a part, a signal interrupts, or the descriptor is
/// non-blocking and full; then it goes on where it stopped, waiting in `poll` and not in a loop. It blocks as long as
/// the reader does. The process must ignore SIGPIPE, else a closed reader ends it before this can say so.
public struct StreamWriter: Sendable {
    /// Standard output: data.
    public static let standardOutput = StreamWriter(descriptor: STDOUT_FILENO)
    /// Standard error: messages to people.
    public static let standardError = StreamWriter(descriptor: STDERR_FILENO)

    private let descriptor: Int32
    private let calls: Calls

    /// The system calls; tests put others in their place.
    struct Calls: Sendable {
        /// `write(2)`: the count, or a negative `errno`.
        var write: @Sendable (UnsafeRawBufferPointer) -> Int
        /// Waits until the descriptor takes bytes or is broken: 0, or a negative `errno`.
        var wait: @Sendable () -> Int
    }

    /// A writer to an open descriptor, which stays open and the caller's.
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
    /// - Throws: `closed` when nobody reads any more (`EPIPE`), which is no failure of ours; `failed` for everything
    ///   else. How much had been written by then is not known.
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
                let answer = calls.wait()
                guard answer >= 0 || answer == Int(-EINTR) else { return .writeFailed(errno: Int32(clamping: -answer)) }
            case EPIPE: return .outputClosed
            case 0: return .writeFailed(errno: EIO)  // nothing written and no error: it would go on for ever
            case let number: return .writeFailed(errno: number)
            }
        }
        return nil
    }
}

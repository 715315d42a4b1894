import Glibc
import SpyglassThreads
import Testing

@testable import SpyglassTerminalUI

@Suite("StreamWriter")
struct StreamWriterTests {
    /// A scripted kernel, which records the written bytes.
    private final class Kernel: Sendable {
        struct State {
            var answers: [Int]
            var taken: [UInt8] = []
            var waits = 0
        }
        let state: Mutex<State>

        /// Counts or negative `errno`s; after the last one everything is written.
        init(_ answers: [Int]) {
            state = Mutex(State(answers: answers))
        }

        var writer: StreamWriter {
            StreamWriter(
                calls: .init(
                    write: { bytes in
                        self.state.withLock { state in
                            let answer = state.answers.isEmpty ? bytes.count : state.answers.removeFirst()
                            if answer > 0 { state.taken += bytes.prefix(answer) }
                            return answer
                        }
                    },
                    wait: {
                        self.state.withLock { state in
                            state.waits += 1
                            return 0
                        }
                    }))
        }
    }

    private let text = Array("half-blocks".utf8)

    @Test("Partial writes, signals and full pipes lose nothing and repeat nothing")
    func interruptions() throws {
        let kernel = Kernel([3, Int(-EINTR), 1, Int(-EAGAIN), Int(-EINTR), 2])
        try kernel.writer.write(TerminalBytes(raw: text))
        #expect(kernel.state.withLock { $0.taken } == text)
        #expect(kernel.state.withLock { $0.waits } == 1)
    }

    @Test("A closed reader differs from a failure")
    func closed() {
        #expect(throws: TerminalError.outputClosed) {
            try Kernel([2, Int(-EPIPE)]).writer.write(TerminalBytes(raw: text))
        }
        #expect(throws: TerminalError.writeFailed(errno: ENOSPC)) {
            try Kernel([Int(-ENOSPC)]).writer.write(TerminalBytes(raw: text))
        }
        #expect(throws: TerminalError.writeFailed(errno: EIO)) {
            try Kernel([0]).writer.write(TerminalBytes(raw: text))
        }
        #expect(TerminalError.writeFailed(errno: ENOSPC).description.contains("No space left on device"))
    }

    @Test("A descriptor that is not open is a failure with its number")
    func badDescriptor() {
        #expect(throws: TerminalError.writeFailed(errno: EBADF)) {
            try StreamWriter(descriptor: -1).write(TerminalBytes(raw: text))
        }
    }

    @Test("A slow reader of a non-blocking pipe receives everything")
    func nonBlockingPipe() throws {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        #expect(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let reader = try PipeReader(ends[0])
        try StreamWriter(descriptor: ends[1]).write(TerminalBytes(raw: bytes))
        close(ends[1])
        #expect(reader.finish() == bytes)
    }

    @Test("A pipe without a reader is closed, if SIGPIPE is ignored")
    func realClosedPipe() {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { close(ends[1]) }
        close(ends[0])
        // The signal goes to the writing thread: block it there, and remove it.
        var signals = sigset_t()
        var before = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        defer {
            var now = timespec()
            sigtimedwait(&signals, nil, &now)
            pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        #expect(throws: TerminalError.outputClosed) {
            try StreamWriter(descriptor: ends[1]).write(TerminalBytes(raw: text))
        }
    }
}

/// Reads a pipe to its end on a thread of its own, since the writer blocks.
private final class PipeReader: Sendable {
    private let descriptor: Int32
    private let bytes = Mutex<[UInt8]>([])
    private let thread = Mutex<pthread_t?>(nil)

    /// Starts reading, and closes the descriptor at the end.
    init(_ descriptor: Int32) throws {
        self.descriptor = descriptor
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<PipeReader>.fromOpaque(context).takeRetainedValue().read()
                return nil
            }, context)
        try #require(status == 0)
        self.thread.withLock { $0 = thread }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 10_000)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes.withLock { $0 += buffer.prefix(count) }
        }
        close(descriptor)
    }

    /// All bytes, after the writer's end is closed.
    func finish() -> [UInt8] {
        if let thread = thread.withLock({ $0 }) { pthread_join(thread, nil) }
        return bytes.withLock { $0 }
    }
}

extension TerminalBytes {
    fileprivate init(raw: [UInt8]) {
        self.init()
        self.raw = raw
    }
}

import Glibc
import SpyglassFiles
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
        #expect(kernel.state.withLock { $0.taken == text && $0.waits == 1 })
    }

    @Test("A closed reader differs from a failure")
    func closed() {
        for (answers, failure) in [
            ([2, Int(-EPIPE)], .outputClosed), ([Int(-ENOSPC)], .writeFailed(errno: ENOSPC)),
            ([0], .writeFailed(errno: EIO)),
        ] as [([Int], TerminalError)] {
            #expect(throws: failure) { try Kernel(answers).writer.write(TerminalBytes(raw: text)) }
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
    func nonBlockingPipe() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let (reading, writing) = (ends[0], ends[1])
        let threads = ThreadPool(count: 2)
        async let read = threads.run { _ in
            try FileDescriptor(owning: reading).readAll(limit: 2 * bytes.count)
        }
        async let written: Void = threads.run { _ in
            defer { close(writing) }
            try StreamWriter(descriptor: writing).write(TerminalBytes(raw: bytes))
        }
        try await written
        #expect(try await read == bytes)
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

extension TerminalBytes {
    fileprivate init(raw: [UInt8]) {
        self.init()
        self.raw = raw
    }
}

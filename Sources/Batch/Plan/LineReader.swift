internal import Glibc
internal import SpyglassThreads

/// Lines from a descriptor, through a window: what is in memory is the window and one line.
struct LineReader: ~Copyable, Sendable {
    enum Step: Equatable {
        /// A line without its end.
        case line([UInt8])
        /// A line that is longer than the limit; its bytes were dropped.
        case tooLong
        /// The window is used up: `fill` comes next.
        case empty
        case end
    }

    /// The longest line that is taken, in bytes.
    static let lengthLimit = 1 << 20
    private static let windowLength = 64 << 10

    private let descriptor: Int32
    private let isOwned: Bool
    private var window = [UInt8](repeating: 0, count: LineReader.windowLength)
    private var position = 0
    private var filled = 0
    private var line: [UInt8] = []
    private var isTooLong = false
    private var isAtEnd = false

    /// A reader from where the descriptor stands; with `isOwned`, it is closed with the reader.
    init(_ descriptor: Int32, isOwned: Bool) {
        self.descriptor = descriptor
        self.isOwned = isOwned
    }

    deinit { if isOwned { close(descriptor) } }

    /// The bytes that it holds on to.
    var heldBytes: Int { window.count + line.capacity }

    /// The next line of the window; never blocks.
    mutating func next() -> Step {
        while position < filled {
            let rest = window[position..<filled]
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
                append(rest)
                position = filled
                break
            }
            append(rest[..<end])
            position = end + 1
            return takeLine()
        }
        guard isAtEnd else { return .empty }
        return line.isEmpty && !isTooLong ? .end : takeLine()
    }

    /// Reads once (`poll`, `read`); blocks until something comes or the other end of `wake` is closed.
    ///
    /// - Returns: 0, or why not: `ECANCELED` when it was woken.
    mutating func fill(wake: Int32) -> Int32 {
        while true {
            var waiting = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: wake, events: 0, revents: 0),
            ]
            guard poll(&waiting, 2, -1) >= 0 else {
                if errno == EINTR { continue }
                return errno
            }
            guard waiting[1].revents == 0 else { return ECANCELED }
            let count = window.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else { return errno }
            (position, filled) = (0, count)
            isAtEnd = count == 0
            return 0
        }
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard !isTooLong, line.count + bytes.count <= Self.lengthLimit else {
            isTooLong = true
            line = []
            return
        }
        line += bytes
    }

    private mutating func takeLine() -> Step {
        defer {
            // What one long line took is given back.
            if line.capacity > Self.windowLength { line = [] } else { line.removeAll(keepingCapacity: true) }
            isTooLong = false
        }
        return isTooLong ? .tooLong : .line(line)
    }
}

/// A pipe whose closing wakes whoever waits for it.
final class WakePipe: Sendable {
    /// What `poll` is given besides: it has news once `wake()` was called.
    ///
    /// -1, which `poll` passes over, where the system gave no pipe.
    let reading: Int32
    private let writing: Mutex<Int32>

    init() {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) != 0 { ends = [-1, -1] }
        for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reading = ends[0]
        writing = Mutex(ends[1])
    }

    deinit {
        wake()
        if reading >= 0 { close(reading) }
    }

    func wake() {
        writing.withLock { end in
            if end >= 0 { close(end) }
            end = -1
        }
    }
}

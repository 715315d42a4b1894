internal import Glibc
internal import SpyglassCodecs
internal import SpyglassFiles

/// Reads lines through a window; memory holds the window and one line.
struct LineReader: ~Copyable, Sendable {
    enum Step: Equatable {
        case line([UInt8])
        /// A line above the limit, which was skipped.
        case tooLong
        /// The window is used up: call `fill`.
        case empty
        case end
    }

    static let maxLength = 1 << 20
    /// Bytes of one line that are skipped before the input counts as endless.
    static let maxSkipped = 64 << 20
    private static let windowLength = 64 << 10
    private static let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    private let file: FileDescriptor
    private var window = [UInt8](repeating: 0, count: LineReader.windowLength)
    private var position = 0
    private var filled = 0
    /// The first bytes, by which the kind of a file is known.
    private(set) var head: [UInt8] = []
    /// The end of lines, after the first one; a carriage return only where no line feed follows it.
    private var lineEnd: UInt8?
    private var line: [UInt8] = []
    /// Bytes of the current line, if it is too long.
    private var skipped = 0
    private var isAtEnd = false
    /// For compressed lines.
    private var inflater: Inflater?
    private var hasStarted = false

    /// Reads from the current position of a file or a pipe.
    init(_ file: consuming FileDescriptor) { self.file = file }

    var bufferedBytes: Int { window.count + line.capacity }

    /// The next line of the window; never blocks.
    mutating func next() -> Step {
        while position < filled {
            if lineEnd == nil, line.last == Self.carriageReturn, window[position] != Self.lineFeed {
                lineEnd = Self.carriageReturn
                line.removeLast()
                return takeLine()
            }
            guard let end = endOfLine() else {
                append(window[position..<filled])
                position = filled
                break
            }
            append(window[position..<end])
            position = end + 1
            return takeLine()
        }
        guard isAtEnd else { return .empty }
        return line.isEmpty && skipped == 0 ? .end : takeLine()
    }

    /// Returns where the line that begins at `position` ends, if that is in the window.
    private mutating func endOfLine() -> Int? {
        let (first, second) = (lineEnd ?? Self.lineFeed, lineEnd ?? Self.carriageReturn)
        var end = position
        while end < filled, window[end] != first, window[end] != second { end += 1 }
        guard end < filled else { return nil }
        guard lineEnd == nil else { return end }
        guard window[end] == Self.carriageReturn else {
            lineEnd = Self.lineFeed
            return end
        }
        // The next window decides whether a line feed follows.
        guard end + 1 < filled else { return nil }
        let isPair = window[end + 1] == Self.lineFeed
        lineEnd = isPair ? Self.lineFeed : Self.carriageReturn
        return isPair ? end + 1 : end
    }

    /// Blocks until there are bytes.
    ///
    /// Throws `ECANCELED` after `wake`, `tooLarge` after `maxSkipped` bytes of a line, `damaged` for gzip data that is invalid or
    /// ends early.
    mutating func fill(wake: borrowing WakePipe) throws(FileError) {
        guard skipped < Self.maxSkipped else { throw FileError("read", cause: .tooLarge) }
        (position, filled) = (0, 0)
        if inflater == nil {
            filled = try Self.read(file, into: &window, wake: wake)
            // A pipe may bring the first byte alone.
            if !hasStarted, filled == 1, window[0] == Inflater.signature[0] {
                var rest: [UInt8] = [0]
                let count = try Self.read(file, into: &rest, wake: wake)
                window.replaceSubrange(1..<1 + count, with: rest.prefix(count))
                filled += count
            }
            if !hasStarted, window[..<filled].starts(with: Inflater.signature) {
                guard let made = Inflater() else { throw FileError("inflateInit2", code: ENOMEM) }
                inflater = consume made
                inflater?.add(Array(window[..<filled]))
                filled = 0
            }
            hasStarted = true
        }
        if inflater == nil { isAtEnd = filled == 0 } else { try inflate(wake: wake) }
        // A pipe may bring a few bytes at a time.
        if head.count < FileKind.bytesNeeded { head += window[..<min(filled, FileKind.bytesNeeded - head.count)] }
    }

    private mutating func inflate(wake: borrowing WakePipe) throws(FileError) {
        while filled == 0 {
            if inflater?.needsInput == true {
                var compressed = [UInt8](repeating: 0, count: Self.windowLength)
                let count = try Self.read(file, into: &compressed, wake: wake)
                guard count > 0 else {
                    isAtEnd = true
                    guard inflater?.isComplete == true else { throw FileError("inflate", cause: .damaged) }
                    return
                }
                inflater?.add(Array(compressed.prefix(count)))
            }
            guard let count = inflater?.next(into: &window) else { throw FileError("inflate", cause: .damaged) }
            filled = count
        }
    }

    /// Reads once; 0 at the end.
    private static func read(
        _ file: borrowing FileDescriptor, into buffer: inout [UInt8], wake: borrowing WakePipe
    ) throws(FileError) -> Int {
        while true {
            var waiting = [
                pollfd(fd: file.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.reading.number, events: Int16(POLLIN), revents: 0),
            ]
            try checked("poll") { poll(&waiting, 2, -1) }
            guard waiting[1].revents == 0 else { throw FileError("poll", code: ECANCELED) }
            do throws(FileError) { return try file.read(into: &buffer) } catch  where error.code == EAGAIN {}
        }
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard skipped == 0, line.count + bytes.count <= Self.maxLength else {
            skipped += bytes.count
            line = []
            return
        }
        line += bytes
    }

    private mutating func takeLine() -> Step {
        defer {
            // Releases the memory of a long line.
            if line.capacity > Self.windowLength { line = [] } else { line.removeAll(keepingCapacity: true) }
            skipped = 0
        }
        return skipped > 0 ? .tooLong : .line(line)
    }
}

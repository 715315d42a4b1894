internal import SpyglassCZlib

/// Decompresses gzip data of one or more members (RFC 1952) with zlib; not thread-safe.
///
/// Only zeros may follow the last member.
///
/// `@unchecked Sendable`: it cannot be copied, so only its owner reaches the stream, on one thread at a time.
package struct Inflater: ~Copyable, @unchecked Sendable {
    /// How gzip data starts (RFC 1952 section 2.3.1).
    package static let signature: [UInt8] = [0x1F, 0x8B]
    /// zlib's stream may not move.
    private let stream: UnsafeMutablePointer<z_stream>
    /// Compressed bytes that are not used yet.
    private var input: [UInt8] = []
    private var used = 0
    /// Whether the input so far is complete.
    package private(set) var isComplete = false
    /// Whether only zeros may follow.
    private var isPastEnd = false

    /// The largest window, and a gzip header is required (`inflateInit2`).
    private static let windowBits: Int32 = 15 + 16

    package init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, size) == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    package var needsInput: Bool { used == input.count }

    package mutating func add(_ bytes: [UInt8]) { (input, used) = (bytes, 0) }

    /// Fills the buffer from its start; returns how many bytes, or `nil` for damaged data.
    ///
    /// Writes nothing only if all input is used.
    package mutating func next(into output: inout [UInt8]) -> Int? {
        var filled = 0
        while used < input.count, filled < output.count {
            if isComplete {
                isPastEnd = isPastEnd || input[used] == 0
                guard input[used] == (isPastEnd ? 0 : Self.signature[0]) else {
                    // Return the good bytes first; the next call gets only the rest, and fails.
                    return filled > 0 ? filled : nil
                }
                if isPastEnd {
                    used += 1
                    continue
                }
                isComplete = false
                guard inflateReset(stream) == Z_OK else { return nil }
            }
            switch inflate(into: &output, from: &filled) {
            case Z_STREAM_END: isComplete = true
            case Z_OK: break
            case Z_BUF_ERROR: return filled
            default: return nil
            }
        }
        return filled
    }

    /// Calls `inflate` with the input that is left and the rest of the buffer; returns its code.
    private mutating func inflate(into output: inout [UInt8], from filled: inout Int) -> Int32 {
        let (stream, inputStart, outputStart) = (stream, used, filled)
        let (most, room) = (UInt32(clamping: input.count - used), UInt32(clamping: output.count - filled))
        (stream.pointee.avail_in, stream.pointee.avail_out) = (most, room)
        let code = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.pointee.next_in = input.baseAddress.map { $0 + inputStart }
                stream.pointee.next_out = output.baseAddress.map { $0 + outputStart }
                return SpyglassCZlib.inflate(stream, Z_NO_FLUSH)
            }
        }
        used += Int(most - stream.pointee.avail_in)
        filled += Int(room - stream.pointee.avail_out)
        return code
    }
}

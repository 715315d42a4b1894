/// Reads bytes in order, some kilobytes at a time; not thread-safe.
final class ByteWindow {
    private let input: ByteReader
    private let buffer: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0

    private static let capacity = 32 << 10

    init(_ input: ByteReader) {
        self.input = input
        buffer = .allocate(byteCount: Self.capacity, alignment: 1)
    }

    deinit { buffer.deallocate() }

    /// The number of bytes taken.
    var offset: Int { input.bytesRead - (end - start) }

    /// Returns false at the end.
    private func fill() throws(CodecError) -> Bool {
        guard start == end else { return true }
        (start, end) = (0, 0)
        end = try input.read(into: buffer)
        return end > 0
    }

    /// The next byte; `nil` at the end.
    func byte() throws(CodecError) -> UInt8? {
        guard try fill() else { return nil }
        defer { start += 1 }
        return buffer[start]
    }

    /// Appends the next bytes; fewer at the end.
    ///
    /// Memory grows with the bytes that are there, not with `count`.
    func append(_ count: Int, to bytes: inout [UInt8]) throws(CodecError) {
        var left = count
        while left > 0, try fill() {
            let part = min(left, end - start)
            bytes += buffer[start..<start + part]
            start += part
            left -= part
        }
    }

    /// The next bytes; `nil` if there are fewer.
    func bytes(_ count: Int) throws(CodecError) -> [UInt8]? {
        var bytes: [UInt8] = []
        try append(count, to: &bytes)
        return bytes.count == count ? bytes : nil
    }

    /// Returns false at the end.
    func skip(_ count: Int) throws(CodecError) -> Bool {
        var left = count
        while left > 0 {
            guard try fill() else { return false }
            let part = min(left, end - start)
            start += part
            left -= part
        }
        return true
    }
}

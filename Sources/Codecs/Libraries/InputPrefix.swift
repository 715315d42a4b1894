internal import SpyglassFiles

/// The first bytes of an input, contiguous and never moved, for libraries that need them so.
struct InputPrefix: ~Copyable {
    private let memory: ReservedMemory
    private(set) var count = 0
    private let limits: ImageLimits

    /// `capacity` is at least the number of bytes that are needed; `limits.bodyBytes` bounds it.
    init(capacity: Int = .max, _ limits: ImageLimits) throws(CodecError) {
        // One byte more tells an input that ends at the limit from a longer one.
        let maxBytes = min(max(limits.bodyBytes, 0), Self.maxBytes) + 1
        guard let memory = ReservedMemory(byteCount: min(capacity, maxBytes)) else {
            throw .outOfMemory(to: "decode")
        }
        self.memory = memory
        self.limits = limits
    }

    private static let maxBytes = 1 << 40

    var bytes: UnsafePointer<UInt8> { UnsafePointer(memory.base.assumingMemoryBound(to: UInt8.self)) }

    /// Reads up to `wanted` bytes more; returns whether there were any.
    mutating func grow(by wanted: Int, from input: ByteReader) throws(CodecError) -> Bool {
        let end = count + min(wanted, memory.byteCount - count)
        guard end > count else { return false }
        let added = try input.read(into: memory[count..<end])
        count += added
        if count > limits.bodyBytes {
            throw CodecError(.bodyBytes, "a file of more than \(limits.bodyBytes) bytes")
        }
        return added > 0
    }

    /// Reads the rest.
    mutating func readAll(from input: ByteReader) throws(CodecError) {
        while try grow(by: Self.stepBytes, from: input) {}
    }

    /// Forgets the bytes from `end` on.
    mutating func cut(to end: Int) { count = min(end, count) }

    /// Replaces a byte that was read.
    mutating func set(_ offset: Int, to byte: UInt8) {
        precondition(offset < count, "outside the input")
        memory[offset..<offset + 1][0] = byte
    }

    /// The check for cancellation between two reads costs little, and a step takes well below a millisecond.
    private static let stepBytes = 1 << 20
}

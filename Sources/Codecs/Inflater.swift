internal import SpyglassCZlib

/// Decompresses gzip data with zlib; not thread-safe.
///
/// `@unchecked Sendable`: it cannot be copied, so only its owner reaches the stream, on one thread at a time.
package struct Inflater: ~Copyable, @unchecked Sendable {
    /// How gzip data starts (RFC 1952 section 2.3.1).
    package static let signature: [UInt8] = [0x1F, 0x8B]
    private let handle: OpaquePointer
    /// Compressed bytes that are not used yet.
    private var input: [UInt8] = []
    private var used = 0

    package init?() {
        guard let handle = sg_inflater_create() else { return nil }
        self.handle = handle
    }

    deinit { sg_inflater_destroy(handle) }

    package var needsInput: Bool { used == input.count }
    /// Whether the input so far is complete.
    package var isComplete: Bool { sg_inflater_is_complete(handle) }

    package mutating func add(_ bytes: [UInt8]) { (input, used) = (bytes, 0) }

    /// Fills the buffer from its start; returns how many bytes, or `nil` for damaged data.
    package mutating func next(into output: inout [UInt8]) -> Int? {
        var consumed = 0
        let count = input.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output -> Int in
                guard let from = input.baseAddress, let to = output.baseAddress else { return 0 }
                return sg_inflate(handle, from + used, input.count - used, &consumed, to, output.count)
            }
        }
        used += consumed
        return count < 0 ? nil : count
    }
}

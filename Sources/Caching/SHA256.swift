internal import SpyglassCHash

/// SHA-256 (FIPS 180-4) of bytes that come in parts: `var hash = SHA256()`, `hash.add(bytes)`, `hash.text`.
package struct SHA256: Sendable {
    private static let blockBytes = 64
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var byteCount: UInt64 = 0
    /// Less than a block.
    private var rest: [UInt8] = []

    package static func text(of bytes: [UInt8]) -> String {
        var hash = SHA256()
        hash.add(bytes)
        return hash.text
    }

    package init() {}

    package mutating func add(_ bytes: [UInt8]) {
        byteCount &+= UInt64(bytes.count)
        var bytes = bytes[...]
        if !rest.isEmpty {
            let count = min(Self.blockBytes - rest.count, bytes.count)
            rest += bytes.prefix(count)
            bytes = bytes.dropFirst(count)
            guard rest.count == Self.blockBytes else { return }
            addBlocks(rest[...])
        }
        let whole = bytes.count / Self.blockBytes * Self.blockBytes
        addBlocks(bytes.prefix(whole))
        rest = Array(bytes.dropFirst(whole))
    }

    private mutating func addBlocks(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            state.withUnsafeMutableBufferPointer { state in
                if let state = state.baseAddress { sg_sha256_blocks(state, start, bytes.count / Self.blockBytes) }
            }
        }
    }

    /// 64 hexadecimal digits.
    package var text: String {
        var padded = self
        let zeros = (2 * Self.blockBytes - 9 - rest.count) % Self.blockBytes
        let bits = byteCount &* 8
        let length = (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
        padded.add([0x80] + [UInt8](repeating: 0, count: zeros) + length)
        return padded.state.map { Hex.text(UInt64($0), digits: 8) }.joined()
    }
}

/// The chunks of a PNG (PNG specification, section 5.3), in its untrusted first bytes.
struct PNGChunks: Sequence, IteratorProtocol {
    private var reader: BinaryReader

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    init(_ head: BinaryReader) {
        reader = head
        try? reader.skip(CheckedSize(Self.signature.count))
    }

    /// Returns the next chunk; its content is `nil` if it is not whole, which ends them.
    mutating func next() -> (name: FourCC, content: BinaryReader?)? {
        guard let count = try? reader.size(4), let name = try? reader.name() else { return nil }
        let content = try? reader.part(count)
        if content == nil || (try? reader.skip(4)) == nil { reader = BinaryReader([]) }
        return (name, content)
    }
}

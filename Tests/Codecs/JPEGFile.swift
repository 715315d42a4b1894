/// Writes minimal grey JPEG files with a restart marker after every block.
struct JPEGFile {
    var bytes: [UInt8] = [0xFF, 0xD8]
    /// Where the data of the only scan starts.
    private(set) var dataStart = 0

    init(width: Int, height: Int) {
        let side = { (length: Int) in [UInt8(length >> 8), UInt8(length & 255)] }
        segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        segment(0xC0, [8] + side(height) + side(width) + [1, 1, 0x11, 0])
        // One code of one bit in each Huffman table: no difference of the mean, end of block (T.81, annex F.1.2).
        for table: UInt8 in [0x00, 0x10] { segment(0xC4, [table, 1] + [UInt8](repeating: 0, count: 15) + [0]) }
        segment(0xDD, [0, 1])
        segment(0xDA, [1, 1, 0, 0, 63, 0])
        dataStart = bytes.count
        for block in 0..<((width + 7) / 8 * ((height + 7) / 8)) {
            if block > 0 { bytes += [0xFF, 0xD0 + UInt8((block - 1) % 8)] }
            bytes.append(Self.block)
        }
        bytes += [0xFF, 0xD9]
    }

    /// Bytes of a block and the following marker.
    static let blockBytes = 3
    /// Two zero bits, padded with ones.
    private static let block: UInt8 = 0x3F

    private mutating func segment(_ marker: UInt8, _ content: [UInt8]) {
        bytes += [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
    }
}

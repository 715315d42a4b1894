/// Writes progressive JPEG files of one colour, with a scan for each named component.
struct ScansFile {
    private(set) var bytes: [UInt8] = [0xFF, 0xD8]
    /// Where each scan's header starts, and where the end-of-image marker does.
    private(set) var scanStarts: [Int] = []

    /// Scans of the mean alone, in this order, of a square of three components, YCbCr.
    init(side: Int, scans: [UInt8]) {
        let length = [UInt8(side >> 8), UInt8(side & 255)]
        segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        segment(0xC2, [8] + length + length + [3] + (1...3).flatMap { [$0, 0x11, 0] })
        // One code of one bit: no difference of the mean (T.81, annex F.1.2).
        segment(0xC4, [0, 1] + [UInt8](repeating: 0, count: 15) + [0])
        let blocks = (side + 7) / 8 * ((side + 7) / 8)
        for component in scans {
            scanStarts.append(bytes.count)
            segment(0xDA, [1, component, 0, 0, 0, 0])
            bytes += [UInt8](repeating: 0, count: blocks / 8)
            // The last bits, padded with ones.
            if blocks % 8 > 0 { bytes.append(0xFF >> UInt8(blocks % 8)) }
        }
        scanStarts.append(bytes.count)
        bytes += [0xFF, 0xD9]
    }

    private mutating func segment(_ marker: UInt8, _ content: [UInt8]) {
        bytes += [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
    }
}

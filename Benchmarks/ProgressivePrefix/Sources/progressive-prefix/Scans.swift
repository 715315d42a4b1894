/// Where the scans of a JPEG end: the offsets behind their data (T.81, annex B.1.1).
func scanEnds(_ bytes: [UInt8]) -> [Int] {
    var ends: [Int] = []
    var at = 2
    while at + 4 <= bytes.count, bytes[at] == 0xFF {
        let marker = bytes[at + 1]
        if marker == 0xD9 { break }
        let length = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
        at += 2 + length
        guard marker == 0xDA else { continue }
        // The data: no marker but restarts.
        while at + 1 < bytes.count, bytes[at] != 0xFF || bytes[at + 1] == 0 || (0xD0...0xD7).contains(bytes[at + 1]) {
            at += 1
        }
        ends.append(at)
    }
    return ends
}

internal import SpyglassPixels

/// The colours of an image with at most 256: transparent ones first, then in order of appearance.
struct PNGPalette {
    let colors: [UInt32]
    let transparentCount: Int
    private var table = Table()

    static let maxColors = 256

    /// `nil` if there are more; a photograph is rejected after a few rows.
    init?(_ image: PixelBuffer) {
        var table = Table()
        let isPalette = (0..<image.size.height).allSatisfy { row in
            image.withWords(ofRows: row..<row + 1) { words in
                var last: UInt32?
                for word in words where word != last {
                    last = word
                    if table.index(adding: UInt32(littleEndian: word)) == nil { return false }
                }
                return true
            }
        }
        guard isPalette else { return nil }
        let transparent = table.colors.filter { $0 >> 24 != 255 }
        colors = transparent + table.colors.filter { $0 >> 24 == 255 }
        transparentCount = transparent.count
        for color in colors { _ = self.table.index(adding: color) }
    }

    var depth: Int {
        switch colors.count {
        case ...2: 1
        case ...4: 2
        case ...16: 4
        default: 8
        }
    }

    var chunkBytes: Int {
        let chunk = 12
        return chunk + 3 * colors.count + (transparentCount > 0 ? chunk + transparentCount : 0)
    }

    var bytes: [UInt8] { colors.flatMap { color in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: color >> $0) } } }
    func index(of color: UInt32) -> UInt8 { table.index(of: color) }

    /// A hash table with open addressing, four times its capacity.
    private struct Table {
        private(set) var colors: [UInt32] = []
        /// A colour's index plus 1, or 0.
        private var slots = [UInt16](repeating: 0, count: slotCount)

        private static let slotCount = 1024

        private func slot(of color: UInt32) -> Int {
            // Fibonacci hashing (Knuth, TAOCP 6.4): the upper ten bits of the product with 2^32 / phi.
            var slot = Int((color &* 0x9E37_79B9) >> 22)
            while slots[slot] != 0, colors[Int(slots[slot]) - 1] != color { slot = (slot + 1) % Self.slotCount }
            return slot
        }

        mutating func index(adding color: UInt32) -> UInt8? {
            let slot = slot(of: color)
            if slots[slot] == 0 {
                guard colors.count < maxColors else { return nil }
                colors.append(color)
                slots[slot] = UInt16(colors.count)
            }
            return UInt8(slots[slot] - 1)
        }

        func index(of color: UInt32) -> UInt8 { UInt8(slots[slot(of: color)] - 1) }
    }
}

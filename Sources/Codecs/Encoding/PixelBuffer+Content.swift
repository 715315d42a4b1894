internal import SpyglassPixels

extension PixelBuffer {
    /// Gives `body` the pixels of `rows` as words, whose lowest byte is red and whose highest is alpha.
    func withWords<Result>(ofRows rows: Range<Int>, _ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
        precondition(rows.lowerBound >= 0 && rows.upperBound <= size.height, "outside the picture")
        // An array's elements lie at a multiple of 16 bytes, so every pixel lies at one of four.
        return bytes.withUnsafeBytes { bytes in
            UnsafeRawBufferPointer(rebasing: bytes[rows.lowerBound * stride..<rows.upperBound * stride])
                .withMemoryRebound(to: UInt32.self, body)
        }
    }

    /// Whether all pixels are opaque, at a tenth of the time of `isOpaque`: a thumbnail is asked as often as it is made.
    var hasOpaqueWords: Bool {
        withWords(ofRows: 0..<size.height) { words in
            var common = UInt32.max
            for word in words { common &= UInt32(littleEndian: word) }
            return common >> 24 == 255
        }
    }

    /// Whether in every pixel red, green and blue are the same; with `isVisible` only those count that are not fully transparent.
    ///
    /// Looks no further than the first row with a colour in it.
    func isGray(whereVisible isVisible: Bool = false) -> Bool {
        let ignored: UInt32 = isVisible ? 0 : .max
        return (0..<size.height).allSatisfy { row in
            withWords(ofRows: row..<row + 1) { words in
                var differences: UInt32 = 0
                for word in words {
                    let pixel = UInt32(littleEndian: word)
                    let counts = pixel >> 24 == 0 ? ignored : .max
                    differences |= (pixel ^ pixel >> 8) & 0xFFFF & counts
                }
                return differences == 0
            }
        }
    }
}

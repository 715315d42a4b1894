extension PixelBuffer {
    /// Each pixel as a square of `factor` pixels a side.
    package func repeated(_ factor: Int) -> PixelBuffer {
        var result = PixelBuffer(size: PixelSize(width: size.width * factor, height: size.height * factor))
        for y in 0..<result.size.height {
            for x in 0..<result.size.width { result[x, y] = self[x / factor, y / factor] }
        }
        return result
    }

    /// Bilinear between pixel centres, on encoded values, since it is shown briefly.
    package func enlarged(_ region: ImageRegion = .whole, to size: PixelSize) -> PixelBuffer {
        var result = PixelBuffer(size: size)
        let columns = (0..<size.width).map {
            Self.neighbours((Double($0) + 0.5) / Double(size.width) * region.width + region.x, of: self.size.width)
        }
        for y in 0..<size.height {
            let place = (Double(y) + 0.5) / Double(size.height) * region.height + region.y
            let row = Self.neighbours(place, of: self.size.height)
            for (x, column) in columns.enumerated() {
                let above = self[column.first, row.first].mixed(with: self[column.second, row.first], column.share)
                let below = self[column.first, row.second].mixed(with: self[column.second, row.second], column.share)
                result[x, y] = above.mixed(with: below, row.share)
            }
        }
        return result
    }

    /// The two pixels around a place in fractions of the side, and the share of the second, of 256.
    private static func neighbours(_ place: Double, of count: Int) -> (first: Int, second: Int, share: Int) {
        let exact = max(place * Double(count) - 0.5, 0)
        let first = min(Int(exact), count - 1)
        return (first, min(first + 1, count - 1), min(Int((exact - Double(first)) * 256), 256))
    }
}

extension RGBA {
    fileprivate func mixed(with other: RGBA, _ share: Int) -> RGBA {
        func mix(_ one: UInt8, _ two: UInt8) -> UInt8 {
            UInt8(clamping: (Int(one) * (256 - share) + Int(two) * share) / 256)
        }
        return RGBA(mix(red, other.red), mix(green, other.green), mix(blue, other.blue), mix(alpha, other.alpha))
    }
}

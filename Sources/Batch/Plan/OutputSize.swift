internal import SpyglassFetching
package import SpyglassPixels

/// A requested size: `320`, `320x240`, `320x`, `x240`.
package struct OutputSize: Hashable, Sendable, CustomStringConvertible {
    /// In pixels; `nil` if only the height is given.
    package let width: Int?
    /// In pixels; `nil` if only the width is given.
    package let height: Int?
    package static let maxSide = 65_535
    package static let maxPerItem = 64

    /// Parses a size; `nil` for anything else, for 0 and for more than `maxSide`.
    package init?(_ text: String) {
        let sides = text.utf8.split(separator: UInt8(ascii: "x"), omittingEmptySubsequences: false)
        func side(_ digits: Substring.UTF8View) -> Int? {
            guard (1...5).contains(digits.count), let value = Substring(digits).decimal,
                (1...Self.maxSide).contains(value)
            else { return nil }
            return value
        }
        switch sides.count {
        case 1:
            guard let value = side(sides[0]) else { return nil }
            (width, height) = (value, value)
        case 2:
            (width, height) = (side(sides[0]), side(sides[1]))
            guard width != nil || sides[0].isEmpty, height != nil || sides[1].isEmpty, width != nil || height != nil
            else { return nil }
        default: return nil
        }
    }

    package func target(fit: TargetSize.Fit, allowsUpscaling: Bool) -> TargetSize {
        TargetSize(
            box: PixelSize(width: width ?? Self.maxSide, height: height ?? Self.maxSide),
            fit: width == nil || height == nil ? .contain : fit, allowsUpscaling: allowsUpscaling)
    }

    /// `320x240`, `320x`, `x240`; a square is `320x320`.
    package var description: String { "\(width.map(String.init) ?? "")x\(height.map(String.init) ?? "")" }
}

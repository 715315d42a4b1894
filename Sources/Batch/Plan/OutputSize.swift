internal import SpyglassFetching
package import SpyglassPixels

/// A requested size: `320`, `320x240`, `320x`, `x240`, `50%`.
package struct OutputSize: Hashable, Sendable, CustomStringConvertible {
    /// In pixels; `nil` if only the height or a percentage is given.
    package let width: Int?
    /// In pixels; `nil` if only the width or a percentage is given.
    package let height: Int?
    /// A percentage of the source's size as displayed; above 100 it is enlarged.
    package let percent: Int?
    package static let maxSide = 65_535
    package static let maxPercent = 1_000
    package static let maxPerItem = 64

    /// Parses a size; `nil` for anything else, for 0, and for more than `maxSide` or `maxPercent`.
    package init?(_ text: String) {
        if text.utf8.last == UInt8(ascii: "%") {
            let digits = text.dropLast()
            guard (1...4).contains(digits.utf8.count), let value = digits.decimal,
                (1...Self.maxPercent).contains(value)
            else { return nil }
            (width, height, percent) = (nil, nil, value)
            return
        }
        percent = nil
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
        if let percent { return .percent(percent, allowsUpscaling: allowsUpscaling || percent > 100) }
        return TargetSize(
            box: PixelSize(width: width ?? Self.maxSide, height: height ?? Self.maxSide),
            fit: width == nil || height == nil ? .contain : fit, allowsUpscaling: allowsUpscaling)
    }

    /// `320x240`, `320x`, `x240`, `50%`; a square is `320x320`.
    package var description: String {
        percent.map { "\($0)%" } ?? "\(width.map(String.init) ?? "")x\(height.map(String.init) ?? "")"
    }

    /// The texts of `{w}`, `{h}` and `{w}x{h}`: empty for a side without a limit, `50pct` for a percentage.
    var nameOfWidth: String { nameOfPercent ?? width.map(String.init) ?? "" }
    var nameOfHeight: String { nameOfPercent ?? height.map(String.init) ?? "" }
    var name: String { nameOfPercent ?? description }
    private var nameOfPercent: String? { percent.map { "\($0)pct" } }
}

/// The part of an image that a crop keeps.
package enum Focus: Hashable, Sendable {
    case center
    /// Edges, skin and strong colours.
    case attention
    /// The most varied brightness.
    case entropy
    /// A point, in fractions of the image's width and height from the upper left corner.
    case point(x: Double, y: Double)
}

extension Focus: CustomStringConvertible {
    /// Parses `centre`, `attention`, `entropy` or `X,Y`; `nil` for other text and for points outside the image.
    package init?(_ text: String) {
        switch text {
        case "centre", "center": self = .center
        case "attention": self = .attention
        case "entropy": self = .entropy
        default:
            let parts = text.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
            let numbers = parts.compactMap { Double($0) }
            guard text.utf8.count <= Self.maxText, parts.count == 2, numbers.count == 2,
                numbers.allSatisfy((0...1).contains)
            else { return nil }
            self = .point(x: numbers[0], y: numbers[1])
        }
    }

    private static let maxText = 100

    package var description: String {
        switch self {
        case .center: "centre"
        case .attention: "attention"
        case .entropy: "entropy"
        case .point(let x, let y): "\(x),\(y)"
        }
    }
}

extension PixelBuffer {
    /// Returns the part of the image that a crop to `size` keeps; a side shorter than `size` stays as it is.
    ///
    /// The window is centred on the focus as far as the edges allow.
    package func window(_ size: PixelSize, on focus: Focus) -> PixelArea {
        let size = PixelSize(width: min(size.width, self.size.width), height: min(size.height, self.size.height))
        guard size != self.size else { return PixelArea(of: size) }
        let center: (x: Double, y: Double) =
            switch focus {
            case .center: (0.5, 0.5)
            case .attention: FocusMap(self).attention(size.share(of: self.size))
            case .entropy: FocusMap(self).entropy(size.share(of: self.size))
            case .point(let x, let y): (x, y)
            }
        func start(_ center: Double, _ length: Int, of whole: Int) -> Int {
            min(max(Int((center * Double(whole) - Double(length) / 2).rounded(.down)), 0), whole - length)
        }
        return PixelArea(
            x: start(center.x, size.width, of: self.size.width), y: start(center.y, size.height, of: self.size.height),
            size: size)
    }

    /// Returns a copy of the window; the image itself if nothing is cut.
    package func cropped(to size: PixelSize, on focus: Focus) -> PixelBuffer {
        let window = window(size, on: focus)
        return window.size == self.size ? self : cropped(to: window)
    }
}

extension PixelSize {
    fileprivate func share(of whole: PixelSize) -> (x: Double, y: Double) {
        (Double(width) / Double(whole.width), Double(height) / Double(whole.height))
    }
}

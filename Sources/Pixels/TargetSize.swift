/// An output size, set before the image's own size is known.
///
///     TargetSize(box: PixelSize(width: 80, height: 46)).size(for: PixelSize(width: 4000, height: 3000))  // 61 x 46
public struct TargetSize: Hashable, Sendable {
    /// How an image fits its box.
    public enum Fit: String, CaseIterable, Hashable, Sendable {
        /// The whole image inside the box; keeps the aspect ratio.
        case contain
        /// The whole box covered; keeps the aspect ratio, and the caller crops what overlaps.
        case cover
        /// Exactly the box; sides shorter than the box keep their length unless upscaling is allowed.
        case fill
    }

    package enum Kind: Hashable, Sendable {
        case original
        case box(PixelSize, Fit, allowsUpscaling: Bool, pixelAspect: Double, cell: PixelSize)
        case percent(Int, allowsUpscaling: Bool)
    }

    package let kind: Kind

    /// Makes a size that fits a box.
    ///
    /// - Parameters:
    ///   - box: the box, in target pixels.
    ///   - fit: how the image fits it.
    ///   - allowsUpscaling: whether small images are enlarged.
    ///   - pixelAspect: width of a target pixel over its height; clamped to 1/8...8.
    public init(box: PixelSize, fit: Fit = .contain, allowsUpscaling: Bool = false, pixelAspect: Double = 1) {
        let aspect = pixelAspect.isFinite ? min(max(pixelAspect, 0.125), 8) : 1
        kind = .box(box, fit, allowsUpscaling: allowsUpscaling, pixelAspect: aspect, cell: Self.onePixel)
    }

    /// Returns the size in whole cells of so many pixels, for an image that is scaled anyway; a box has whole cells.
    package func inCells(of cell: PixelSize) -> TargetSize {
        guard case .box(let box, let fit, let allowsUpscaling, let pixelAspect, _) = kind else { return self }
        return TargetSize(.box(box, fit, allowsUpscaling: allowsUpscaling, pixelAspect: pixelAspect, cell: cell))
    }

    private static let onePixel = PixelSize(width: 1, height: 1)

    private init(_ kind: Kind) { self.kind = kind }

    /// The image's own size.
    public static let original = TargetSize(.original)

    /// Returns a share of the image's own size; `percent` is at least 1, and above 100 only where upscaling is allowed.
    public static func percent(_ percent: Int, allowsUpscaling: Bool = false) -> TargetSize {
        TargetSize(.percent(max(percent, 1), allowsUpscaling: allowsUpscaling))
    }

    /// The box in target pixels, and the width of one over its height; `nil` for a size that follows the image's own.
    package var box: (size: PixelSize, pixelAspect: Double)? {
        guard case .box(let box, _, _, let pixelAspect, _) = kind else { return nil }
        return (box, pixelAspect)
    }

    /// Returns the size in target pixels of an image of `source` square pixels; at least 1x1.
    public func size(for source: PixelSize) -> PixelSize {
        let (box, fit, allowsUpscaling, pixelAspect, cell): (PixelSize, Fit, Bool, Double, PixelSize)
        switch kind {
        case .original: return source
        case .percent(let percent, let allowsUpscaling):
            let scale = Double(allowsUpscaling ? percent : min(percent, 100)) / 100
            return PixelSize(
                width: Self.side(Double(source.width) * scale), height: Self.side(Double(source.height) * scale))
        case .box(let size, let how, let enlarges, let aspect, let unit):
            (box, fit, allowsUpscaling, pixelAspect, cell) = (size, how, enlarges, aspect, unit)
        }
        // In target pixels: wide pixels need fewer columns, tall ones more.
        let width = Double(source.width) / pixelAspect
        let height = Double(source.height)
        var horizontal = Double(box.width) / width
        var vertical = Double(box.height) / height
        switch fit {
        case .contain: (horizontal, vertical) = (min(horizontal, vertical), min(horizontal, vertical))
        case .cover: (horizontal, vertical) = (max(horizontal, vertical), max(horizontal, vertical))
        case .fill: break
        }
        if !allowsUpscaling { (horizontal, vertical) = (min(horizontal, 1), min(vertical, 1)) }
        let size = PixelSize(width: Self.side(width * horizontal), height: Self.side(height * vertical))
        return allowsUpscaling || min(horizontal, vertical) < 1 ? size.rounded(to: cell) : size
    }

    private static func side(_ exact: Double) -> Int { Int(min(max(exact.rounded(), 1), Double(Int32.max))) }
}

extension PixelSize {
    /// Returns the nearest size in whole cells, at least one.
    package func rounded(to cell: PixelSize) -> PixelSize {
        func side(_ side: Int, _ unit: Int) -> Int { max((side + unit / 2) / unit, 1) * unit }
        return PixelSize(width: side(width, cell.width), height: side(height, cell.height))
    }
}

extension TargetSize: CustomStringConvertible {
    /// A text that differs for every size, for stored names: `original`, `50%`, `60x40 contain`, `60x40 fill enlarge 0.5`.
    public var description: String {
        switch kind {
        case .original: "original"
        case .percent(let percent, let allowsUpscaling): "\(percent)%\(allowsUpscaling ? " enlarge" : "")"
        case .box(let box, let fit, let allowsUpscaling, let pixelAspect, let cell):
            "\(box) \(fit.rawValue)\(allowsUpscaling ? " enlarge" : "")\(pixelAspect == 1 ? "" : " \(pixelAspect)")"
                + (cell == Self.onePixel ? "" : " cell \(cell)")
        }
    }
}

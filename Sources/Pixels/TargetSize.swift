/// What size is wanted, said before the picture's own size is known.
///
///     TargetSize(box: PixelSize(width: 80, height: 46)).size(for: PixelSize(width: 4000, height: 3000))  // 61 x 46
public struct TargetSize: Hashable, Sendable {
    /// How a picture meets its box.
    public enum Fit: String, CaseIterable, Hashable, Sendable {
        /// The whole picture within the box, shape kept.
        case contain
        /// The whole box covered, shape kept; what sticks out is the caller's to crop.
        case cover
        /// Exactly the box, shape lost; a side that is shorter than the box's keeps its length unless it may grow.
        case fill
    }

    private enum Wish: Hashable {
        case original
        case box(PixelSize, Fit, allowsUpscaling: Bool, pixelAspect: Double)
    }

    private let wish: Wish

    /// A box to meet.
    ///
    /// - Parameters:
    ///   - box: the box, in target pixels.
    ///   - fit: how it is met.
    ///   - allowsUpscaling: whether a small picture grows; otherwise it keeps its own size.
    ///   - pixelAspect: width of a target pixel over its height, where pixels are not square; clamped to 1/8...8.
    public init(box: PixelSize, fit: Fit = .contain, allowsUpscaling: Bool = false, pixelAspect: Double = 1) {
        let aspect = pixelAspect.isFinite ? min(max(pixelAspect, 0.125), 8) : 1
        wish = .box(box, fit, allowsUpscaling: allowsUpscaling, pixelAspect: aspect)
    }

    private init(_ wish: Wish) { self.wish = wish }

    /// The picture's own size.
    public static let original = TargetSize(.original)

    /// The size in target pixels of a picture that is displayed at `source` square pixels; at least one pixel each way.
    public func size(for source: PixelSize) -> PixelSize {
        guard case .box(let box, let fit, let enlarge, let pixelAspect) = wish else { return source }
        // The picture as wide as it is in target pixels: wide pixels need fewer of them.
        let width = Double(source.width) / max(pixelAspect, 1)
        let height = Double(source.height) * min(pixelAspect, 1)
        var across = Double(box.width) / width
        var down = Double(box.height) / height
        switch fit {
        case .contain: (across, down) = (min(across, down), min(across, down))
        case .cover: (across, down) = (max(across, down), max(across, down))
        case .fill: break
        }
        if !enlarge { (across, down) = (min(across, 1), min(down, 1)) }
        return PixelSize(width: Self.side(width * across), height: Self.side(height * down))
    }

    /// The nearest whole number of pixels, at least one and at most what any box could ask for.
    private static func side(_ exact: Double) -> Int { Int(min(max(exact.rounded(), 1), Double(Int32.max))) }
}

extension TargetSize: CustomStringConvertible {
    /// All that tells it from others, for names of what is stored under it: `original`, `60x40 contain`, `60x40 fill enlarge 0.5`.
    public var description: String {
        guard case .box(let box, let fit, let enlarge, let pixelAspect) = wish else { return "original" }
        return "\(box) \(fit.name)\(enlarge ? " enlarge" : "")\(pixelAspect == 1 ? "" : " \(pixelAspect)")"
    }
}

extension TargetSize.Fit {
    fileprivate var name: String {
        switch self {
        case .contain: "contain"
        case .cover: "cover"
        case .fill: "fill"
        }
    }
}

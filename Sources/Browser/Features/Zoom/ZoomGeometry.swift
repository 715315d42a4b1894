internal import SpyglassPixels

/// The enlargement of one photo in full, and its centre; valid for any size of the picture and of the screen.
struct Zoom: Hashable, Sendable {
    /// 1 shows the whole picture as large as the box; larger numbers enlarge it.
    var factor = 1.0
    /// The centre of what is shown, in fractions of the picture's width and height.
    var x = 0.5
    var y = 0.5
    var mode = Mode.free

    enum Mode: Hashable {
        case free
        /// A pixel of the picture is one of the screen, whatever the factor; the next photo and a rotation keep that.
        case actualSize
        /// The picture is as wide as the box; they keep that, too.
        case width
    }

    static let fit = Zoom()
    /// The factor of a key press, and of a step of the wheel.
    static let keyStep = 1.5
    static let wheelStep = 1.25
}

/// Computes what a box shows of a picture at each zoom.
///
///     let geometry = ZoomGeometry(picture: PixelSize(width: 4000, height: 3000), box: PixelSize(width: 80, height: 60))
///     geometry.region(of: Zoom(factor: 2))  // x 0.25, y 0.25, width 0.5, height 0.5
///
/// All lengths are in pixels of the screen. While the picture is narrower than the box, its whole width is visible; the same
/// holds for its height.
struct ZoomGeometry: Hashable, Sendable {
    /// The whole picture at factor 1.
    private let width: Double
    private let height: Double
    private let box: PixelSize
    private let picture: PixelSize?
    /// The factor that shows a pixel of the picture as one of the screen; `nil` if the picture's size is unknown.
    let pixelFactor: Double?
    /// The largest enlargement of a pixel of the picture, in pixels of the screen.
    private static let maxPixel = 32.0
    /// The least maximum of the factor: small pictures can be enlarged, too.
    private static let minLimit = 16.0
    /// The share of the view that a key pans by.
    private static let panShare = 0.25
    /// The maximum number of keys from one edge to the other.
    private static let maxPans = 39.0

    /// Makes the geometry; a picture of unknown size has the shape of the box.
    ///
    /// `pixelAspect` is the width of a pixel of the screen over its height (`TargetSize`).
    init(picture: PixelSize?, box: PixelSize, pixelAspect: Double = 1) {
        self.box = box
        self.picture = picture
        guard let picture else {
            (width, height) = (Double(box.width), Double(box.height))
            pixelFactor = nil
            return
        }
        let across = Double(picture.width) / pixelAspect
        let down = Double(picture.height)
        let scale = min(Double(box.width) / across, Double(box.height) / down)
        (width, height) = (across * scale, down * scale)
        pixelFactor = 1 / scale
    }

    /// A picture smaller than the box shrinks to its own size.
    private var minFactor: Double { min(pixelFactor ?? 1, 1) }
    private var maxFactor: Double { max((pixelFactor ?? 1) * Self.maxPixel, Self.minLimit) }

    /// The zoom that shows the whole width, and the top of what is higher than the box.
    var fittingWidth: Zoom { Zoom(factor: widthFactor, y: 0, mode: .width) }
    private var widthFactor: Double { Double(box.width) / width }

    /// Returns the nearest zoom that shows no more than the picture.
    func clamped(_ zoom: Zoom) -> Zoom {
        var zoom = zoom
        let factor =
            switch zoom.mode {
            case .free: zoom.factor
            case .actualSize: pixelFactor ?? zoom.factor
            case .width: widthFactor
            }
        zoom.factor = min(max(factor, minFactor), maxFactor)
        guard abs(zoom.factor - 1) > 1e-9 else { return .fit }
        let (columns, rows) = shares(at: zoom.factor)
        (zoom.x, zoom.y) = (Self.center(zoom.x, columns), Self.center(zoom.y, rows))
        return zoom
    }

    /// Returns the visible part of the picture: all of it up to factor 1.
    func region(of zoom: Zoom) -> ImageRegion {
        let zoom = clamped(zoom)
        guard zoom != .fit else { return .whole }
        let (columns, rows) = shares(at: zoom.factor)
        return ImageRegion(x: zoom.x - columns / 2, y: zoom.y - rows / 2, width: columns, height: rows)
    }

    /// Returns a zoom with another factor; the point at this distance from the centre of what is visible stays in its place.
    func changed(_ zoom: Zoom, to factor: Double, around point: (x: Double, y: Double) = (0, 0)) -> Zoom {
        var zoom = clamped(zoom)
        let factor = min(max(factor, minFactor), maxFactor)
        zoom.x += point.x / width * (1 / zoom.factor - 1 / factor)
        zoom.y += point.y / height * (1 / zoom.factor - 1 / factor)
        (zoom.factor, zoom.mode) = (factor, .free)
        return clamped(zoom)
    }

    /// Returns a zoom moved by so many steps to the right and down; 40 steps lead from edge to edge.
    func panned(_ zoom: Zoom, right: Double = 0, down: Double = 0) -> Zoom {
        var zoom = clamped(zoom)
        func step(_ share: Double) -> Double { max(share * Self.panShare, (1 - share) / Self.maxPans) }
        let (columns, rows) = shares(at: zoom.factor)
        zoom.x += right * step(columns)
        zoom.y += down * step(rows)
        return clamped(zoom)
    }

    /// Returns a zoom whose picture has moved by so many pixels to the right and down.
    func dragged(_ zoom: Zoom, right: Double, down: Double) -> Zoom {
        var zoom = clamped(zoom)
        zoom.x -= right / (width * zoom.factor)
        zoom.y -= down / (height * zoom.factor)
        return clamped(zoom)
    }

    /// Returns the size of the picture that fills its pixels on the screen; the box's at most, if the picture's is unknown.
    func neededSize(at zoom: Zoom) -> PixelSize {
        let factor = clamped(zoom).factor
        let scale = factor / (pixelFactor ?? 1)
        func side(_ length: Int) -> Int { Int(min(max((Double(length) * scale).rounded(.up), 1), Double(Int32.max))) }
        let size = picture ?? box
        return PixelSize(width: side(size.width), height: side(size.height))
    }

    func visibleSize(at zoom: Zoom) -> (width: Double, height: Double) {
        let factor = clamped(zoom).factor
        return (min(width * factor, Double(box.width)), min(height * factor, Double(box.height)))
    }

    /// The shares of the picture's width and height that are visible.
    func shares(at factor: Double) -> (columns: Double, rows: Double) {
        (min(Double(box.width) / (width * factor), 1), min(Double(box.height) / (height * factor), 1))
    }

    private static func center(_ center: Double, _ share: Double) -> Double {
        min(max(center, share / 2), 1 - share / 2)
    }
}

import SpyglassPixels
import Testing

@testable import SpyglassBrowser

@Suite("ZoomGeometry")
struct ZoomGeometryTests {
    private static let pictures: [PixelSize?] = [
        PixelSize(width: 4000, height: 3000), PixelSize(width: 3000, height: 4000), PixelSize(width: 100, height: 100),
        PixelSize(width: 1, height: 1), PixelSize(width: 30_000, height: 2), PixelSize(width: 2, height: 30_000),
        PixelSize(width: 12_000, height: 9_000), nil,
    ]
    private static let boxes = [
        PixelSize(width: 80, height: 44), PixelSize(width: 1600, height: 900), PixelSize(width: 3, height: 6),
        PixelSize(width: 40, height: 200),
    ]

    /// Every picture in every box, with square and other pixels.
    private static var all: [ZoomGeometry] {
        pictures.flatMap { picture in
            boxes.flatMap { box in
                [1, 0.5, 1.1].map { ZoomGeometry(picture: picture, box: box, pixelAspect: $0) }
            }
        }
    }

    private static let factors = [1, 1.01, 1.5, 2, 3.375, 10, 70, 500, 1e6, .infinity]
    private static let centers = [-1, 0, 0.2, 0.5, 0.99, 1, 7]

    @Test("A region is inside the picture and has the centre in its middle")
    func inside() {
        for geometry in Self.all {
            for factor in Self.factors {
                for center in Self.centers {
                    let zoom = geometry.clamped(Zoom(factor: factor, x: center, y: 1 - center))
                    let region = geometry.region(of: zoom)
                    #expect(region.x >= 0 && region.y >= 0 && region.width > 0 && region.height > 0)
                    #expect(region.x + region.width <= 1 + 1e-12 && region.y + region.height <= 1 + 1e-12)
                    #expect(abs(region.x + region.width / 2 - zoom.x) < 1e-9)
                    #expect(abs(region.y + region.height / 2 - zoom.y) < 1e-9)
                    #expect(geometry.clamped(zoom) == zoom)
                }
            }
        }
    }

    @Test("Fit shows the whole picture; more shows less, without jumps")
    func continuous() {
        for geometry in Self.all {
            #expect(geometry.region(of: .fit) == .whole)
            #expect(geometry.region(of: Zoom(factor: 0.2, x: 0.1, y: 0.9)) == .whole)
            var last = ImageRegion.whole
            for step in 1...400 {
                let factor = 1 + Double(step) / 100
                let region = geometry.region(of: Zoom(factor: factor, x: 0.3, y: 0.6))
                #expect(region.width <= last.width + 1e-12 && region.height <= last.height + 1e-12)
                #expect(region.width < 1 || region.height < 1)
                #expect(abs(region.x - last.x) < 0.02 && abs(region.y - last.y) < 0.02)
                #expect(abs(region.width - last.width) < 0.02 && abs(region.height - last.height) < 0.02)
                last = region
            }
        }
    }

    @Test("A picture narrower than its box is visible over its whole width")
    func narrow() {
        let geometry = ZoomGeometry(
            picture: PixelSize(width: 100, height: 400), box: PixelSize(width: 200, height: 200))
        // At factor 1 it is 50 wide; from factor 4 on it is wider than the box.
        let two = geometry.region(of: Zoom(factor: 2))
        #expect(two.x == 0 && two.width == 1 && two.height == 0.5 && two.y == 0.25)
        #expect(geometry.visibleSize(at: Zoom(factor: 2)) == (100, 200))
        let eight = geometry.region(of: Zoom(factor: 8))
        #expect(eight.width == 0.5 && eight.height == 0.125)
        #expect(geometry.visibleSize(at: Zoom(factor: 8)) == (200, 200))
    }

    @Test("Forty steps lead from edge to edge at any factor, and further ones nowhere")
    func pans() {
        for geometry in Self.all {
            for factor in Self.factors {
                var zoom = geometry.clamped(Zoom(factor: factor, x: 1, y: 1))
                for _ in 0..<40 { zoom = geometry.panned(zoom, right: -1, down: -1) }
                let start = geometry.region(of: zoom)
                #expect(start.x == 0 && start.y == 0)
                for _ in 0..<40 { zoom = geometry.panned(zoom, right: 1, down: 1) }
                let end = geometry.region(of: zoom)
                #expect(abs(end.x + end.width - 1) < 1e-9 && abs(end.y + end.height - 1) < 1e-9)
                #expect(geometry.panned(zoom, right: 1, down: 1) == zoom)
            }
        }
    }

    @Test("A point under the pointer stays in its place")
    func pointer() {
        let geometry = ZoomGeometry(
            picture: PixelSize(width: 400, height: 300), box: PixelSize(width: 80, height: 60))
        let zoom = Zoom(factor: 4, x: 0.5, y: 0.5)
        let closer = geometry.changed(zoom, to: 8, around: (x: 20, y: -15))
        // 20 of 80 pixels beside the centre: a sixteenth of the picture before, half as much afterwards.
        #expect(closer == Zoom(factor: 8, x: 0.53125, y: 0.46875))
        #expect(geometry.changed(closer, to: 4, around: (x: 20, y: -15)) == zoom)
    }

    @Test("The picture follows the pointer")
    func drag() {
        let geometry = ZoomGeometry(
            picture: PixelSize(width: 400, height: 300), box: PixelSize(width: 80, height: 60))
        let zoom = Zoom(factor: 4)
        #expect(geometry.dragged(zoom, right: 32, down: -24) == Zoom(factor: 4, x: 0.4, y: 0.6))
        #expect(geometry.dragged(zoom, right: 1e9, down: -1e9) == Zoom(factor: 4, x: 0.125, y: 0.875))
        #expect(geometry.dragged(.fit, right: 10, down: 10) == .fit)
    }

    @Test("One pixel a pixel needs the picture's size")
    func pixels() throws {
        for picture in Self.pictures.compactMap(\.self) {
            for box in Self.boxes {
                let geometry = ZoomGeometry(picture: picture, box: box)
                let factor = try #require(geometry.pixelFactor)
                let zoom = geometry.changed(.fit, to: factor)
                let needed = geometry.neededSize(at: zoom)
                if factor > 1 {
                    #expect(abs(needed.width - picture.width) <= 1 && abs(needed.height - picture.height) <= 1)
                } else {
                    // A small picture fills the box at least.
                    #expect(zoom == .fit && needed.width >= picture.width)
                }
            }
        }
        #expect(ZoomGeometry(picture: nil, box: Self.boxes[0]).pixelFactor == nil)
    }
}

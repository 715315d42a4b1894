import SpyglassPixels
import Testing

@Suite("ImageRegion")
struct ImageRegionTests {
    private let size = PixelSize(width: 400, height: 300)

    private func area(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelArea {
        PixelArea(x: x, y: y, size: PixelSize(width: width, height: height))
    }

    @Test("A region is rounded to the nearest pixels, has at least one, and is cut off at the edges of the image")
    func areas() {
        for (region, expected) in [
            (.whole, area(0, 0, 400, 300)),
            (ImageRegion(x: 0.25, y: 0.5, width: 0.5, height: 0.25), area(100, 150, 200, 75)),
            (ImageRegion(x: 0.249, y: 0, width: 0.5, height: 1), area(100, 0, 200, 300)),
            (ImageRegion(x: 1, y: 1, width: 0, height: 0), area(399, 299, 1, 1)),
            (ImageRegion(x: 0.5, y: 0.5, width: 1e-9, height: 1e-9), area(200, 150, 1, 1)),
            (ImageRegion(x: -0.5, y: -0.5, width: 1, height: 1), area(0, 0, 200, 150)),
            (ImageRegion(x: 0.5, y: 0.75, width: 9, height: 9), area(200, 225, 200, 75)),
            (ImageRegion(x: 7, y: 7, width: 1, height: 1), area(399, 299, 1, 1)),
            (ImageRegion(x: -3, y: 0, width: 1, height: -1), area(0, 0, 1, 1)),
        ] { #expect(region.area(in: size) == expected) }
        let one = PixelSize(width: 1, height: 1)
        #expect(ImageRegion(x: 0.9, y: 0.9, width: 0.1, height: 0.1).area(in: one) == area(0, 0, 1, 1))
    }

    @Test("A number that is not finite counts as 0", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(number: Double) {
        for region in [
            ImageRegion(x: number, y: 0, width: 0.5, height: 1), ImageRegion(x: 0, y: number, width: 1, height: 1),
            ImageRegion(x: 0, y: 0, width: number, height: 1), ImageRegion(x: 0, y: 0, width: 1, height: number),
        ] {
            let area = region.area(in: size)
            #expect(area.x == 0 && area.y == 0 && area.endX <= 400 && area.endY <= 300)
        }
    }

    @Test("Neighbouring regions share an edge", arguments: [2, 3, 7, 64, 399])
    func neighbours(count: Int) {
        var next = 0
        for index in 0..<count {
            let region = ImageRegion(x: Double(index) / Double(count), y: 0, width: 1 / Double(count), height: 1)
            let area = region.area(in: size)
            #expect(area.x == next)
            next = area.x + area.size.width
        }
        #expect(next == 400)
    }

    @Test("The stored pixels of a part are the part of the upright image", arguments: Orientation.allCases)
    func stored(orientation: Orientation) {
        let stored = Picture.noise(PixelSize(width: 7, height: 5), layout: .rgb, seed: 3).buffer
        let upright = stored.oriented(orientation)
        for part in [area(0, 0, 1, 1), area(1, 2, 3, 2), area(4, 4, 1, 1), area(0, 1, 5, 3)] {
            let place = orientation.stored(part, of: stored.size)
            #expect(stored.cropped(to: place).oriented(orientation) == upright.cropped(to: part))
        }
    }
}

@Suite("AreaResampler: a part")
struct AreaResamplerPartTests {
    @Test("A part within scaled pixels is the crop of the whole", arguments: [1, 2, 4, 8], RowLayout.allCases)
    func crop(step: Int, layout: RowLayout) {
        // A target pixel is five stored ones, a row's pixel `step` of them.
        let (size, target) = (PixelSize(width: 60, height: 45), PixelSize(width: 12, height: 9))
        let rows = PixelSize(width: (60 + step - 1) / step, height: (45 + step - 1) / step)
        let picture = Picture.noise(rows, layout: layout, seed: 8)
        let whole = resampled(picture, of: size, PixelArea(x: 0, y: 0, size: size), to: target, step: step)
        for part in [
            PixelArea(x: 1, y: 2, size: PixelSize(width: 4, height: 3)),
            PixelArea(x: 11, y: 8, size: PixelSize(width: 1, height: 1)),
            PixelArea(x: 0, y: 3, size: PixelSize(width: 12, height: 6)),
        ] {
            let stored = PixelArea(
                x: part.x * 5, y: part.y * 5,
                size: PixelSize(width: part.size.width * 5, height: part.size.height * 5))
            #expect(resampled(picture, of: size, stored, to: part.size, step: step) == whole.cropped(to: part))
        }
    }

    private func resampled(
        _ picture: Picture, of size: PixelSize, _ part: PixelArea, to target: PixelSize, step: Int
    ) -> PixelBuffer {
        let channels = picture.layout.channels
        var resampler = AreaResampler(
            from: size, part: part, to: target, layout: picture.layout, transfer: .sRGB, step: step)
        for y in part.y / step..<(part.y + part.size.height + step - 1) / step {
            let start = y * picture.size.width * channels
            let end = start + (part.x + part.size.width + step - 1) / step * channels
            resampler.add(picture.bytes.span.extracting(start + part.x / step * channels..<end))
        }
        return resampler.finish()
    }
}

import SpyglassPixels
import Testing

@Suite("TargetSize")
struct TargetSizeTests {
    private static let box = PixelSize(width: 80, height: 46)
    private static let (tiny, small) = (PixelSize(width: 8, height: 4), PixelSize(width: 100, height: 100))
    private static let square = PixelSize(width: 400, height: 400)
    private static let photograph = PixelSize(width: 4000, height: 3000)

    @Test(
        "An image fits its box or covers it in its own shape, or fills it; a small one is enlarged only on request",
        arguments: [
            (TargetSize(box: box), photograph, PixelSize(width: 61, height: 46)),
            (TargetSize(box: box), photograph.transposed, PixelSize(width: 35, height: 46)),
            (TargetSize(box: box, fit: .cover), photograph, PixelSize(width: 80, height: 60)),
            (TargetSize(box: box, fit: .fill), photograph, box), (TargetSize(box: box), tiny, tiny),
            (TargetSize(box: box, allowsUpscaling: true), tiny, PixelSize(width: 80, height: 40)),
            (.original, tiny, tiny),
            // The most extreme shape has a pixel each way.
            (TargetSize(box: box), PixelSize(width: 10_000, height: 1), PixelSize(width: 80, height: 1)),
            // Wide or tall pixels change the size and not the displayed shape.
            (TargetSize(box: small, pixelAspect: 2), square, PixelSize(width: 50, height: 100)),
            (TargetSize(box: small, pixelAspect: 0.5), square, PixelSize(width: 100, height: 50)),
            (TargetSize(box: small, pixelAspect: .nan), square, small),
        ])
    func sizes(target: TargetSize, image: PixelSize, size: PixelSize) {
        #expect(target.size(for: image) == size)
    }

    @Test("A percentage is rounded, and enlarges only on request")
    func percent() {
        let targets = [TargetSize.percent(50), .percent(1), .percent(300), .percent(300, allowsUpscaling: true)]
        let sizes = targets.map { $0.size(for: PixelSize(width: 5, height: 1)).description }
        #expect(sizes == ["3x1", "1x1", "5x1", "15x3"])
        let descriptions = [targets[0].description, TargetSize.percent(50, allowsUpscaling: true).description]
        #expect(descriptions == ["50%", "50% enlarge"])
    }

    @Test("An image that is scaled fills whole cells, one that is not keeps its size")
    func cells() {
        let target = TargetSize(box: PixelSize(width: 80, height: 40)).inCells(of: PixelSize(width: 2, height: 4))
        let images = [
            PixelSize(width: 400, height: 210), PixelSize(width: 800, height: 10), PixelSize(width: 7, height: 5),
        ]
        #expect(images.map { target.size(for: $0).description } == ["76x40", "80x4", "7x5"])
        #expect(target.description == "80x40 contain cell 2x4")
    }
}

@Suite("PixelSize")
struct PixelSizeTests {
    @Test("An untrusted size is rejected if empty or beyond counting")
    func checking() {
        let counts = [(0, 5), (5, -1), (.max, 2), (3, 2), (.max, 1)].map { PixelSize(checking: $0, $1)?.pixelCount }
        #expect(counts == [nil, nil, nil, 6, .max])
        #expect(PixelSize(checking: 3, 2)?.description == "3x2")
    }

    @Test("Any numbers make a size, the nearest valid one")
    func nearest() {
        let sides = [
            PixelSize(width: 0, height: -5), PixelSize(width: .min, height: 7), PixelSize(width: .max, height: 1),
        ]
        .map { [$0.width, $0.height] }
        #expect(sides == [[1, 1], [1, 7], [.max, 1]])
        let largest = PixelSize(width: .max, height: .max)
        #expect(largest.width == Int(Int32.max) && largest.pixelCount == largest.width * largest.width)
    }

    @Test("Boxes and regions of any size and image give a size within limits")
    func extremes() {
        let sides = [Int.min, 0, 1, Int(Int32.max), .max]
        let sizes = sides.flatMap { width in sides.map { PixelSize(width: width, height: $0) } }
        let fractions = [-Double.infinity, -1, 0, 0.5, 1, .nan, .infinity, .greatestFiniteMagnitude]
        for image in sizes {
            for fraction in fractions {
                let region = ImageRegion(x: fraction, y: 0, width: fraction, height: fraction)
                let area = region.area(in: image)
                #expect(area.endX <= image.width && area.endY <= image.height)
            }
            for box in sizes {
                for fit in TargetSize.Fit.allCases {
                    let target = TargetSize(box: box, fit: fit, allowsUpscaling: true, pixelAspect: .nan)
                    #expect(target.size(for: image).width <= Int(Int32.max))
                }
            }
            #expect(TargetSize.percent(.max, allowsUpscaling: true).size(for: image).height <= Int(Int32.max))
            #expect(TargetSize.percent(.min).size(for: image).height >= 1)
        }
    }
}

@Suite("Orientation")
struct OrientationTests {
    /// Where the stored pixels 1 2 3 / 4 5 6 are displayed, by the EXIF specification's table of row 0 and column 0.
    @Test(
        "Each of the eight values turns the image upright",
        arguments: zip(
            Orientation.allCases,
            [
                [[1, 2, 3], [4, 5, 6]], [[3, 2, 1], [6, 5, 4]], [[6, 5, 4], [3, 2, 1]], [[4, 5, 6], [1, 2, 3]],
                [[1, 4], [2, 5], [3, 6]], [[4, 1], [5, 2], [6, 3]], [[6, 3], [5, 2], [4, 1]],
                [[3, 6], [2, 5], [1, 4]],
            ]))
    func turns(orientation: Orientation, seen: [[UInt8]]) {
        let stored = Picture(size: PixelSize(width: 3, height: 2), layout: .gray) { x, y, _ in UInt8(y * 3 + x + 1) }
        let turned = stored.buffer.oriented(orientation)
        let rows = (0..<turned.size.height).map { y in (0..<turned.size.width).map { turned[$0, y].red } }
        #expect(turned.size == orientation.displayed(stored.size) && rows == seen)
    }
}

@Suite("LinearLight")
struct LinearLightTests {
    @Test("Every sRGB value survives the round trip through light")
    func roundTrip() {
        #expect((0...255).allSatisfy { LinearLight.sRGB(Int(LinearLight.ofSRGB[$0])) == UInt8($0) })
    }

    @Test("The encoding is monotonic, and light outside the scale is clamped")
    func monotone() {
        let values = (0...LinearLight.maximum).map(LinearLight.sRGB)
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(LinearLight.sRGB(-5) == 0 && LinearLight.sRGB(1 << 40) == 255)
    }
}

@Suite("PixelBuffer")
struct PixelBufferTests {
    @Test("A row has its bytes in order")
    func row() {
        let picture = PixelBuffer(size: PixelSize(width: 2, height: 2), bytes: [UInt8](0..<16))
        let bytes = picture.withRow(1) { row in row.indices.map { row[$0] } }
        #expect(bytes == [UInt8](8..<16))
    }

    @Test("A new image is transparent, and a pixel reads back as written")
    func pixels() {
        var buffer = PixelBuffer(size: PixelSize(width: 2, height: 3))
        #expect(!buffer.isOpaque && buffer.stride == 8 && buffer.bytes.count == 24)
        buffer[1, 2] = RGBA(1, 2, 3, 4)
        #expect(buffer[1, 2] == RGBA(1, 2, 3, 4) && buffer[0, 2] == RGBA(0, 0, 0, 0))
    }
}

@Suite("PixelBuffer, cropped")
struct CroppedPixelBufferTests {
    private static func numbered(_ width: Int, _ height: Int) -> PixelBuffer {
        Picture(size: PixelSize(width: width, height: height), layout: .rgb) { x, y, _ in UInt8(y * 10 + x) }.buffer
    }

    @Test(
        "The centre is kept, an odd pixel is cut at the right or bottom",
        arguments: [(2, 2, 2, 1), (3, 1, 1, 2), (6, 2, 0, 1), (5, 5, 0, 0), (1, 1, 2, 2), (1, 9, 2, 0)])
    func middle(width: Int, height: Int, left: Int, top: Int) {
        let picture = Self.numbered(6, 5)
        let cropped = picture.croppedToCenter(PixelSize(width: width, height: height))
        #expect(cropped.size == PixelSize(width: min(width, 6), height: min(height, 5)))
        for y in 0..<cropped.size.height {
            for x in 0..<cropped.size.width { #expect(cropped[x, y] == picture[x + left, y + top]) }
        }
    }

    @Test("An image that is not larger stays as it is")
    func small() {
        let picture = Self.numbered(3, 3)
        #expect(picture.croppedToCenter(PixelSize(width: 3, height: 9)) == picture)
    }
}

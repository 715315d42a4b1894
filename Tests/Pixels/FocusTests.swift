import Testing

@testable import SpyglassPixels

@Suite("Focus")
struct FocusTests {
    @Test(
        "Its text is read back",
        arguments: [Focus.center, .attention, .entropy, .point(x: 0.25, y: 1), .point(x: 0.000_01, y: 1 / 3)])
    func text(focus: Focus) { #expect(Focus(focus.description) == focus) }

    @Test("Other spellings of the centre, and no point outside the image")
    func spellings() {
        #expect(Focus("center") == .center)
        for text in ["", "Centre", "0.5", "0.5,", ",", "1.1,0", "0,-0.1", "0,0,0", "nan,0", "a,b", "0 ,0"] {
            #expect(Focus(text) == nil, "\(text)")
        }
    }

    @Test(
        "A window is centred on its point as far as the edges allow",
        arguments: [(0.5, 0.5, 30, 10), (0, 1, 0, 20), (0.9, 0.3, 60, 2), (0.25, 0, 5, 0)])
    func point(x: Double, y: Double, left: Int, top: Int) {
        let size = PixelSize(width: 40, height: 20)
        let window = PixelBuffer(size: PixelSize(width: 100, height: 40)).window(size, on: .point(x: x, y: y))
        #expect(window == PixelArea(x: left, y: top, size: size))
    }

    @Test("A window is never larger than the image", arguments: [Focus.center, .attention, .entropy])
    func small(focus: Focus) {
        let image = PixelBuffer(size: PixelSize(width: 3, height: 1))
        #expect(image.window(PixelSize(width: 9, height: 9), on: focus) == PixelArea(of: image.size))
        #expect(image.cropped(to: PixelSize(width: 1, height: 9), on: focus).size == PixelSize(width: 1, height: 1))
    }

    /// Grey, with a patch at the left or the right.
    private func image(patch: Range<Int>, _ color: (_ x: Int, _ y: Int) -> RGBA) -> PixelBuffer {
        var image = PixelBuffer(size: PixelSize(width: 200, height: 50))
        for y in 0..<50 { for x in 0..<200 { image[x, y] = patch.contains(x) ? color(x, y) : RGBA(90, 90, 90) } }
        return image
    }

    @Test("Attention finds edges, skin and strong colours, and entropy detail", arguments: [10..<40, 150..<180])
    func measures(patch: Range<Int>) {
        let square = PixelSize(width: 50, height: 50)
        let checks = image(patch: patch) { x, y in (x / 8 + y / 8) % 2 == 0 ? RGBA(0, 0, 0) : RGBA(255, 255, 255) }
        let skin = image(patch: patch) { _, _ in RGBA(224, 172, 140) }
        let red = image(patch: patch) { _, _ in RGBA(200, 20, 60) }
        let steps = image(patch: patch) { x, y in RGBA(UInt8(y * 5), UInt8(x), 90) }
        for (image, focus) in [(checks, Focus.attention), (skin, .attention), (red, .attention), (steps, .entropy)] {
            let window = image.window(square, on: focus)
            #expect((window.x..<window.endX).clamped(to: patch).count >= 25, "\(focus) \(window)")
        }
    }
}

@Suite("BoxFilling")
struct BoxFillingTests {
    private static let image = Picture.noise(PixelSize(width: 5, height: 4), layout: .rgba, seed: 7).buffer

    @Test("A padded image is in the middle, an odd pixel of colour is right or below")
    func pad() {
        let red = RGBA(255, 0, 0, 9)
        let padded = BoxFilling.pad(PixelSize(width: 8, height: 7), red).applied(to: Self.image)
        var expected = PixelBuffer(size: PixelSize(width: 8, height: 7))
        for y in 0..<7 {
            for x in 0..<8 {
                let isInside = (1..<6).contains(x) && (1..<5).contains(y)
                expected[x, y] = isInside ? Self.image[x - 1, y - 1] : red
            }
        }
        #expect(padded == expected)
    }

    @Test("A side that is not shorter stays as it is")
    func large() {
        for size in [Self.image.size, PixelSize(width: 2, height: 4)] {
            #expect(BoxFilling.pad(size, RGBA(0, 0, 0)).applied(to: Self.image) == Self.image)
        }
    }

    @Test("Results have the size that is told before")
    func sizes() {
        for side in 1...7 {
            let box = PixelSize(width: side, height: 4)
            for filling in [BoxFilling.crop(box, .attention), .crop(box, .center), .pad(box, RGBA(0, 0, 0))] {
                #expect(filling.applied(to: Self.image).size == filling.size(of: Self.image.size))
            }
        }
    }
}

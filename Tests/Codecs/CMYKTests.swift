import Testing

@testable import SpyglassCodecs

@Suite("CMYK")
struct CMYKTests {
    @Test("Every ink with every black is the rounded product of their light")
    func exact() {
        var rgb: [UInt8] = [0, 0, 0]
        for ink in 0...255 {
            for black in 0...255 {
                let pixel = [UInt8(ink), 0, 255, UInt8(black)]
                CMYK.convert(pixel.span, isInverted: true, pixels: 1, into: &rgb)
                let expected = UInt8((Double(ink * black) / 255).rounded())
                #expect(rgb == [expected, 0, UInt8(black)])
            }
        }
    }

    @Test("Without Adobe's inversion, no ink is white and black ink is black")
    func plain() {
        var rgb = [UInt8](repeating: 9, count: 9)
        let pixels: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0]
        CMYK.convert(pixels.span, isInverted: false, pixels: 3, into: &rgb)
        #expect(rgb == [255, 255, 255, 0, 0, 0, 0, 255, 255])
    }
}

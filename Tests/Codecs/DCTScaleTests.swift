import SpyglassPixels
import Testing

@testable import SpyglassCodecs

@Suite("DCTScale")
struct DCTScaleTests {
    @Test(
        "A scale leaves the resampler at least eight times the target",
        arguments: [
            (100, 100, 8), (1_599, 100, 8), (1_600, 100, 4), (3_199, 100, 4), (3_200, 100, 2), (6_399, 100, 2),
            (6_400, 100, 1),
            (65_500, 1, 1), (50, 100, 8),
        ])
    func eighths(source: Int, target: Int, eighths: Int) {
        let scale = DCTScale.fitting(
            PixelSize(width: source, height: source), to: PixelSize(width: target, height: target))
        #expect(scale.eighths == eighths)
    }

    @Test(
        "A thumbnail leaves the resampler sixteen times the target",
        arguments: [(1_535, 48, 8), (1_536, 48, 4), (3_072, 48, 2), (6_144, 48, 1), (784, 49, 4)])
    func thumbnail(source: Int, target: Int, eighths: Int) {
        let scale = DCTScale.fitting(
            PixelSize(width: source, height: source), to: PixelSize(width: target, height: target))
        #expect(scale.eighths == eighths)
    }

    @Test(
        "Half size leaves Lanczos twice the target, smaller scales three times",
        arguments: [(3, 8), (4, 4), (11, 4), (12, 2), (23, 2), (24, 1)])
    func lanczos(ratio: Int, eighths: Int) {
        let target = PixelSize(width: 40, height: 40)
        let scale = DCTScale.fitting(PixelSize(width: 40 * ratio, height: 40 * ratio), to: target, .lanczos)
        #expect(scale.eighths == eighths)
    }

    @Test("Chroma is interpolated only where fewer than two pixels become one")
    func upsampling() {
        let target = PixelSize(width: 100, height: 100)
        #expect(DCTScale.fitting(PixelSize(width: 199, height: 199), to: target).fancyUpsampling)
        #expect(!DCTScale.fitting(PixelSize(width: 200, height: 200), to: target).fancyUpsampling)
        #expect(DCTScale.full.fancyUpsampling)
    }
}

import Glibc
import Testing

@testable import SpyglassPixels

@Suite("LanczosResampler")
struct LanczosResamplerTests {
    @Test(
        "Every ratio equals the definition in doubles",
        arguments: RowLayout.allCases,
        [
            (7, 5, 3, 2), (100, 60, 7, 9), (33, 27, 32, 26), (5, 3, 11, 8), (64, 64, 8, 8), (1, 1, 4, 4),
            (300, 1, 7, 1),
            (320, 3, 160, 2), (40, 41, 13, 80), (1, 90, 1, 1),
        ])
    func definition(layout: RowLayout, sides: (Int, Int, Int, Int)) {
        let target = PixelSize(width: sides.2, height: sides.3)
        let input = Picture.noise(PixelSize(width: sides.0, height: sides.1), layout: layout, seed: 7)
        expectAlike(input.resampled(to: target, .lanczos), input.modelledSharply(at: target))
    }

    @Test(
        "Scaled rows equal the definition, also where the last ones are partial",
        arguments: [2, 4, 8], [(64, 40), (65, 41), (71, 47), (70, 33)])
    func step(step: Int, source: (Int, Int)) {
        let source = PixelSize(width: source.0, height: source.1)
        let rows = PixelSize(width: (source.width + step - 1) / step, height: (source.height + step - 1) / step)
        let input = Picture.noise(rows, layout: .rgb, seed: 9)
        for target in [PixelSize(width: 5, height: 3), PixelSize(width: 4, height: 9)] {
            expectAlike(
                input.resampled(to: target, .lanczos, from: source, step: step),
                input.modelledSharply(at: target, from: source, step: step))
        }
    }

    @Test(
        "A plain colour stays the same, smaller and larger", arguments: RowLayout.allCases, [0, 1, 37, 128, 254, 255])
    func constant(layout: RowLayout, value: UInt8) {
        for side in [1, 2, 7, 24, 25, 61] {
            let input = Picture(size: PixelSize(width: 25, height: 24), layout: layout) { _, _, channel in
                layout.hasAlpha && channel == layout.channels - 1 ? 255 : value
            }
            let picture = input.resampled(to: PixelSize(width: side, height: side), .lanczos)
            #expect(picture.bytes.enumerated().allSatisfy { $1 == ($0 % 4 == 3 ? 255 : value) }, "\(side)")
        }
    }

    @Test("The colour of a transparent pixel does not bleed over its edge", arguments: [5, 20, 33])
    func edge(side: Int) {
        // Opaque blue next to a transparent red.
        let input = Picture(size: PixelSize(width: 20, height: 20), layout: .rgba) { x, _, channel in
            x < 10 ? [255, 0, 0, 0][channel] : [0, 0, 255, 255][channel]
        }
        let picture = input.resampled(to: PixelSize(width: side, height: side), .lanczos)
        for y in 0..<side {
            for x in 0..<side {
                let pixel = picture[x, y]
                #expect(pixel == RGBA(0, 0, pixel.alpha > 0 ? 255 : 0, pixel.alpha))
            }
        }
    }

    @Test("Overshoot at a hard edge is clamped to white and black")
    func overshoot() {
        let input = Picture(size: PixelSize(width: 64, height: 64), layout: .rgb) { x, y, _ in
            (x / 16 + y / 16) % 2 == 0 ? 0 : 255
        }
        let picture = input.resampled(to: PixelSize(width: 32, height: 32), .lanczos)
        expectAlike(picture, input.modelledSharply(at: picture.size))
        #expect(picture[3, 3] == RGBA(0, 0, 0) && picture[12, 4] == RGBA(255, 255, 255))
    }
}

extension Picture {
    /// Lanczos by its definition: every source pixel contributes to every target pixel.
    func modelledSharply(at target: PixelSize, from source: PixelSize? = nil, step: Int = 1) -> [SIMD4<Double>] {
        let source = source ?? size
        func kernel(_ x: Double) -> Double {
            if x == 0 { return 1 }
            guard abs(x) < 3 else { return 0 }
            return 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
        }
        func weights(_ samples: Int, _ source: Int, _ target: Int) -> [[Double]] {
            let ratio = Double(source) / Double(target)
            return (0..<target).map { index in
                let weights = (0..<samples).map { sample in
                    let (start, end) = (Double(sample * step), Double(min(sample * step + step, source)))
                    let distance = (start + end) / 2 - (Double(index) + 0.5) * ratio
                    return kernel(distance / max(ratio, Double(step))) * (end - start)
                }
                let sum = weights.reduce(0, +)
                return weights.map { $0 / sum }
            }
        }
        return light(
            across: weights(size.width, source.width, target.width),
            down: weights(size.height, source.height, target.height))
    }
}

/// Expects an image to match premultiplied light, within `tolerance` sRGB steps or a 5,000th of white's light.
func expectAlike(
    _ picture: PixelBuffer, _ light: [SIMD4<Double>], tolerance: Double = 1,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    var worst = 0.0
    for (index, sum) in light.enumerated() {
        let pixel = picture[index % picture.size.width, index / picture.size.width]
        let alpha = min(max(sum.w, 0), 1)
        worst = max(worst, abs(Double(pixel.alpha) - alpha * 255))
        // The colour of nearly transparent pixels is undefined.
        guard pixel.alpha > 16 else { continue }
        for (value, channel) in [(pixel.red, sum.x), (pixel.green, sum.y), (pixel.blue, sum.z)] {
            let exact = min(max(channel, 0), alpha) / alpha
            let margin = 0.0002 / alpha
            let (low, high) = (Picture.encoded(exact - margin), Picture.encoded(exact + margin))
            worst = max(worst, low - Double(value), Double(value) - high)
        }
    }
    #expect(worst <= tolerance, sourceLocation: sourceLocation)
}

@Suite("LanczosAxis")
struct LanczosAxisTests {
    @Test("Weights add up exactly and leave room for overshoot, at every ratio", arguments: [1, 2, 8])
    func sums(step: Int) {
        for source in Array(1...40) + [63, 64, 65, 200, 511] {
            for target in Array(1...40) + [64, 100, 333] where step == 1 || target * step <= source {
                let axis = LanczosAxis(from: source, step: step, to: target)
                for index in 0..<target {
                    let weights = axis.withWeights(of: index) { $0.map { Int($0) } }
                    let size = weights.reduce(0) { $0 + abs($1) }
                    // White, weighted twice, must stay below twice itself: 1.35 x 1.35 + 0.35 x 0.35.
                    if weights.reduce(0, +) != 1 << axis.bits || Double(size) > 1.7 * Double(1 << axis.bits)
                        || axis.first[index] < 0 || axis.end(index) > axis.samples
                    {
                        Issue.record("\(source) by \(step) to \(target), at \(index): \(weights), \(axis.bits) bits")
                        return
                    }
                }
            }
        }
    }
}

import Glibc
import Testing

@testable import SpyglassPixels

@Suite("LanczosResampler")
struct LanczosResamplerTests {
    @Test("An image at its own size is copied byte for byte", arguments: RowLayout.allCases)
    func identity(layout: RowLayout) {
        let size = PixelSize(width: 16, height: 16)
        let input = Picture(size: size, layout: layout) { x, y, channel in
            channel == layout.channels - 1 && layout.hasAlpha ? 255 : UInt8(y * 16 + x)
        }
        #expect(input.sharpened(to: size) == input.buffer)
    }

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
        expectAlike(input.sharpened(to: target), input.modelledSharply(at: target))
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
                input.sharpened(to: target, from: source, step: step),
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
            let picture = input.sharpened(to: PixelSize(width: side, height: side))
            #expect(picture.bytes.enumerated().allSatisfy { $1 == ($0 % 4 == 3 ? 255 : value) }, "\(side)")
        }
    }

    @Test("The colour of a transparent pixel does not bleed over its edge", arguments: [5, 20, 33])
    func edge(side: Int) {
        // Opaque blue next to a transparent red.
        let input = Picture(size: PixelSize(width: 20, height: 20), layout: .rgba) { x, _, channel in
            x < 10 ? [255, 0, 0, 0][channel] : [0, 0, 255, 255][channel]
        }
        let picture = input.sharpened(to: PixelSize(width: side, height: side))
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
        let picture = input.sharpened(to: PixelSize(width: 32, height: 32))
        expectAlike(picture, input.modelledSharply(at: picture.size))
        #expect(picture[3, 3] == RGBA(0, 0, 0) && picture[12, 4] == RGBA(255, 255, 255))
    }

    @Test("Missing rows are transparent, and the others are unaffected")
    func cut() {
        let input = Picture(size: PixelSize(width: 8, height: 80), layout: .rgb) { _, _, _ in 200 }
        let half = input.sharpened(to: PixelSize(width: 4, height: 20), rows: 40)
        #expect((0..<10).allSatisfy { half[0, $0] == RGBA(200, 200, 200) })
        #expect((11..<20).allSatisfy { half[0, $0] == RGBA(0, 0, 0, 0) })
        let none = PixelSize(width: 3, height: 3)
        #expect(input.sharpened(to: none, rows: 0) == PixelBuffer(size: none))
    }

    @Test(
        "A row from part of its rows is as light as from all of them", arguments: [40, 27, 20, 16, 7])
    func partialRows(_ height: Int) {
        let input = Picture(size: PixelSize(width: 4, height: 40), layout: .rgb) { _, _, _ in 200 }
        for rows in 1..<40 {
            let cut = input.sharpened(to: PixelSize(width: 4, height: height), rows: rows)
            for y in 0..<height where cut[0, y].alpha > 0 { #expect(cut[0, y] == RGBA(200, 200, 200), "\(rows), \(y)") }
        }
    }

    @Test("Rows beyond the last are ignored")
    func surplus() {
        let size = PixelSize(width: 2, height: 2)
        let row: [UInt8] = [9, 9]
        var resampler = LanczosResampler(from: size, to: size, layout: .gray)
        for _ in 0..<5 { resampler.add(row.span) }
        #expect(resampler.rowsAdded == 2)
        #expect(resampler.finish().isOpaque)
    }

    @Test("A curve with exponent 1 is used without conversion")
    func gamma() {
        let grey = Picture(size: PixelSize(width: 3, height: 3), layout: .gray) { _, _, _ in 128 }
        var resampler = LanczosResampler(
            from: grey.size, to: PixelSize(width: 1, height: 1), layout: .gray, transfer: .gamma(1))
        for _ in 0..<3 { resampler.add([128, 128, 128].span) }
        #expect(resampler.finish()[0, 0] == RGBA(188, 188, 188))
    }

    @Test("White stays white at the widest side that the default limits allow")
    func widest() {
        let row = [UInt8](repeating: 255, count: 65_535)
        var resampler = LanczosResampler(
            from: PixelSize(width: row.count, height: 3), to: PixelSize(width: 3, height: 1), layout: .gray)
        for _ in 0..<3 { resampler.add(row.span) }
        #expect(resampler.finish().bytes.allSatisfy { $0 == 255 })
    }
}

extension Picture {
    /// Resamples the rows of this image, a scaled `source`.
    func sharpened(
        to target: PixelSize, from source: PixelSize? = nil, step: Int = 1, rows: Int? = nil
    ) -> PixelBuffer {
        var resampler = LanczosResampler(from: source ?? size, to: target, layout: layout, step: step)
        let stride = size.width * layout.channels
        for y in 0..<(rows ?? size.height) { resampler.add(bytes.span.extracting(y * stride..<(y + 1) * stride)) }
        return resampler.finish()
    }

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
        func light(_ value: UInt8) -> Double {
            let value = Double(value) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        let across = weights(size.width, source.width, target.width)
        let down = weights(size.height, source.height, target.height)
        var narrow = [SIMD4<Double>](repeating: .zero, count: target.width * size.height)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let pixel = rgba(x, y)
                let alpha = Double(pixel.alpha) / 255
                let premultiplied = SIMD4(light(pixel.red), light(pixel.green), light(pixel.blue), 1) * alpha
                for column in 0..<target.width {
                    narrow[y * target.width + column] += premultiplied * across[column][x]
                }
            }
        }
        return (0..<target.pixelCount).map { index in
            (0..<size.height).reduce(.zero) { sum, y in
                sum + narrow[y * target.width + index % target.width] * down[index / target.width][y]
            }
        }
    }
}

/// Expects an image to match premultiplied light, within `tolerance` sRGB steps or a 5,000th of white's light.
func expectAlike(
    _ picture: PixelBuffer, _ light: [SIMD4<Double>], tolerance: Double = 1,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    func encoded(_ light: Double) -> Double {
        let light = min(max(light, 0), 1)
        return (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055) * 255
    }
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
            let (low, high) = (encoded(exact - margin), encoded(exact + margin))
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

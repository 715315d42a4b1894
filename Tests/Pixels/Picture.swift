import Glibc
import SpyglassPixels
import Testing

/// A source image of the tests, with a floating-point area average to compare with.
struct Picture {
    let size: PixelSize
    let layout: RowLayout
    let bytes: [UInt8]

    init(size: PixelSize, layout: RowLayout, value: (_ x: Int, _ y: Int, _ channel: Int) -> UInt8) {
        self.size = size
        self.layout = layout
        var bytes: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width { for channel in 0..<layout.channels { bytes.append(value(x, y, channel)) } }
        }
        self.bytes = bytes
    }

    static func noise(_ size: PixelSize, layout: RowLayout, seed: UInt64) -> Picture {
        var state = seed
        return Picture(size: size, layout: layout) { _, _, _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        let at = (y * size.width + x) * layout.channels
        return [UInt8](bytes[at..<at + layout.channels])
    }

    /// The pixel as red, green, blue, alpha.
    func rgba(_ x: Int, _ y: Int) -> RGBA {
        let pixel = pixel(x, y)
        return switch layout {
        case .gray: RGBA(pixel[0], pixel[0], pixel[0])
        case .grayAlpha: RGBA(pixel[0], pixel[0], pixel[0], pixel[1])
        case .rgb: RGBA(pixel[0], pixel[1], pixel[2])
        case .rgba: RGBA(pixel[0], pixel[1], pixel[2], pixel[3])
        }
    }

    var buffer: PixelBuffer {
        var buffer = PixelBuffer(size: size)
        for y in 0..<size.height { for x in 0..<size.width { buffer[x, y] = rgba(x, y) } }
        return buffer
    }

    /// Resamples the rows of this image, a scaled `source`.
    func resampled(
        to target: PixelSize, _ filter: ResampleFilter = .area, transfer: TransferCurve = .sRGB,
        from source: PixelSize? = nil, step: Int = 1, rows: Int? = nil
    ) -> PixelBuffer {
        let source = source ?? size
        let resampler = RowResampler(
            filter, from: source, part: PixelArea(of: source), to: target, layout: layout, transfer: transfer,
            step: step)
        let stride = size.width * layout.channels
        for y in 0..<(rows ?? size.height) { resampler.add(bytes.span.extracting(y * stride..<(y + 1) * stride)) }
        return resampler.finish()
    }

    /// The mean over the area of each target pixel, by definition.
    func modelled(at target: PixelSize) -> PixelBuffer {
        func overlaps(_ sources: Int, _ targets: Int) -> [[Double]] {
            let scale = Double(sources) / Double(targets)
            return (0..<targets).map { target in
                let (start, end) = (Double(target) * scale, Double(target + 1) * scale)
                return (0..<sources).map { max(0, min(Double($0 + 1), end) - max(Double($0), start)) / scale }
            }
        }
        let light = light(across: overlaps(size.width, target.width), down: overlaps(size.height, target.height))
        var output = PixelBuffer(size: target)
        for (index, sum) in light.enumerated() {
            let opacity = UInt8(sum.w * 255 + 0.5)
            guard opacity > 0 else { continue }
            let colors = [sum.x, sum.y, sum.z].map { UInt8(Self.encoded($0 / sum.w) + 0.5) }
            output[index % target.width, index / target.width] = RGBA(colors[0], colors[1], colors[2], opacity)
        }
        return output
    }

    /// The premultiplied light of every target pixel, to which each source pixel contributes by the weights of both axes.
    func light(across: [[Double]], down: [[Double]]) -> [SIMD4<Double>] {
        func light(_ value: UInt8) -> Double {
            let value = Double(value) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        let width = across.count
        var narrow = [SIMD4<Double>](repeating: .zero, count: width * size.height)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let pixel = rgba(x, y)
                let alpha = Double(pixel.alpha) / 255
                let premultiplied = SIMD4(light(pixel.red), light(pixel.green), light(pixel.blue), 1) * alpha
                for column in 0..<width { narrow[y * width + column] += premultiplied * across[column][x] }
            }
        }
        return (0..<width * down.count).map { index in
            (0..<size.height).reduce(.zero) { sum, y in sum + narrow[y * width + index % width] * down[index / width][y]
            }
        }
    }

    /// Light as sRGB stores it, of 255.
    static func encoded(_ light: Double) -> Double {
        let light = min(max(light, 0), 1)
        return (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055) * 255
    }
}

/// Expects the bytes of two images to differ by at most `tolerance`.
func expectClose(
    _ picture: PixelBuffer, _ expected: PixelBuffer, tolerance: Int = 1,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(picture.size == expected.size, sourceLocation: sourceLocation)
    let worst = zip(picture.bytes, expected.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
    #expect(worst <= tolerance, sourceLocation: sourceLocation)
}

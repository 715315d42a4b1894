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

    func resampled(to target: PixelSize, transfer: TransferCurve = .sRGB, rows: Int? = nil) -> PixelBuffer {
        var resampler = AreaResampler(from: size, to: target, layout: layout, transfer: transfer)
        let stride = size.width * layout.channels
        for y in 0..<(rows ?? size.height) { resampler.add(bytes.span.extracting(y * stride..<(y + 1) * stride)) }
        return resampler.finish()
    }

    /// The mean over the area of each target pixel, by definition.
    func modelled(at target: PixelSize) -> PixelBuffer {
        func overlap(_ source: Int, _ sources: Int, _ target: Int, _ targets: Int) -> Double {
            let scale = Double(sources) / Double(targets)
            return max(
                0, min(Double(source + 1), Double(target + 1) * scale) - max(Double(source), Double(target) * scale))
        }
        func light(_ value: UInt8) -> Double {
            let value = Double(value) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        func encoded(_ light: Double) -> UInt8 {
            UInt8((light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055) * 255 + 0.5)
        }
        var output = PixelBuffer(size: target)
        for targetY in 0..<target.height {
            for targetX in 0..<target.width {
                var (sum, alpha, area) = (SIMD3<Double>(repeating: 0), 0.0, 0.0)
                for y in 0..<size.height {
                    let height = overlap(y, size.height, targetY, target.height)
                    guard height > 0 else { continue }
                    for x in 0..<size.width {
                        let weight = height * overlap(x, size.width, targetX, target.width)
                        let pixel = rgba(x, y)
                        let coverage = Double(pixel.alpha) / 255 * weight
                        sum += SIMD3(light(pixel.red), light(pixel.green), light(pixel.blue)) * coverage
                        alpha += coverage
                        area += weight
                    }
                }
                let opacity = UInt8(alpha / area * 255 + 0.5)
                guard opacity > 0 else { continue }
                sum /= alpha
                output[targetX, targetY] = RGBA(
                    encoded(min(sum.x, 1)), encoded(min(sum.y, 1)), encoded(min(sum.z, 1)), opacity)
            }
        }
        return output
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

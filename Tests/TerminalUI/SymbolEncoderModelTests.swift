import Glibc
import SpyglassPixels
import Testing

@testable import SpyglassTerminalUI

@Suite("SymbolEncoder: pixels of its cells")
struct SymbolEncoderModelTests {
    /// Encodes pixels as half a cell each, and passes each with the colour that its cell shows there.
    private func readBack(
        _ buffer: PixelBuffer, _ blocks: inout SymbolEncoder, _ check: (RGBA, CellColor) -> Bool
    ) {
        var halves = PixelBuffer(size: PixelSize(width: buffer.size.width * 2, height: buffer.size.height))
        for y in 0..<halves.size.height { for x in 0..<halves.size.width { halves[x, y] = buffer[x / 2, y] } }
        let image = blocks.cells(of: halves)
        #expect(image.columns == buffer.size.width && image.rows == SymbolSet.half.rowCount(of: buffer.size))
        for y in 0..<image.rows * 2 {
            for x in 0..<buffer.size.width {
                let cell = image.cells[y / 2 * image.columns + x]
                let half: Unicode.Scalar = y % 2 == 0 ? "▀" : "▄"
                let shown = cell.scalar == half.value ? cell.style.foreground : cell.style.background
                // An odd row below the image repeats the last one.
                #expect(check(buffer[x, min(y, buffer.size.height - 1)], shown), "pixel \(x),\(y) is \(shown)")
            }
        }
    }

    @Test("Truecolor pixels read back exactly, transparent ones as default")
    func truecolor() {
        var generator = Seeded(1)
        var blocks = SymbolEncoder(depth: .truecolor)
        for _ in 0..<300 {
            readBack(randomPicture(&generator, alphas: [0, 255]), &blocks) { pixel, shown in
                shown == (pixel.alpha == 0 ? .terminalDefault : .rgb(RGB(pixel.red, pixel.green, pixel.blue)))
            }
        }
    }

    @Test(
        "Pixels read back as the palette's nearest colour",
        arguments: [ColorDepth.palette16, .palette256])
    func palettes(_ depth: ColorDepth) {
        var generator = Seeded(2)
        var blocks = SymbolEncoder(depth: depth)
        let reference = ReferencePalette(depth)
        for _ in 0..<100 {
            readBack(randomPicture(&generator, alphas: [0, 255]), &blocks) { pixel, shown in
                guard pixel.alpha == 255 else { return shown == .terminalDefault }
                guard let index = shown.paletteIndex else { return false }
                return reference.isNearest(Int(index), to: pixel)
            }
        }
    }

    @Test("Every colour of a palette is nearest to itself", arguments: [ColorDepth.palette16, .palette256])
    func paletteColors(_ depth: ColorDepth) {
        var blocks = SymbolEncoder(depth: depth)
        for (index, color) in ReferencePalette(depth).colors {
            readBack(picture([[color]]), &blocks) { _, shown in shown == .palette(UInt8(index)) }
        }
    }
}

/// OKLab's distance to each colour of a palette, in double precision.
private struct ReferencePalette {
    let colors: [Int: RGBA]

    init(_ depth: ColorDepth) {
        let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
        var colors: [Int: RGBA] = [:]
        if depth == .palette16 {
            for (index, color) in TerminalPalette.xterm.sixteen.enumerated() {
                colors[index] = RGBA(color.red, color.green, color.blue)
            }
        } else {
            for index in 16..<232 {
                let cube = index - 16
                colors[index] = RGBA(levels[cube / 36], levels[cube / 6 % 6], levels[cube % 6])
            }
            for index in 232..<256 {
                let level = UInt8(8 + 10 * (index - 232))
                colors[index] = RGBA(level, level, level)
            }
        }
        self.colors = colors
    }

    /// Whether no other colour is nearer to the pixel, rounded to six bits a channel.
    func isNearest(_ index: Int, to pixel: RGBA) -> Bool {
        func rounded(_ channel: UInt8) -> UInt8 { channel & 0xFC | channel >> 6 }
        let target = Self.lab(RGBA(rounded(pixel.red), rounded(pixel.green), rounded(pixel.blue)))
        func distance(_ color: RGBA) -> Double {
            let difference = Self.lab(color) - target
            return (difference * difference).sum()
        }
        guard let chosen = colors[index], let least = colors.values.map(distance).min() else { return false }
        return distance(chosen) <= least + 1e-6
    }

    private static func lab(_ color: RGBA) -> SIMD3<Double> {
        func linear(_ byte: UInt8) -> Double {
            let value = Double(byte) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        let (r, g, b) = (linear(color.red), linear(color.green), linear(color.blue))
        let l = pow(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b, 1.0 / 3)
        let m = pow(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b, 1.0 / 3)
        let s = pow(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b, 1.0 / 3)
        return SIMD3(
            0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            2 * (1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s),
            2 * (0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s))
    }
}

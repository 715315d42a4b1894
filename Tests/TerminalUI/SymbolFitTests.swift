import SpyglassPixels
import Testing

@testable import SpyglassTerminalUI

@Suite("SymbolFit")
struct SymbolFitTests {
    private static let fine: [SymbolSet] = [.quadrant, .sextant, .octant]

    /// A row of cells: noise, few colours, and smooth ones as in a photograph.
    private func row(_ symbols: SymbolSet, _ cells: Int, _ generator: inout Seeded) -> PixelBuffer {
        var image = PixelBuffer(
            size: PixelSize(width: cells * symbols.grid.width, height: symbols.grid.height))
        for cell in 0..<cells {
            let range = [4, 40, 255][Int.random(in: 0...2, using: &generator)]
            let (base, slope) = (Int.random(in: 0...255 - range, using: &generator), cell % 3 * 20 - 20)
            for y in 0..<symbols.grid.height {
                for x in 0..<symbols.grid.width {
                    func channel() -> UInt8 {
                        UInt8(clamping: base + Int.random(in: 0...range, using: &generator) + slope * (x + y))
                    }
                    image[cell * symbols.grid.width + x, y] = RGBA(channel(), channel(), channel())
                }
            }
        }
        return image
    }

    private func light(_ color: RGB) -> SIMD3<Double> {
        func channel(_ byte: UInt8) -> Double { Double(LinearLight.ofSRGB[Int(byte)]) }
        return SIMD3(channel(color.red), channel(color.green), channel(color.blue))
    }

    private func squared(_ difference: SIMD3<Double>) -> Double { (difference * difference).sum() }

    /// The means of the sub-pixels inside a pattern and outside.
    private func means(_ values: [SIMD3<Double>], _ pattern: Int) -> (inside: SIMD3<Double>, outside: SIMD3<Double>) {
        func mean(_ side: Int) -> SIMD3<Double> {
            let values = values.enumerated().filter { pattern >> $0.offset & 1 == side }.map(\.element)
            return values.isEmpty ? .zero : values.reduce(.zero, +) / Double(values.count)
        }
        return (mean(1), mean(0))
    }

    /// The squared error of a pattern with the means of its sides.
    private func error(_ values: [SIMD3<Double>], _ pattern: Int) -> Double {
        let (inside, outside) = means(values, pattern)
        return values.enumerated().map { squared($1 - (pattern >> $0 & 1 == 1 ? inside : outside)) }.reduce(0, +)
    }

    @Test(
        "Each cell has the pattern of least error in sRGB values and the means of its sides in light", arguments: fine)
    func leastError(_ symbols: SymbolSet) throws {
        var generator = Seeded(11)
        let (width, count) = (symbols.grid.width, symbols.grid.pixelCount)
        // One character each for a pattern and its complement, and a space.
        let patterns = Dictionary(
            uniqueKeysWithValues: (0..<1 << count - 1).map { (symbols.table.glyphs[$0], $0) })
        var blocks = SymbolEncoder(symbols, depth: .truecolor)
        for cells in [1, 2, 3, 4, 5, 31, 200] {
            let image = row(symbols, cells, &generator)
            for (column, cell) in blocks.cells(of: image).cells.enumerated() {
                let pixels = (0..<count).map { image[column * width + $0 % width, $0 / width] }
                let lights = pixels.map { light(RGB($0.red, $0.green, $0.blue)) }
                let values = pixels.map { SIMD3(Double($0.red), Double($0.green), Double($0.blue)) }
                let pattern = try #require(patterns[cell.scalar])
                let fit = means(lights, pattern)
                let outside = light(try #require(cell.style.background.channels))
                let isSpace = cell.scalar == Cell.space
                let inside = light(try #require((isSpace ? cell.style.background : cell.style.foreground).channels))
                // A cell of one colour may hide a difference of half a byte on each side.
                guard pattern != 0 else {
                    #expect(lights.allSatisfy { squared($0 - outside).squareRoot() < 3000 })
                    continue
                }
                let least = (0..<1 << count - 1).map { error(values, $0) }.min() ?? 0
                #expect(error(values, pattern) <= least * 1.0001 + 0.01)
                // Each side is its mean, rounded to bytes.
                func isRounded(_ light: SIMD3<Double>, _ mean: SIMD3<Double>) -> Bool {
                    (0..<3).allSatisfy { channel in
                        let byte = LinearLight.sRGB(Int(mean[channel].rounded()))
                        let near = Int(byte) - 1...Int(byte) + 1
                        return near.contains(Int(LinearLight.sRGB(Int(light[channel]))))
                    }
                }
                #expect(isRounded(inside, fit.inside) && isRounded(outside, fit.outside))
            }
        }
    }

    private func frame(
        _ rows: [[RGBA?]], _ symbols: SymbolSet, _ depth: ColorDepth = .truecolor, _ glyphs: GlyphSet = .utf8
    ) -> String {
        var blocks = SymbolEncoder(symbols, depth: depth, glyphs: glyphs)
        return readable(blocks.encode(picture(rows)))
    }

    @Test("Exchanged sides are the complement, so that no colour is sent again, and where few terminals draw a symbol")
    func complements() {
        let rows: [[RGBA?]] = Array(repeating: [red, blue, blue, red, red, red], count: 4)
        for symbols in [SymbolSet.quadrant, .octant] {
            #expect(
                frame(Array(rows.prefix(symbols.grid.height)), symbols)
                    == "\\e[38;2;255;0;0;48;2;0;0;255m▌▐\\e[48;2;255;0;0m \\e[0m\\n\n")
        }
        let rare: [[RGBA?]] = [[red, blue], [blue, blue], [blue, blue], [blue, blue]]
        #expect(frame(rare, .octant) == "\\e[38;2;0;0;255;48;2;255;0;0m\u{1CDE5}\\e[0m\\n\n")
    }

    @Test("Transparent sub-pixels show the default background, others their mean")
    func transparency() {
        let corner: [[RGBA?]] = [[red, nil], [nil, nil], [nil, nil], [nil, nil]]
        for (rows, symbols, cell) in [
            ([[white, nil], [nil, nil]], .quadrant, "38;2;255;255;255;49m▘"),
            ([[nil, black], [black, nil]], .quadrant, "38;2;0;0;0;49m▞"),
            ([[white, black], [nil, nil]], .quadrant, "38;2;188;188;188;49m▀"),
            ([[nil, nil], [nil, nil]], .quadrant, "49m "), (corner, .octant, "38;2;255;0;0;49m▘"),
        ] as [([[RGBA?]], SymbolSet, String)] { #expect(frame(rows, symbols) == "\\e[\(cell)\\e[0m\\n\n") }
    }

    @Test("The last cells repeat the image's edge", arguments: SymbolSet.allCases)
    func incompleteCells(_ symbols: SymbolSet) {
        let rows: [[RGBA?]] = Array(repeating: [red, red, blue], count: symbols.grid.height) + [[green, green, green]]
        #expect(
            frame(rows, symbols)
                == "\\e[48;2;255;0;0m \\e[48;2;0;0;255m \\e[0m\\n\n\\e[48;2;0;255;0m  \\e[0m\\n\n")
    }

    @Test("A half-block splits its cell where the error is smaller, and shows the background in a transparent half")
    func halves() {
        for (rows, cell) in [
            ([[red, red], [blue, blue]], "38;2;255;0;0;48;2;0;0;255m▀"),
            ([[red, blue], [red, blue]], "38;2;255;0;0;48;2;0;0;255m▌"),
            ([[nil, red], [nil, red]], "38;2;255;0;0;49m▐"), ([[nil, nil], [nil, red]], "38;2;188;0;0;49m▄"),
            ([[nil, red], [red, red]], "38;2;188;0;0;48;2;255;0;0m▀"),
        ] as [([[RGBA?]], String)] { #expect(frame(rows, .half) == "\\e[\(cell)\\e[0m\\n\n") }
    }

    @Test("Without colour or symbols a cell is its mean")
    func means() {
        let rows: [[RGBA?]] = [[white, black], [black, white], [white, black], [black, white]]
        // Half the light of white.
        #expect(frame(rows, .octant, .truecolor, .ascii) == "\\e[48;2;188;188;188m \\e[0m\\n\n")
        #expect(frame(rows, .octant, .monochrome) == "▓\\n\n")
        #expect(frame(rows, .octant, .monochrome, .ascii) == "#\\n\n")
    }
}

import SpyglassPixels
import SpyglassTerminalUI

func readable(_ bytes: TerminalBytes) -> String { readable(bytes.raw) }

/// Readable bytes: ESC as `\e`, a newline as `\n` and a newline, other controls in hex.
func readable(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar in
        switch scalar {
        case "\u{1B}": "\\e"
        case "\n": "\\n\n"
        case "\u{0}"..<"\u{20}", "\u{7F}"..."\u{9F}": "\\x\(String(scalar.value, radix: 16))"
        default: String(scalar)
        }
    }.joined()
}

/// An image from its rows; `nil` is a transparent pixel.
func picture(_ rows: [[RGBA?]]) -> PixelBuffer {
    var buffer = PixelBuffer(size: PixelSize(width: rows[0].count, height: rows.count))
    for (y, row) in rows.enumerated() {
        for (x, pixel) in row.enumerated() {
            if let pixel { buffer[x, y] = pixel }
        }
    }
    return buffer
}

/// An image of few colours with these alphas, so that many pixels are equal.
func randomPicture(_ generator: inout Seeded, alphas: [UInt8]) -> PixelBuffer {
    func channel() -> UInt8 { UInt8.random(in: 0...255, using: &generator) }
    let colors = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
        RGBA(channel(), channel(), channel(), alphas.randomElement(using: &generator) ?? 255)
    }
    let size = PixelSize(
        width: Int.random(in: 1...12, using: &generator), height: Int.random(in: 1...9, using: &generator))
    var buffer = PixelBuffer(size: size)
    for y in 0..<size.height {
        for x in 0..<size.width { buffer[x, y] = colors.randomElement(using: &generator) ?? white }
    }
    return buffer
}

let red = RGBA(255, 0, 0)
let green = RGBA(0, 255, 0)
let blue = RGBA(0, 0, 255)
let white = RGBA(255, 255, 255)
let black = RGBA(0, 0, 0)

/// Reproducible pseudorandom numbers (SplitMix64).
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

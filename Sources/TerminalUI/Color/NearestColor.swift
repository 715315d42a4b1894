internal import Glibc
internal import SpyglassPixels

/// Finds the palette colour nearest in OKLab, cached by six bits a channel.
struct NearestColor: Sendable {
    let colors: [PaletteColor]
    /// The SGR index of the first colour.
    private let first: Int
    private let response: OKLab.Response
    private let labs: [SIMD4<Float>]
    /// By `PackedPixel.sixBitKey`: the position in `colors` plus one, or 0 if not searched yet.
    private var cache: [UInt8]
    /// Linear light of each value of six bits.
    private let lights: [Float]

    /// Prepares the palette of a depth; truecolor and monochrome have none and must not be searched.
    init(_ depth: ColorDepth, _ palette: TerminalPalette = .xterm, forAverages: Bool = false) {
        let colors: [RGB] =
            switch depth {
            case .monochrome, .truecolor: []
            case .palette16: palette.sixteen
            case .palette256: TerminalPalette.cubeAndGreys
            }
        self.colors = colors.map(PaletteColor.init)
        first = depth == .palette256 ? 16 : 0
        // Cube roots exaggerate the differences of dark colours: with 256, averages come 4 % nearer without.
        let response = forAverages && depth == .palette256 ? OKLab.Response.squareRoot : .cubeRoot
        self.response = response
        labs = self.colors.map { OKLab.color($0.light, response) }
        cache = [UInt8](repeating: 0, count: colors.isEmpty ? 0 : 1 << (3 * 6))
        lights = colors.isEmpty ? [] : forAverages ? DiffusionLevels.lights : Self.lights
    }

    /// Six bits spread over eight, so that 0 stays 0 and 63 becomes 255.
    private static let lights: [Float] = (0..<64).map { six in
        Float(LinearLight.ofSRGB[six << 2 | six >> 4]) / Float(LinearLight.maximum)
    }

    /// Returns the SGR index of the colour nearest to a pixel.
    mutating func index(of pixel: PackedPixel) -> UInt8 { UInt8(first + position(at: Int(pixel.sixBitKey))) }

    /// Returns the position in `colors` of the nearest colour; light beyond 0...1 favours colours that have it.
    mutating func position(of light: SIMD4<Float>, _ levels: DiffusionLevels) -> Int {
        let (red, green, blue) = levels[light]
        return position(at: red | green << 6 | blue << 12)
    }

    private mutating func position(at key: Int) -> Int {
        if cache[key] == 0 { cache[key] = UInt8(search(key) + 1) }
        return Int(cache[key]) - 1
    }

    private func search(_ key: Int) -> Int {
        let light = SIMD4(lights[key & 0x3F], lights[key >> 6 & 0x3F], lights[key >> 12 & 0x3F], 0)
        let shown = light.clamped(lowerBound: .zero, upperBound: .one)
        // Light beyond 0...1: a colour's product with it lowers its squared distance in linear light.
        let excess = 2 * (light - shown)
        let lab = OKLab.color(shown, response)
        var best = (distance: Float.infinity, at: 0)
        for at in labs.indices {
            let difference = labs[at] - lab
            let distance = (difference * difference - colors[at].light * excess).sum()
            if distance < best.distance { best = (distance, at) }
        }
        return best.at
    }
}

/// Six-bit levels of linear light from -1 to 2: 52 within sRGB, six on either side for diffused errors.
struct DiffusionLevels: Sendable {
    private static let excess: [Float] = [0.02, 0.06, 0.15, 0.3, 0.55, 0.9]
    /// Linear light of every fifth byte of sRGB, so that each colour of the palette of 256 is nearest to itself.
    static let lights = around(stride(from: 0, through: 255, by: 5).map { light(ofByte: $0) }, excess)
    /// The limits between levels.
    private static let thresholds = around(
        stride(from: 2, through: 252, by: 5).map { (light(ofByte: $0) + light(ofByte: $0 + 1)) / 2 },
        zip([0] + excess, excess).map { ($0 + $1) / 2 })

    private static func around(_ lights: [Float], _ excess: [Float]) -> [Float] {
        excess.reversed().map { -$0 } + lights + excess.map { 1 + $0 }
    }

    private static func light(ofByte byte: Int) -> Float {
        Float(LinearLight.ofSRGB[byte]) / Float(LinearLight.maximum)
    }

    /// By light in steps of 1/4096 from -1 to 2.
    private let table: [UInt8]
    private static let steps = 4096
    private static let all: [UInt8] = {
        var value = 0
        return (0...3 * steps).map { step in
            let light = Float(step) / Float(steps) - 1
            while value < thresholds.count, light >= thresholds[value] { value += 1 }
            return UInt8(value)
        }
    }()

    init() { table = Self.all }

    @inline(__always)
    subscript(light: SIMD4<Float>) -> (red: Int, green: Int, blue: Int) {
        let range = light.replacing(with: -1, where: light .< -1).replacing(with: 2, where: light .> 2)
        // Added to 2^23, numbers have no bits below 1, and are the low bits of the sum.
        let index = unsafeBitCast((range + 1) * Float(Self.steps) + 0x80_0000, to: SIMD4<UInt32>.self) & 0x7F_FFFF
        return (Int(table[Int(index.x)]), Int(table[Int(index.y)]), Int(table[Int(index.z)]))
    }
}

/// A colour of a palette, in the forms that error diffusion needs.
struct PaletteColor: Sendable {
    let pixel: PackedPixel
    /// Red, green and blue in linear light from 0 to 1, and 0.
    let light: SIMD4<Float>
    /// The square roots of `light`, whose differences look about equally large.
    let roots: SIMD4<Float>

    init(_ color: RGB) {
        pixel = PackedPixel(color)
        light = SIMD4(pixel.linear, 0)
        roots = light.squareRoot()
    }
}

/// Björn Ottosson's OKLab, scaled so that equal distances look about equally different.
enum OKLab {
    /// How the eye's cones respond to light.
    enum Response {
        /// As OKLab defines it.
        case cubeRoot
        /// Dark colours differ less than in OKLab.
        case squareRoot
    }

    /// OKLab underrates hue and chroma: doubled, as in Color.js' deltaEOK2, a dark sea stays blue instead of grey.
    private static let chroma: Float = 2

    /// Returns lightness, green to red, blue to yellow, and 0.
    ///
    /// The matrices are those of "A perceptual color space for image processing" (2020), revised form.
    static func color(_ rgb: SIMD4<Float>, _ response: Response) -> SIMD4<Float> {
        func cone(_ red: Float, _ green: Float, _ blue: Float) -> Float {
            let light = red * rgb.x + green * rgb.y + blue * rgb.z
            return response == .cubeRoot ? cbrtf(light) : light.squareRoot()
        }
        let l = cone(0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9)
        let m = cone(0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6)
        let s = cone(0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5)
        return SIMD4(
            0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
            chroma * (1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s),
            chroma * (0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s), 0)
    }
}

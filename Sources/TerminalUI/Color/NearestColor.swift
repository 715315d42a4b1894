internal import Glibc
internal import SpyglassPixels

/// Finds the palette colour nearest to a pixel in OKLab, cached by six bits a channel.
struct NearestColor: Sendable {
    /// The palette from `first` on, the SGR index of its first colour.
    let colors: [PaletteColor]
    private let first: Int
    /// By lightness, which bounds a search.
    private let labs: [FourColors]
    /// The position in `colors` of each of `labs`.
    private let order: [UInt8]
    /// Position in `colors` plus one, or 0 if not searched yet; by six bits of blue, green and red.
    private var cache: [UInt8]
    /// Six bits of sRGB by linear light.
    private let levels: [UInt8]
    private static let levelCount = 4096

    private let response: OKLab.Response

    /// Searches the palette of a depth; truecolor and monochrome have none, cost nothing and must not be searched.
    init(_ depth: ColorDepth, _ palette: TerminalPalette = .xterm, _ response: OKLab.Response = .cubeRoot) {
        let colors: [RGB] =
            switch depth {
            case .monochrome, .truecolor: []
            case .palette16: palette.sixteen
            case .palette256: TerminalPalette.cubeAndGreys
            }
        self.colors = colors.map(PaletteColor.init)
        first = depth == .palette256 ? 16 : 0
        self.response = response
        let all = colors.map { OKLab(PackedPixel($0), response) }
        let order = all.indices.sorted { (all[$0].lightness, $0) < (all[$1].lightness, $1) }
        labs = stride(from: 0, to: order.count, by: 4).map { at in FourColors(order[at..<at + 4].map { all[$0] }) }
        self.order = order.map { UInt8($0) }
        cache = [UInt8](repeating: 0, count: colors.isEmpty ? 0 : 1 << (3 * 6))
        levels = colors.isEmpty ? [] : Self.levels
    }

    private static let levels: [UInt8] = (0..<levelCount).map { light in
        UInt8((Int(LinearLight.sRGB(light * LinearLight.maximum / (levelCount - 1))) * 63 + 127) / 255)
    }

    @inline(__always)
    mutating func code(of pixel: PackedPixel) -> ColorCode {
        // The upper six bits of each channel, side by side.
        let red = pixel.number >> 2 & 0x3F
        let green = pixel.number >> 4 & 0xFC0
        let blue = pixel.number >> 6 & 0x3F000
        return ColorCode(number: UInt32(truncatingIfNeeded: first &+ position(at: Int(red | green | blue))))
    }

    /// The position in `colors` of that nearest to linear light, which is clamped to 0...1.
    @inline(__always)
    mutating func position(of light: SIMD4<Float>) -> Int {
        let last = Float(Self.levelCount - 1)
        let clamped = light.replacing(with: 0, where: light .< 0).replacing(with: 1, where: light .> 1)
        // Added to 2^23, numbers have no bits below 1, and are the low bits of the sum.
        let index = unsafeBitCast(clamped * last + 0x80_0000, to: SIMD4<UInt32>.self) & UInt32(Self.levelCount - 1)
        let red = Int(levels[Int(index.x)])
        let green = Int(levels[Int(index.y)])
        let blue = Int(levels[Int(index.z)])
        return position(at: red | green << 6 | blue << 12)
    }

    @inline(__always)
    private mutating func position(at key: Int) -> Int {
        let position = Int(cache[key])
        return position != 0 ? position &- 1 : search(key)
    }

    @inline(never)
    private mutating func search(_ key: Int) -> Int {
        /// Six bits spread over eight, so that 0 stays 0 and 63 becomes 255.
        func spread(_ six: Int) -> UInt8 { UInt8((six & 0x3F) << 2 | (six & 0x3F) >> 4) }
        let lab = OKLab(PackedPixel(RGB(spread(key), spread(key >> 6), spread(key >> 12))), response)
        var best = (distance: Float.infinity, at: 0)
        /// Whether colours farther in lightness may be nearer.
        func compare(_ at: Int, _ lightness: Float) -> Bool {
            let difference = lightness - lab.lightness
            guard difference * difference < best.distance else { return false }
            let distances = labs[at].distance(to: lab)
            guard any(distances .< best.distance) else { return true }
            for lane in 0..<4 where distances[lane] < best.distance { best = (distances[lane], at * 4 + lane) }
            return true
        }
        let middle = labs.firstIndex { $0.lightness[0] > lab.lightness } ?? labs.count
        var (above, below) = (middle, middle - 1)
        while below >= 0, compare(below, min(labs[below].lightness[3], lab.lightness)) { below -= 1 }
        while above < labs.count, compare(above, labs[above].lightness[0]) { above += 1 }
        let position = Int(order[best.at])
        cache[key] = UInt8(position + 1)
        return position
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

/// A colour in Björn Ottosson's OKLab, scaled so that equal distances look about equally different.
struct OKLab {
    /// How the eye's cones respond to light.
    enum Response {
        /// As OKLab defines it.
        case cubeRoot
        /// For the error diffusion of 256 colours: dark ones differ less, and averages come out 4 % nearer.
        case squareRoot
    }

    /// OKLab underrates hue and chroma: doubled, as in Color.js' deltaEOK2, a dark sea stays blue instead of grey.
    private static let chroma: Float = 2
    fileprivate let lightness: Float
    fileprivate let greenRed: Float
    fileprivate let blueYellow: Float

    /// The matrices of "A perceptual color space for image processing" (2020), revised form.
    init(_ pixel: PackedPixel, _ response: Response) {
        let rgb = pixel.linear
        let cones = SIMD3(
            0.412_221_470_8 * rgb.x + 0.536_332_536_3 * rgb.y + 0.051_445_992_9 * rgb.z,
            0.211_903_498_2 * rgb.x + 0.680_699_545_1 * rgb.y + 0.107_396_956_6 * rgb.z,
            0.088_302_461_9 * rgb.x + 0.281_718_837_6 * rgb.y + 0.629_978_700_5 * rgb.z)
        let (l, m, s) =
            switch response {
            case .cubeRoot: (cbrtf(cones.x), cbrtf(cones.y), cbrtf(cones.z))
            case .squareRoot: (cones.x.squareRoot(), cones.y.squareRoot(), cones.z.squareRoot())
            }
        lightness = 0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s
        greenRed = Self.chroma * (1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s)
        blueYellow = Self.chroma * (0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s)
    }
}

/// Four colours in OKLab side by side, so that four distances cost as much as one.
private struct FourColors {
    let lightness: SIMD4<Float>
    private let greenRed: SIMD4<Float>
    private let blueYellow: SIMD4<Float>

    init(_ colors: [OKLab]) {
        lightness = SIMD4(colors.map(\.lightness))
        greenRed = SIMD4(colors.map(\.greenRed))
        blueYellow = SIMD4(colors.map(\.blueYellow))
    }

    @inline(__always)
    func distance(to color: OKLab) -> SIMD4<Float> {
        let l = lightness - color.lightness
        let a = greenRed - color.greenRed
        let b = blueYellow - color.blueYellow
        return l * l + a * a + b * b
    }
}

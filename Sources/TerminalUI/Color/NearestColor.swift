internal import SpyglassPixels

/// Finds the palette colour nearest in OKLab, cached by six bits a channel.
///
/// Returns the code of a pixel, or the position of a colour for error diffusion.
struct NearestColor: Sendable {
    let colors: [PaletteColor]
    /// The SGR index of the first colour.
    private let first: Int
    private let response: OKLab.Response
    /// Sorted by lightness, which bounds a search.
    private let groups: [FourColors]
    /// The position in `colors` of each colour of `groups`.
    private let order: [UInt8]
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
        let all = self.colors.map { ($0.light, OKLab($0.light, response)) }
        let order = all.indices.sorted { (all[$0].1.lightness, $0) < (all[$1].1.lightness, $1) }
        groups = stride(from: 0, to: order.count, by: 4).map { at in FourColors(order[at..<at + 4].map { all[$0] }) }
        self.order = order.map { UInt8($0) }
        cache = [UInt8](repeating: 0, count: colors.isEmpty ? 0 : 1 << (3 * 6))
        lights = colors.isEmpty ? [] : forAverages ? DiffusionLevels.lights : Self.lights
    }

    /// Six bits spread over eight, so that 0 stays 0 and 63 becomes 255.
    private static let lights: [Float] = (0..<64).map { six in
        Float(LinearLight.ofSRGB[six << 2 | six >> 4]) / Float(LinearLight.maximum)
    }

    @inline(__always)
    mutating func code(of pixel: PackedPixel) -> ColorCode {
        ColorCode(number: UInt32(truncatingIfNeeded: first &+ position(at: Int(pixel.sixBitKey))))
    }

    /// Returns the position in `colors` of the nearest colour; light beyond 0...1 favours colours that have it.
    @inline(__always)
    mutating func position(of light: SIMD4<Float>, _ levels: DiffusionLevels) -> Int {
        let (red, green, blue) = levels[light]
        return position(at: red | green << 6 | blue << 12)
    }

    @inline(__always)
    private mutating func position(at key: Int) -> Int {
        let position = Int(cache[key])
        return position != 0 ? position &- 1 : search(key)
    }

    @inline(never)
    private mutating func search(_ key: Int) -> Int {
        let light = SIMD4(lights[key & 0x3F], lights[key >> 6 & 0x3F], lights[key >> 12 & 0x3F], 0)
        let shown = light.clamped(lowerBound: .zero, upperBound: .one)
        // Light beyond 0...1: a colour's product with it lowers its squared distance in linear light.
        let excess = 2 * (light - shown)
        let maxGain = excess.replacing(with: 0, where: excess .< 0).sum()
        let lab = OKLab(shown, response)
        var best = (distance: Float.infinity, at: 0)
        /// Returns whether colours of a greater difference in lightness may be nearer.
        func compare(_ at: Int, _ lightness: Float) -> Bool {
            let difference = lightness - lab.lightness
            guard difference * difference - maxGain < best.distance else { return false }
            let distances = groups[at].distance(to: lab, excess)
            guard any(distances .< best.distance) else { return true }
            for lane in 0..<4 where distances[lane] < best.distance { best = (distances[lane], at * 4 + lane) }
            return true
        }
        let middle = groups.firstIndex { $0.lightness[0] > lab.lightness } ?? groups.count
        var (above, below) = (middle, middle - 1)
        while below >= 0, compare(below, min(groups[below].lightness[3], lab.lightness)) { below -= 1 }
        while above < groups.count, compare(above, groups[above].lightness[0]) { above += 1 }
        let position = Int(order[best.at])
        cache[key] = UInt8(position + 1)
        return position
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

/// Four colours side by side, so that four distances cost as much as one.
private struct FourColors {
    let lightness: SIMD4<Float>
    private let greenRed: SIMD4<Float>
    private let blueYellow: SIMD4<Float>
    private let red: SIMD4<Float>
    private let green: SIMD4<Float>
    private let blue: SIMD4<Float>

    init(_ colors: [(light: SIMD4<Float>, lab: OKLab)]) {
        lightness = SIMD4(colors.map(\.lab.lightness))
        greenRed = SIMD4(colors.map(\.lab.greenRed))
        blueYellow = SIMD4(colors.map(\.lab.blueYellow))
        red = SIMD4(colors.map(\.light.x))
        green = SIMD4(colors.map(\.light.y))
        blue = SIMD4(colors.map(\.light.z))
    }

    /// Squared distances in OKLab, less the part of an excess of light that each colour takes.
    @inline(__always)
    func distance(to color: OKLab, _ excess: SIMD4<Float>) -> SIMD4<Float> {
        let l = lightness - color.lightness
        let a = greenRed - color.greenRed
        let b = blueYellow - color.blueYellow
        return l * l + a * a + b * b - (red * excess.x + green * excess.y + blue * excess.z)
    }
}

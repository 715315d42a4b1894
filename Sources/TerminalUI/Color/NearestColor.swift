internal import Glibc

/// Finds the colour of a terminal's palette that looks nearest to a pixel: by distance in OKLab.
///
/// A colour is first rounded to six bits a channel, and the answer for each of those 262,144 is kept, so that a search
/// is paid once for a colour and nothing before it is needed. Every colour of the palette is nearest to itself.
struct NearestColor: Sendable {
    /// The first index of the palette's part that is searched.
    private let first: Int
    /// The palette in OKLab.
    private let fours: [FourColors]
    /// Position in the palette's part plus one, or 0 where nobody has asked yet; by six bits of blue, green and red.
    private var known: [UInt8]

    private static let bits = 6

    /// No palette, for the depths that need none; costs nothing and must not be asked.
    init() {
        first = 0
        fours = []
        known = []
    }

    /// A search among the given colours, the first of which has the index `first`; at most 255 of them.
    init(_ palette: [RGB], first: Int) {
        self.first = first
        let labs = palette.map { OKLab(PackedPixel($0)) }
        fours = stride(from: 0, to: labs.count, by: 4).map { FourColors(labs[$0..<min($0 + 4, labs.count)]) }
        known = [UInt8](repeating: 0, count: 1 << (3 * Self.bits))
    }

    /// As its ink the index in the terminal's palette of the colour nearest to an opaque pixel.
    @inline(__always)
    mutating func ink(of pixel: PackedPixel) -> ColorCode {
        // The upper six bits of each channel, side by side.
        let red = pixel.number >> 2 & 0x3F
        let green = pixel.number >> 4 & 0xFC0
        let blue = pixel.number >> 6 & 0x3F000
        let key = Int(red | green | blue)
        let position = known[key]
        if position != 0 { return ColorCode(number: UInt32(first) &+ UInt32(position) &- 1) }
        return search(key)
    }

    @inline(never)
    private mutating func search(_ key: Int) -> ColorCode {
        /// Six bits spread over eight, so that 0 stays 0 and 63 becomes 255.
        func spread(_ six: Int) -> UInt8 { UInt8((six & 0x3F) << 2 | (six & 0x3F) >> 4) }
        let lab = OKLab(PackedPixel(RGB(spread(key), spread(key >> 6), spread(key >> 12))))
        var best = SIMD4<Float>(repeating: .infinity)
        var bestAt = SIMD4<Int32>(repeating: 0)
        var at: Int32 = 0
        for four in fours {
            let distance = four.distance(to: lab)
            let isNearer = distance .< best
            best.replace(with: distance, where: isNearer)
            bestAt.replace(with: at, where: isNearer)
            at &+= 4
        }
        var lane = 0
        for other in 1..<4 where best[other] < best[lane] { lane = other }
        let position = Int(bestAt[lane]) + lane
        known[key] = UInt8(position + 1)
        return ColorCode(number: UInt32(first + position))
    }
}

/// A colour in Björn Ottosson's OKLab, scaled so that equal distances look about equally different.
private struct OKLab {
    /// Distances in OKLab underrate hue and chroma; doubled, as Color.js does for its deltaEOK2, a dark sea stays blue
    /// where it would become grey.
    private static let chroma: Float = 2

    let lightness: Float
    let greenRed: Float
    let blueYellow: Float

    /// The matrices are those of "A perceptual color space for image processing" (2020), in its revised form.
    init(_ pixel: PackedPixel) {
        let rgb = pixel.linear
        let l = cbrtf(0.412_221_470_8 * rgb.x + 0.536_332_536_3 * rgb.y + 0.051_445_992_9 * rgb.z)
        let m = cbrtf(0.211_903_498_2 * rgb.x + 0.680_699_545_1 * rgb.y + 0.107_396_956_6 * rgb.z)
        let s = cbrtf(0.088_302_461_9 * rgb.x + 0.281_718_837_6 * rgb.y + 0.629_978_700_5 * rgb.z)
        lightness = 0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s
        greenRed = Self.chroma * (1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s)
        blueYellow = Self.chroma * (0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s)
    }
}

/// Four colours in OKLab side by side, so that four distances cost as much as one.
private struct FourColors {
    private var lightness = Self.nowhere
    private var greenRed = Self.nowhere
    private var blueYellow = Self.nowhere

    /// What stands where there is no colour: so far off that it is never nearest.
    private static var nowhere: SIMD4<Float> { SIMD4(repeating: 1000) }

    /// One to four colours.
    init(_ colors: ArraySlice<OKLab>) {
        for (lane, color) in colors.enumerated() {
            lightness[lane] = color.lightness
            greenRed[lane] = color.greenRed
            blueYellow[lane] = color.blueYellow
        }
    }

    /// The squares of the distances to one colour.
    @inline(__always)
    func distance(to color: OKLab) -> SIMD4<Float> {
        let l = lightness - color.lightness
        let a = greenRed - color.greenRed
        let b = blueYellow - color.blueYellow
        return l * l + a * a + b * b
    }
}

/// The palettes of xterm.
enum XtermPalette {
    /// Colours 0 to 15 as xterm has them without configuration (XTerm-col.ad).
    ///
    /// Users change these, and nothing in the environment says how.
    static let sixteen: [RGB] = [
        RGB(0, 0, 0), RGB(205, 0, 0), RGB(0, 205, 0), RGB(205, 205, 0),
        RGB(0, 0, 238), RGB(205, 0, 205), RGB(0, 205, 205), RGB(229, 229, 229),
        RGB(127, 127, 127), RGB(255, 0, 0), RGB(0, 255, 0), RGB(255, 255, 0),
        RGB(92, 92, 255), RGB(255, 0, 255), RGB(0, 255, 255), RGB(255, 255, 255),
    ]

    /// Colours 16 to 255, which are the same everywhere: a cube of six levels, then 24 greys (256colres.h).
    static var cubeAndGreys: [RGB] {
        let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
        let cube = levels.flatMap { red in
            levels.flatMap { green in levels.map { blue in RGB(red, green, blue) } }
        }
        let greys = (0..<24).map { step in
            let level = UInt8(8 + 10 * step)
            return RGB(level, level, level)
        }
        return cube + greys
    }
}

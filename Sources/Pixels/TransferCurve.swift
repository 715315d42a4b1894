internal import Glibc

/// How an eight-bit value stands for an amount of light.
public enum TransferCurve: Hashable, Sendable {
    /// The piecewise curve of IEC 61966-2-1.
    case sRGB
    /// A power law: light is `(value / 255) ^ exponent`; an exponent that is not above 0 counts as 0. A PNG with `gAMA` g has the exponent 1 / g.
    case gamma(Double)

    /// The light of each eight-bit value, on a scale from 0 to 65,535.
    ///
    /// For a power law that is 256 evaluations of `pow`, about 10 µs.
    func light() -> [UInt16] {
        switch self {
        case .sRGB: LinearLight.ofSRGB
        case .gamma(let exponent):
            (0...255).map { LinearLight.rounded(pow(Double($0) / 255, exponent > 0 ? exponent : 0)) }
        }
    }
}

/// Linear light on a scale from 0 to 65,535, and its way back to eight sRGB-encoded bits.
///
/// The darkest two sRGB values lie 19.9 apart on that scale, so every eight-bit value survives the way there and back.
public enum LinearLight {
    /// The greatest amount of light.
    public static let maximum = 65_535

    /// The light of each sRGB-encoded value.
    public static let ofSRGB: [UInt16] = (0...255).map { rounded(decoded(Double($0) / 255)) }

    /// The sRGB encoding of `light`, which is clamped to the scale.
    ///
    /// Exactly rounded, at the cost of one table look-up and one comparison.
    public static func sRGB(_ light: Int) -> UInt8 {
        encoder.encode(light)
    }

    /// The tables of the way back, to be held in a loop over many pixels.
    static let encoder = Encoder()

    /// IEC 61966-2-1: sRGB-encoded 0...1 to light 0...1.
    static func decoded(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    static func rounded(_ light: Double) -> UInt16 {
        UInt16(min(max(light, 0), 1) * Double(maximum) + 0.5)
    }

    /// Finds the eight-bit value whose light is nearest in the encoded domain.
    ///
    /// Light is cut into 4,096 steps of 16. Thresholds between neighbouring values lie at least 19 apart, so a step holds one at the most:
    /// the value at the start of the step, or the next one.
    struct Encoder: Sendable {
        private static let stepBits = 4
        private let atStepStart: [UInt8]
        /// The least light that is encoded as value + 1; the last is out of reach.
        private let thresholdAbove: [UInt32]

        init() {
            var thresholds = (0..<255).map { value in
                UInt32((LinearLight.decoded((Double(value) + 0.5) / 255) * Double(maximum)).rounded(.up))
            }
            thresholds.append(.max)
            var value = 0
            atStepStart = (0...(maximum >> Self.stepBits)).map { step in
                while thresholds[value] <= UInt32(step << Self.stepBits) { value += 1 }
                return UInt8(value)
            }
            thresholdAbove = thresholds
        }

        @inline(always)
        func encode(_ light: Int) -> UInt8 {
            let light = min(max(light, 0), maximum)
            let value = atStepStart[light >> Self.stepBits]
            return UInt32(light) >= thresholdAbove[Int(value)] ? value + 1 : value
        }
    }
}

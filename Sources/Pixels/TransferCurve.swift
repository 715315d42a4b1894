internal import Glibc

/// The curve from an eight-bit value to light.
package enum TransferCurve: Hashable, Sendable {
    /// The piecewise curve of IEC 61966-2-1.
    case sRGB
    /// A power law: light is `(value / 255) ^ exponent`, with negative exponents counted as 0; for a PNG's `gAMA` g it is 1 / g.
    case gamma(Double)

    /// From 0 to 65,535; a power law costs 256 evaluations of `pow`, about 10 µs.
    func light() -> [UInt16] {
        switch self {
        case .sRGB: LinearLight.ofSRGB
        case .gamma(let exponent):
            (0...255).map { LinearLight.rounded(pow(Double($0) / 255, exponent > 0 ? exponent : 0)) }
        }
    }
}

/// Linear light from 0 to 65,535, and its conversion to sRGB bytes.
///
/// The darkest two sRGB values are 19.9 apart, so every byte survives a round trip.
package enum LinearLight {
    /// The brightest light.
    package static let maximum = 65_535

    /// The light of each sRGB byte.
    package static let ofSRGB: [UInt16] = (0...255).map { rounded(decoded(Double($0) / 255)) }

    /// Converts light, clamped to the scale, to an sRGB byte.
    ///
    /// Exactly rounded; costs a table look-up and a comparison.
    package static func sRGB(_ light: Int) -> UInt8 { encoder.encode(light) }

    /// To be held in a loop over many pixels.
    static let encoder = Encoder()

    /// IEC 61966-2-1: converts an sRGB value to light, both 0...1.
    static func decoded(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    static func rounded(_ light: Double) -> UInt16 { UInt16(min(max(light, 0), 1) * Double(maximum) + 0.5) }

    /// Finds the byte whose light is nearest in the encoded domain: steps of 16 have at most one threshold.
    struct Encoder: Sendable {
        private static let stepBits = 4
        private let atStepStart: [UInt8]
        /// The minimum light of value + 1; the last entry is unreachable.
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

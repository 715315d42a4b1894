internal import Glibc

extension ColorProfile {
    /// Whether primaries and curves equal IEC 61966-2-1's, to about one of 255 steps; false for profiles with a table.
    var isSRGB: Bool {
        guard space == .rgb, content.name(at: 20) == "XYZ ", !hasTable else { return false }
        for (tag, wanted) in Self.primaries {
            guard let color = self.tag(tag), color.count >= 20, color.name(at: 0) == "XYZ " else { return false }
            for (index, value) in wanted.enumerated() {
                guard let found = try? color.fixed(at: 8 + 4 * index),
                    abs(found - value) <= Self.primaryTolerance
                else { return false }
            }
        }
        guard let red = tag("rTRC"), let green = tag("gTRC"), let blue = tag("bTRC") else { return false }
        func isCurve(_ tag: BinaryReader) -> Bool { ToneCurve(tag).map(Self.isCurveOfSRGB) ?? false }
        // Usually all three share one.
        return isCurve(red) && [green, blue].allSatisfy { $0.bytes.indices == red.bytes.indices || isCurve($0) }
    }

    private static func isCurveOfSRGB(_ curve: ToneCurve) -> Bool {
        (0...curveSamples).allSatisfy { sample in
            let value = Double(sample) / Double(curveSamples)
            return abs(encoded(curve.light(value)) - value) <= curveTolerance
        }
    }

    /// IEC 61966-2-1: light 0...1 to sRGB-encoded 0...1.
    private static func encoded(_ light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    /// The primaries of sRGB, adapted to D50 (Bradford), as in profiles.
    private static let primaries: [(FourCC, [Double])] = [
        ("rXYZ", [0.43607, 0.22249, 0.01392]), ("gXYZ", [0.38515, 0.71687, 0.09708]),
        ("bXYZ", [0.14307, 0.06061, 0.71410]),
    ]
    /// Tolerance in linear light; the primaries of Display P3 differ by 0.08.
    private static let primaryTolerance = 0.002
    private static let curveSamples = 32
    /// Tolerance of the encoded value; gamma 2.2 differs by 7 steps in the shadows.
    private static let curveTolerance = 1.0 / 255
}

internal import Glibc

/// The window that samples are weighed by: sinc(x) sinc(x / 3) within three lobes.
enum LanczosKernel {
    /// Lobes to each side of the centre.
    static let lobes = 3.0
    /// Points of the table from one lobe to the next: a straight line between two of them is off by less than 2e-6, a seventh
    /// of the finest weight.
    private static let density = 1024

    private static let table: [Double] = (0...Int(lobes) * density + 1).map { exact(Double($0) / Double(density)) }

    /// The value at `x`, 0 beyond the lobes.
    static func value(_ x: Double) -> Double {
        let place = min(abs(x), lobes) * Double(density)
        let index = Int(place)
        let rest = place - Double(index)
        return table[index] + (table[index + 1] - table[index]) * rest
    }

    /// The definition.
    static func exact(_ x: Double) -> Double {
        if x == 0 { return 1 }
        guard abs(x) < lobes else { return 0 }
        let angle = Double.pi * x
        return sin(angle) * sin(angle / lobes) * lobes / (angle * angle)
    }
}

internal import Glibc

/// The window that samples are weighed by: sinc(x) sinc(x / 3) within three lobes.
enum LanczosKernel {
    /// Lobes to each side of the centre.
    static let lobes = 3.0
    /// Points of the table from one lobe to the next: a straight line between two of them is off by less than 2e-6, a seventh
    /// of the finest weight.
    private static let density = 1024

    private static let table: [Double] = (0...Int(lobes) * density + 1).map { exact(Double($0) / Double(density)) }

    /// The window where it is asked for many values in a row: the table is found once.
    struct Table {
        fileprivate let values: UnsafeBufferPointer<Double>

        /// The value at `x`, 0 beyond the lobes.
        func value(_ x: Double) -> Double {
            let place = min(abs(x), lobes) * Double(density)
            let index = Int(place)
            let rest = place - Double(index)
            return values[index] + (values[index + 1] - values[index]) * rest
        }
    }

    /// Gives the table to `body`, behind which it is not to be used.
    static func withTable<Result>(_ body: (Table) -> Result) -> Result {
        table.withUnsafeBufferPointer { body(Table(values: $0)) }
    }

    /// The value at `x`, 0 beyond the lobes.
    static func value(_ x: Double) -> Double { withTable { $0.value(x) } }

    /// The definition.
    static func exact(_ x: Double) -> Double {
        if x == 0 { return 1 }
        guard abs(x) < lobes else { return 0 }
        let angle = Double.pi * x
        return sin(angle) * sin(angle / lobes) * lobes / (angle * angle)
    }
}

internal import Glibc

/// The Lanczos window: sinc(x) sinc(x / 3) within three lobes.
enum LanczosKernel {
    static let lobes = 3.0
    /// Table points per lobe: linear interpolation is off by less than 2e-6, a seventh of the finest weight.
    private static let density = 1024

    private static let table: [Double] = (0...Int(lobes) * density + 1).map { exact(Double($0) / Double(density)) }

    struct Table {
        fileprivate let values: UnsafeBufferPointer<Double>

        func value(_ x: Double) -> Double {
            let position = min(abs(x), lobes) * Double(density)
            let index = Int(position)
            let rest = position - Double(index)
            return values[index] + (values[index + 1] - values[index]) * rest
        }
    }

    static func withTable<Result>(_ body: (Table) -> Result) -> Result {
        table.withUnsafeBufferPointer { body(Table(values: $0)) }
    }

    static func value(_ x: Double) -> Double { withTable { $0.value(x) } }

    static func exact(_ x: Double) -> Double {
        if x == 0 { return 1 }
        guard abs(x) < lobes else { return 0 }
        let angle = Double.pi * x
        return sin(angle) * sin(angle / lobes) * lobes / (angle * angle)
    }
}

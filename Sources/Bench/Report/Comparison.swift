/// Measurements compared with a baseline.
///
/// A benchmark has regressed when its cost relative to the baseline exceeds
/// - 1.10 in instructions, where both runs counted them,
/// - or 1.25 x (1 + spread now + spread then), at most 2, in time: the spreads explain that much,
/// - or 1.01 in counts: bytes, hits.
///
/// Time counts, too, since waiting costs no instructions.
package struct Comparison: Hashable, Sendable {
    struct Cost: Hashable, Sendable {
        let quantity: Baseline.Quantity
        let ratio: Double
        /// The maximum ratio that is not a regression.
        let limit: Double

        var excess: Double { ratio / limit }
    }

    package struct Line: Hashable, Sendable {
        package let name: String
        let baseline: SavedReport.Entry
        /// The time or the count now / then.
        let ratio: Double
        /// Instructions, likewise; `nil` where one of the runs did not count them.
        let instructionRatio: Double?
        /// The cost with the largest excess among those that can be compared.
        let worst: Cost?

        package var isRegression: Bool { worst.map { $0.excess > 1 } ?? false }

        /// `decode.jpeg.full: 1.31x the baseline time (limit 1.27x)`.
        package var message: String? {
            guard let worst, isRegression else { return nil }
            return "\(name): \(NumberText.ratio(worst.ratio))x the baseline \(worst.quantity.rawValue) "
                + "(limit \(NumberText.ratio(worst.limit))x)"
        }
    }

    package let lines: [Line]
    /// Benchmarks that the baseline lacks, or has in another unit.
    package let onlyHere: [String]
    /// Benchmarks of the same parts that this run lacks, or has in another unit.
    package let onlySaved: [String]

    package init(_ results: [Measurement], against baseline: Baseline) {
        lines = results.compactMap { baseline.line(for: $0) }
        let common = Set(lines.map(\.name))
        let parts = Set(results.map(\.part))
        onlyHere = results.map(\.name).filter { !common.contains($0) }
        onlySaved = baseline.saved.entries.map(\.name).filter {
            !common.contains($0) && parts.contains(Measurement.part(of: $0))
        }
    }

    package var regressions: [Line] { lines.filter(\.isRegression) }
    func line(_ name: String) -> Line? { lines.first { $0.name == name } }
}

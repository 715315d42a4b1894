/// The figures of a run beside those of a saved one.
///
/// A figure is worse when it costs, as a share of what it cost then,
/// - more than 1.10 in instructions, where both runs counted them,
/// - or more than 1.25 x (1 + spread now + spread then), at most twice, in time: what the samples of either run do not agree on
///   explains that much,
/// - or more than 1.01 in what is counted and not timed: bytes, hits.
///
/// Time is looked at beside instructions: a lock that is held too long, or memory that must be fetched, costs no instructions. What is
/// timed is taken a second time before it is called worse, and the better take counts.
package struct Comparison: Hashable, Sendable {
    /// What a figure costs beside the saved run, in one quantity.
    package struct Cost: Hashable, Sendable {
        let quantity: Baseline.Quantity
        /// As a share of what it cost then.
        let ratio: Double
        /// Up to which ratio nothing is said.
        let most: Double

        init(_ quantity: Baseline.Quantity, _ ratio: Double, most: Double) {
            self.quantity = quantity
            self.ratio = ratio
            self.most = most
        }

        /// The ratio as a share of the one that is allowed.
        var excess: Double { ratio / most }
    }

    /// A figure that both have.
    package struct Line: Hashable, Sendable {
        package let name: String
        let saved: SavedReport.Entry
        /// The time or the count now as a share of that then.
        let ratio: Double
        /// Instructions, the same; `nil` where one of the two did not count them.
        let instructionRatio: Double?
        /// The cost that is furthest beyond what is allowed, or nearest to it; `nil` where none decides.
        let worst: Cost?

        /// Whether that is too much.
        package var isRegression: Bool { worst.map { $0.excess > 1 } ?? false }
    }

    /// In the order of the run.
    package let lines: [Line]
    /// Figures that the saved run has not, or has in another unit.
    package let onlyHere: [String]
    /// Figures of the same parts that this run has not, or has in another unit.
    package let onlySaved: [String]

    /// Compares by name.
    package init(_ results: [Measurement], against baseline: Baseline) {
        lines = results.compactMap { baseline.line(for: $0) }
        let common = Set(lines.map(\.name))
        let parts = Set(results.map(\.part))
        onlyHere = results.map(\.name).filter { !common.contains($0) }
        onlySaved = baseline.saved.entries.map(\.name).filter {
            !common.contains($0) && parts.contains(Measurement.part(of: $0))
        }
    }

    /// The figures that cost too much more than before.
    package var regressions: [Line] { lines.filter(\.isRegression) }

    /// The line of a figure, if both have it.
    func line(_ name: String) -> Line? { lines.first { $0.name == name } }
}

extension Comparison.Line {
    /// What people are told of a figure that is worse: `decode.jpeg.full: 1.31 times the time of the saved run (1.27 would pass)`.
    package var message: String? {
        guard let worst, isRegression else { return nil }
        return "\(name): \(NumberText.ratio(worst.ratio)) times the \(worst.quantity.rawValue) of the saved run "
            + "(\(NumberText.ratio(worst.most)) would pass)"
    }
}

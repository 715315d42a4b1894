/// The figures of a run beside those of a saved one.
package struct Comparison: Hashable, Sendable {
    /// A figure that both have.
    package struct Line: Hashable, Sendable {
        package let name: String
        /// What it costs now as a share of what it cost then: by instructions where both counted them, else by time or by what is counted.
        package let ratio: Double
        /// Whether the ratio is that of instructions.
        package let isOfInstructions: Bool
        /// Whether that is too much.
        package let isWorse: Bool
    }

    /// In the order of the run.
    package let lines: [Line]

    /// How much instructions, and what is counted, may grow.
    static let mostGrowth = 1.10
    /// How much a time may grow, which no machine keeps as steady.
    static let mostTimeGrowth = 1.25

    /// Compares by name; what only one of them has, or has in another unit, is left out.
    package init(_ results: [Measurement], against saved: SavedRun) {
        lines = results.compactMap { figure in
            guard let old = saved.figures[figure.name], old.unit == figure.unit.rawValue else { return nil }
            if let now = figure.instructions, let then = old.instructions, then > 0 {
                return Line(figure.name, now / then, isOfInstructions: true, most: Self.mostGrowth)
            }
            let ratio = figure.unit.cost(of: figure.value, beside: old.value)
            guard ratio.isFinite else { return nil }
            return Line(
                figure.name, ratio, isOfInstructions: false,
                most: figure.unit.isTimed ? Self.mostTimeGrowth : Self.mostGrowth)
        }
    }

    /// The figures that cost too much more than before.
    package var worse: [Line] { lines.filter(\.isWorse) }
}

extension Comparison.Line {
    fileprivate init(_ name: String, _ ratio: Double, isOfInstructions: Bool, most: Double) {
        self.init(name: name, ratio: ratio, isOfInstructions: isOfInstructions, isWorse: ratio > most)
    }

    /// For people: `decode.jpeg.full: 1.31 times the instructions of the saved run`.
    package var sentence: String {
        "\(name): \(FigureText.ratio(ratio)) times the \(isOfInstructions ? "instructions" : "cost") of the saved run"
    }
}

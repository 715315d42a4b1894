/// A saved report that measurements are compared with, and which quantities can be compared.
package struct Baseline: Hashable, Sendable {
    /// The cost of a benchmark; counts, of bytes and hits, are the same in every run.
    enum Quantity: String, Hashable, Sendable {
        case instructions, time, count
    }

    let saved: SavedReport
    private let comparable: Set<Quantity>
    package let warnings: [String]

    /// Instructions vary by some percent with the kernel and with alignment.
    static let maxInstructions = 1.10
    /// For time, besides what the spreads explain.
    static let maxTime = 1.25
    /// For time, whatever the spreads.
    static let maxNoisyTime = 2.0
    /// For counts; saved ones are rounded.
    static let maxCount = 1.01

    /// Times need the same effort and hardware, instructions the same architecture.
    package init(_ saved: SavedReport, for machine: Machine, _ conditions: RunConditions) throws(BenchError) {
        guard let then = saved.conditions else {
            throw BenchError("cannot compare: saved by an older version, without the conditions of the run")
        }
        guard then.build == conditions.build else {
            throw BenchError("cannot compare: from a \(then.build) build; this is a \(conditions.build) build")
        }
        if let saved = then.images, let images = conditions.images, saved != images {
            throw BenchError("cannot compare: measured other images (\(saved)); these are \(images)")
        }
        if let fetched = then.addresses, let addresses = conditions.addresses, fetched != addresses {
            throw BenchError("cannot compare: fetched other URLs (\(fetched)); these are \(addresses)")
        }
        var warnings: [String] = []
        var comparable: Set<Quantity> = [.instructions, .time, .count]
        if then.effort != conditions.effort {
            warnings.append("measured with \(then.effort) effort, this run with \(conditions.effort) effort")
            comparable.remove(.time)
        }
        if !machine.hardware.isKnown || saved.hardware != machine.hardware {
            let place = saved.hardware?.description ?? "another machine"
            warnings.append("measured on \(place), this run on \(machine.hardware)")
            comparable.remove(.time)
            if saved.hardware?.architecture != machine.hardware.architecture { comparable.remove(.instructions) }
        }
        if !comparable.contains(.time) {
            let rest = comparable.contains(.instructions) ? "instructions and counts" : "counts"
            warnings[warnings.count - 1] += ": comparing only \(rest)"
        }
        self.saved = saved
        self.comparable = comparable
        self.warnings = warnings
    }

    /// Compares a measurement; `nil` where the saved report has none of the same name and unit.
    package func line(for result: Measurement) -> Comparison.Line? {
        guard let old = saved.entries.first(where: { $0.name == result.name && $0.unit == result.unit.rawValue })
        else { return nil }
        // Both may be 0, which has no quotient.
        let ratio = result.value == old.value ? 1 : result.unit.cost(of: result.value, relativeTo: old.value)
        let instructionRatio: Double? =
            if let now = result.instructions, let then = old.instructions, then > 0 { now / then } else { nil }
        var costs: [Comparison.Cost] = []
        if let instructionRatio {
            costs.append(.init(quantity: .instructions, ratio: instructionRatio, limit: Self.maxInstructions))
        }
        if result.unit.isTimed {
            let limit = min(Self.maxTime * (1 + result.spread + old.spread), Self.maxNoisyTime)
            costs.append(.init(quantity: .time, ratio: ratio, limit: limit))
        } else {
            costs.append(.init(quantity: .count, ratio: ratio, limit: Self.maxCount))
        }
        return Comparison.Line(
            name: result.name, baseline: old, ratio: ratio, instructionRatio: instructionRatio,
            worst: costs.filter { comparable.contains($0.quantity) }.max { $0.excess < $1.excess })
    }

    package func hasAny(of names: [String]) -> Bool { saved.entries.contains { names.contains($0.name) } }

    /// Whether to measure a second time before reporting a regression; counts would be the same.
    package func needsRemeasuring(_ result: Measurement) -> Bool {
        result.unit.isTimed && line(for: result)?.isRegression == true
    }

    package func better(of first: Measurement, _ second: Measurement) -> Measurement {
        func excess(_ result: Measurement) -> Double { line(for: result)?.worst?.excess ?? 0 }
        return excess(second) < excess(first) ? second : first
    }
}

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

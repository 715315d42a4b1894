/// A saved run that figures are held against, and what of it decides.
///
///     let baseline = try Baseline(saved, for: machine, conditions)
///     let line = baseline.line(for: figure)
package struct Baseline: Hashable, Sendable {
    /// What a figure costs.
    package enum Quantity: String, Hashable, Sendable {
        case instructions, time
        /// What is counted and comes out the same every time: bytes, hits.
        case count
    }

    let saved: SavedReport
    /// What may say that a figure is worse.
    private let deciding: Set<Quantity>
    /// What the user must know of the comparison, a sentence each, without their ends.
    package let warnings: [String]

    /// How much instructions may grow: the same work takes some percent more or less on another kernel or with another alignment.
    static let maxInstructions = 1.10
    /// How much a time may grow, beside what the spreads explain.
    static let maxTime = 1.25
    /// How much it may grow whatever the spreads are: nobody calls a run twice as slow the same.
    static let maxNoisyTime = 2.0
    /// How much a count may grow; saved ones are rounded.
    static let maxCount = 1.01

    /// Looks at what the two runs have in common.
    ///
    /// With another effort, or on another machine, times say nothing; on another architecture instructions do not either.
    ///
    /// - Throws: `BenchError` where nothing could be compared: another build, other pictures, other addresses, an older program.
    package init(_ saved: SavedReport, for machine: Machine, _ conditions: RunConditions) throws(BenchError) {
        guard let then = saved.conditions else {
            throw BenchError("it is of an older program, which did not say how it was taken, and cannot be compared")
        }
        guard then.build == conditions.build else {
            throw BenchError("it is of a \(then.build) build, and this is a \(conditions.build) build")
        }
        if let saved = then.pictures, let pictures = conditions.pictures, saved != pictures {
            throw BenchError("it is of other pictures: \(saved); here they are \(pictures)")
        }
        if let fetched = then.addresses, let addresses = conditions.addresses, fetched != addresses {
            throw BenchError("it is of other addresses: \(fetched); here they are \(addresses)")
        }
        var warnings: [String] = []
        var deciding: Set<Quantity> = [.instructions, .time, .count]
        if then.effort != conditions.effort {
            warnings.append("it was taken with the \(then.effort) effort, and this is the \(conditions.effort) one")
            deciding.remove(.time)
        }
        if !machine.hardware.isKnown || saved.hardware != machine.hardware {
            let place = saved.hardware?.description ?? "another machine"
            warnings.append("it was taken on \(place), and this is \(machine.hardware)")
            deciding.remove(.time)
            if saved.hardware?.architecture != machine.hardware.architecture { deciding.remove(.instructions) }
        }
        if !deciding.contains(.time) {
            let rest = deciding.contains(.instructions) ? "instructions and counts" : "counts"
            warnings[warnings.count - 1] += ": only \(rest) decide"
        }
        self.saved = saved
        self.deciding = deciding
        self.warnings = warnings
    }

    /// A figure beside that of the saved run; `nil` where that has none of the same name and unit.
    package func line(for figure: Measurement) -> Comparison.Line? {
        guard let old = saved.entries.first(where: { $0.name == figure.name && $0.unit == figure.unit.rawValue })
        else { return nil }
        // No bytes or no hits then and now are the same, which a quotient does not know.
        let ratio = figure.value == old.value ? 1 : figure.unit.cost(of: figure.value, relativeTo: old.value)
        let instructionRatio: Double? =
            if let now = figure.instructions, let then = old.instructions, then > 0 { now / then } else { nil }
        var costs: [Comparison.Cost] = []
        if let instructionRatio { costs.append(.init(.instructions, instructionRatio, most: Self.maxInstructions)) }
        if figure.unit.isTimed {
            let most = min(Self.maxTime * (1 + figure.spread + old.spread), Self.maxNoisyTime)
            costs.append(.init(.time, ratio, most: most))
        } else {
            costs.append(.init(.count, ratio, most: Self.maxCount))
        }
        return Comparison.Line(
            name: figure.name, saved: old, ratio: ratio, instructionRatio: instructionRatio,
            worst: costs.filter { deciding.contains($0.quantity) }.max { $0.excess < $1.excess })
    }

    /// Whether the saved run has a figure of one of these names.
    package func hasAny(of names: [String]) -> Bool {
        let saved = Set(saved.entries.map(\.name))
        return names.contains { saved.contains($0) }
    }

    /// Whether a figure should be taken again before it is called worse: counts would come out the same.
    package func needsRemeasuring(_ figure: Measurement) -> Bool {
        figure.unit.isTimed && line(for: figure)?.isRegression == true
    }

    /// The one of two takes of a figure that is nearer to what is allowed, or further below.
    package func better(of first: Measurement, _ second: Measurement) -> Measurement {
        func excess(_ figure: Measurement) -> Double { line(for: figure)?.worst?.excess ?? 0 }
        return excess(second) < excess(first) ? second : first
    }
}

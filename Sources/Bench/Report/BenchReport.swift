internal import SpyglassJSON

package struct BenchReport: Hashable, Sendable {
    package var machine: Machine
    package let conditions: RunConditions
    package var results: [Measurement]

    package init(_ machine: Machine, _ conditions: RunConditions, _ results: [Measurement]) {
        self.machine = machine
        self.conditions = conditions
        self.results = results
    }

    /// One line of JSON with six significant digits; a comparison adds baseline values and costs.
    package func json(against comparison: Comparison? = nil) -> String {
        let lines = results.map { Self.json($0, comparison?.line($0.name)) }
        return JSONText.object([
            ("machine", machine.json), ("run", conditions.json), ("results", JSONText.array(lines)),
        ])
    }

    private static func json(_ result: Measurement, _ line: Comparison.Line?) -> String {
        let members: [(name: String, value: String)?] = [
            ("name", JSONText.string(result.name)), ("value", number(result.value)),
            ("unit", JSONText.string(result.unit.rawValue)), ("spread", number(result.spread)),
            ("samples", JSONText.number(result.samples)),
            // The member keeps its name for reports that were saved before.
            result.reference.map { ("rival", JSONText.string($0)) },
            result.ratio.map { ("ratio", number($0)) }, result.ratioSpread.map { ("ratio_spread", number($0)) },
            result.instructions.map { ("instructions", number($0)) }, result.cycles.map { ("cycles", number($0)) },
            line.map { ("against", json($0)) },
        ]
        return JSONText.object(members.compactMap(\.self))
    }

    private static func json(_ line: Comparison.Line) -> String {
        var members = [("value", number(line.baseline.value)), ("cost", number(line.ratio))]
        if let ratio = line.instructionRatio { members.append(("instruction_cost", number(ratio))) }
        members.append(("worse", line.isRegression ? "true" : "false"))
        return JSONText.object(members)
    }

    /// A number with six significant digits; `null` if it is not finite.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        guard value != 0 else { return "0" }
        var unit = 1.0
        // Powers of ten up to 10^22 are exact.
        while abs(value) * unit < 100_000, unit < 1e15 { unit *= 10 }
        let rounded = (value * unit).rounded() / unit
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
    }
}

extension Machine {
    fileprivate var json: String {
        let counters = countersError.map { "none: \($0)" } ?? "perf_event"
        return JSONText.object([
            ("os", JSONText.string(system)), ("kernel", JSONText.string(kernel)),
            ("architecture", JSONText.string(hardware.architecture)), ("cpu", JSONText.string(hardware.processor)),
            ("cores", JSONText.number(hardware.cores)), ("memory_bytes", JSONText.number(memory)),
            ("swift", JSONText.string(swift)), ("spyglass", JSONText.string(spyglass)),
            ("counters", JSONText.string(counters)),
        ])
    }
}

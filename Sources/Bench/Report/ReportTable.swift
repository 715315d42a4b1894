internal import SpyglassBatch

package enum ReportTable {
    /// A comparison adds columns with the saved value and the cost.
    package static func text(_ report: BenchReport, against comparison: Comparison? = nil) -> String {
        let header = [
            "benchmark", "value", "unit", "spread", "samples", "reference", "ratio", "instructions", "baseline", "cost",
            "instr. cost",
        ]
        let rows = report.results.map { result in
            let line = comparison?.line(result.name)
            return [
                result.name, NumberText.value(result.value), result.unit.rawValue,
                result.unit.isTimed ? NumberText.percent(result.spread) : "", "\(result.samples)",
                result.reference ?? "", ratio(of: result), result.instructions.map(NumberText.value) ?? "",
                line.map { NumberText.value($0.baseline.value) } ?? "", line.map { NumberText.ratio($0.ratio) } ?? "",
                line?.instructionRatio.map(NumberText.ratio) ?? "",
            ]
        }
        return aligned([header] + rows) + "\n" + notes(report, comparison)
    }

    private static func ratio(of result: Measurement) -> String {
        guard let ratio = result.ratio else { return "" }
        let spread = result.ratioSpread.map { $0 >= 0.1 ? " ±\(NumberText.percent($0 / 2))" : "" } ?? ""
        return NumberText.ratio(ratio) + spread
    }

    /// Aligns text left and numbers right; omits empty columns.
    private static func aligned(_ rows: [[String]]) -> String {
        let columns = rows[0].indices.filter { column in rows.dropFirst().contains { !$0[column].isEmpty } }
        let widths = rows[0].indices.map { column in rows.map(\.[column].count).max() ?? 0 }
        return rows.map { row in
            var line = columns.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return textColumns.contains(column) ? row[column] + padding : padding + row[column]
            }.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }

    private static let textColumns = [0, 2, 5]

    private static func notes(_ report: BenchReport, _ comparison: Comparison?) -> String {
        let machine = report.machine
        let run = report.conditions
        var text = "\(machine.hardware), \(machine.system), \(machine.kernel)\n"
        text += "spyglass \(machine.spyglass), \(run.build) build, \(run.effort) effort"
        text += (run.images.map { ", \($0)" } ?? "") + (run.addresses.map { ", \($0)" } ?? "") + "\n"
        if report.results.contains(where: { $0.ratio != nil }) {
            text += "ratio: reference cost / Spyglass cost; the C libraries and memcpy are lower bounds\n"
        }
        if report.results.contains(where: { $0.instructions != nil }) {
            text += "instructions: user space, for each pixel, image, hit or the like\n"
        } else if let error = machine.countersError {
            text += "instructions are not counted (perf_event_open: \(error))\n"
        }
        if comparison?.lines.isEmpty == false {
            text += "baseline: the value in the saved report; cost: time or count / that of the baseline\n"
        }
        return text
    }
}

enum NumberText {
    /// At least three significant digits, thousands separated: `0.0123`, `1.23`, `123`, `12,345`.
    static func value(_ value: Double) -> String {
        let size = abs(value)
        switch size {
        case 100...: return size < 1e15 ? Int(value.rounded()).grouped : "\(value)"
        case 10..<100: return fixed(value, digits: 1)
        case 1..<10: return fixed(value, digits: 2)
        case 0: return "0"
        default: return fixed(value, digits: 4)
        }
    }

    static func ratio(_ ratio: Double) -> String { fixed(ratio, digits: 2) }
    static func percent(_ share: Double) -> String { "\(fixed(share * 100, digits: 1)) %" }

    private static func fixed(_ value: Double, digits: Int) -> String {
        var unit = 1
        for _ in 0..<digits { unit *= 10 }
        let scaled = (abs(value) * Double(unit)).rounded()
        guard scaled < 1e15 else { return "\(value)" }
        let (whole, rest) = Int(scaled).quotientAndRemainder(dividingBy: unit)
        let fraction = String("\(unit + rest)".dropFirst())
        return "\(value < 0 ? "-" : "")\(whole.grouped).\(fraction)"
    }
}

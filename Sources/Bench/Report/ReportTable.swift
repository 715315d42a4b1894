/// Figures as an aligned table, and below it where they were taken.
package enum ReportTable {
    /// Lines that end with a newline; a comparison adds columns with what each figure was in a saved run, and costs beside it.
    package static func text(_ report: BenchReport, against comparison: Comparison? = nil) -> String {
        let header = [
            "figure", "value", "unit", "spread", "samples", "beside", "ratio", "instructions", "saved", "cost",
            "instr. cost",
        ]
        let rows = report.results.map { figure in
            let line = comparison?.line(figure.name)
            return [
                figure.name, NumberText.value(figure.value), figure.unit.rawValue,
                figure.unit.isTimed ? NumberText.percent(figure.spread) : "", "\(figure.samples)",
                figure.reference ?? "",
                ratio(of: figure), figure.instructions.map(NumberText.value) ?? "",
                line.map { NumberText.value($0.saved.value) } ?? "", line.map { NumberText.ratio($0.ratio) } ?? "",
                line?.instructionRatio.map(NumberText.ratio) ?? "",
            ]
        }
        return aligned([header] + rows) + "\n" + sentences(report, comparison)
    }

    /// How far ahead of the reference, with its spread where that matters.
    private static func ratio(of figure: Measurement) -> String {
        guard let ratio = figure.ratio else { return "" }
        let spread = figure.ratioSpread.map { $0 >= 0.1 ? " ±\(NumberText.percent($0 / 2))" : "" } ?? ""
        return NumberText.ratio(ratio) + spread
    }

    /// The columns that are words begin at the left, numbers end at the right; a column that is empty below its heading is left out.
    private static func aligned(_ rows: [[String]]) -> String {
        let columns = rows[0].indices.filter { column in rows.dropFirst().contains { !$0[column].isEmpty } }
        let widths = rows[0].indices.map { column in rows.map(\.[column].count).max() ?? 0 }
        let lines = rows.map { row in
            let cells = columns.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return words.contains(column) ? row[column] + padding : padding + row[column]
            }
            return cells.joined(separator: "  ").trimmedAtEnd + "\n"
        }
        return lines.joined()
    }

    /// Name, unit and reference.
    private static let words = [0, 2, 5]

    private static func sentences(_ report: BenchReport, _ comparison: Comparison?) -> String {
        let machine = report.machine
        let run = report.conditions
        var text = "\(machine.hardware), \(machine.system), \(machine.kernel)\n"
        text += "spyglass \(machine.spyglass), \(run.build) build, \(run.effort) effort"
        text += (run.pictures.map { ", \($0)" } ?? "") + (run.addresses.map { ", \($0)" } ?? "") + "\n"
        if report.results.contains(where: { $0.ratio != nil }) {
            text +=
                "ratio: what the one beside costs as a multiple of ours; above 1 we are ahead; the C library and memcpy are floors\n"
        }
        if report.results.contains(where: { $0.instructions != nil }) {
            text += "instructions: for each pixel, image, hit and the like, in user space\n"
        } else if let refusal = machine.countersError {
            text += "instructions are not counted here (perf_event_open: \(refusal))\n"
        }
        if comparison?.lines.isEmpty == false {
            text += "saved: the figure of the saved run; cost: the time or the count as a multiple of that then\n"
        }
        return text
    }
}

extension String {
    fileprivate var trimmedAtEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

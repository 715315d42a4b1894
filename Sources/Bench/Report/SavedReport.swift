internal import SpyglassJSON

package struct SavedReport: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        let name: String
        let value: Double
        let unit: String
        /// As `Measurement.spread`; 0 where the file has none.
        let spread: Double
        let instructions: Double?
    }

    let entries: [Entry]
    let hardware: Machine.Hardware?
    /// `nil` for reports of older versions.
    let conditions: RunConditions?

    /// Reads what `BenchReport.json` writes.
    package init(parsing bytes: [UInt8]) throws(BenchError) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: bytes) } catch {
            throw BenchError("not a saved report: \(error.description) at byte \(error.offset)")
        }
        guard let machine = value["machine"], case .array(let results)? = value["results"] else {
            throw BenchError("not a saved report: no \"machine\" or no \"results\"")
        }
        var entries: [Entry] = []
        var names: Set<String> = []
        for result in results {
            guard let entry = Entry(result) else {
                throw BenchError("not a saved report: a result has no valid name, value or unit")
            }
            guard names.insert(entry.name).inserted else {
                throw BenchError("not a saved report: two results named \(entry.name)")
            }
            entries.append(entry)
        }
        self.entries = entries
        hardware = Machine.Hardware(machine)
        conditions = value["run"].flatMap { RunConditions($0) }
    }
}

extension SavedReport.Entry {
    fileprivate init?(_ result: JSONValue) {
        guard let name = result["name"]?.text, let unit = result["unit"]?.text,
            let value = result["value"]?.amount, value > 0 || Unit(rawValue: unit)?.isTimed != true
        else { return nil }
        self.init(
            name: name, value: value, unit: unit, spread: result["spread"]?.amount ?? 0,
            instructions: result["instructions"]?.amount)
    }
}

extension Machine.Hardware {
    fileprivate init?(_ machine: JSONValue) {
        guard let architecture = machine["architecture"]?.text, let processor = machine["cpu"]?.text,
            let cores = machine["cores"]?.integer
        else { return nil }
        self.init(architecture: architecture, processor: processor, cores: cores)
    }
}

extension JSONValue {
    /// A finite number from 0 with at most 40 digits.
    fileprivate var amount: Double? {
        guard case .number(let digits) = self, digits.utf8.count <= 40, let number = Double(digits), number >= 0,
            number.isFinite
        else { return nil }
        return number
    }
}

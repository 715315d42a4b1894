internal import SpyglassJSON

/// The figures of an earlier run, as far as they are compared.
package struct SavedReport: Hashable, Sendable {
    /// One of them.
    package struct Entry: Hashable, Sendable {
        let name: String
        let value: Double
        let unit: String
        /// As `Measurement.spread`; 0 where the file does not say.
        let spread: Double
        let instructions: Double?
    }

    /// In the order of the file, each name once.
    let entries: [Entry]
    /// Where they were taken, as far as the file says.
    let hardware: Machine.Hardware?
    /// How they were taken; `nil` for a run of a program that did not say it yet.
    let conditions: RunConditions?

    /// Reads what `BenchReport.json` writes.
    ///
    /// - Throws: `BenchError` when it is something else, or has two figures of one name.
    package init(parsing bytes: [UInt8]) throws(BenchError) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: bytes) } catch {
            throw BenchError("it is no saved run: \(error.description) at byte \(error.offset)")
        }
        guard let machine = value["machine"], case .array(let results)? = value["results"] else {
            throw BenchError("it is no saved run: it has no \"machine\" or no \"results\"")
        }
        var figures: [Entry] = []
        var names: Set<String> = []
        for result in results {
            guard let figure = Entry(result) else {
                throw BenchError("it is no saved run: a result lacks its name, value or unit, or they make no sense")
            }
            guard names.insert(figure.name).inserted else {
                throw BenchError("it has two figures of the name \(figure.name)")
            }
            figures.append(figure)
        }
        self.entries = figures
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
    /// A number from 0; `nil` for what is none, and for digits that no figure has.
    fileprivate var amount: Double? {
        guard case .number(let digits) = self, digits.utf8.count <= 40, let number = Double(digits), number >= 0,
            number.isFinite
        else { return nil }
        return number
    }
}

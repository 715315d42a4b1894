internal import SpyglassJSON

/// The figures of an earlier run, as far as they are compared.
package struct SavedRun: Hashable, Sendable {
    /// One of them.
    struct Figure: Hashable, Sendable {
        let value: Double
        let unit: String
        let instructions: Double?
    }

    let figures: [String: Figure]

    /// Reads what `BenchReport.json` writes.
    ///
    /// - Throws: `BenchError` when it is something else.
    package init(parsing bytes: [UInt8]) throws(BenchError) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: bytes) } catch {
            throw BenchError("it is no saved run: \(error.description) at byte \(error.offset)")
        }
        guard value["machine"] != nil, case .array(let results)? = value["results"] else {
            throw BenchError("it is no saved run: it has no \"machine\" or no \"results\"")
        }
        var figures: [String: Figure] = [:]
        for result in results {
            guard let name = result["name"]?.text, let unit = result["unit"]?.text,
                let value = result["value"]?.double
            else { throw BenchError("it is no saved run: a result lacks its name, value or unit") }
            figures[name] = Figure(value: value, unit: unit, instructions: result["instructions"]?.double)
        }
        self.figures = figures
    }
}

extension JSONValue {
    fileprivate var double: Double? {
        guard case .number(let digits) = self, digits.utf8.count <= 40 else { return nil }
        return Double(digits)
    }
}

import SpyglassCatalog
import SpyglassBench

/// The parts that `bench` measures, by its first operand.
struct BenchParts: Sendable {
    let parts: [BenchPart]

    private static let all = "all"

    static var names: [String] { BenchPart.allCases.map(\.rawValue) + [all] }

    /// `all` includes `fetch` only with URLs.
    init(_ operand: Argument?, hasAddresses: Bool) throws(Failure) {
        let alternatives = Values.alternatives(Self.names)
        guard let name = operand?.text else { throw .usage("bench needs a part: \(alternatives)") }
        if name == Self.all {
            parts = BenchPart.allCases.filter { $0 != .fetch || hasAddresses }
        } else if let part = BenchPart(rawValue: name) {
            parts = [part]
        } else {
            let advice = EditDistance.suggestion(for: name, among: Self.names) ?? "expected \(alternatives)"
            throw .usage("unknown bench part \(name); \(advice)")
        }
        guard parts.contains(.fetch) == hasAddresses else {
            throw .usage(
                hasAddresses
                    ? "--urls is for bench fetch and bench all" : "bench fetch needs URLs: --urls FILE, one a line")
        }
    }
}

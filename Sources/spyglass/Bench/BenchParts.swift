import SpyglassBench

/// Which parts `bench` measures, by its first operand.
struct BenchParts: Sendable {
    let parts: [BenchPart]

    /// What the operand is where everything is measured.
    private static let all = "all"

    /// What the first operand can be.
    static var names: [String] { BenchPart.allCases.map(\.rawValue) + [all] }

    /// Of everything, what needs addresses is left out where there are none.
    init(_ operand: Argument?, hasAddresses: Bool) throws(Failure) {
        let alternatives = Values.alternatives(Self.names)
        guard let name = operand?.text else { throw .usage("bench needs a part: \(alternatives)") }
        if name == Self.all {
            parts = BenchPart.allCases.filter { $0 != .fetch || hasAddresses }
        } else if let part = BenchPart(rawValue: name) {
            parts = [part]
        } else {
            let advice = EditDistance.suggestion(for: name, among: Self.names) ?? "it has \(alternatives)"
            throw .usage("bench has no part \(name); \(advice)")
        }
        guard parts.contains(.fetch) == hasAddresses else {
            throw .usage(
                hasAddresses
                    ? "--urls is for bench fetch and bench all" : "bench fetch needs addresses: --urls FILE, one a line"
            )
        }
    }
}

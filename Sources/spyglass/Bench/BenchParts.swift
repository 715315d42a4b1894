import SpyglassBench

/// Which parts `bench` measures, by its first operand.
struct BenchParts: Sendable {
    let parts: [BenchPart]

    /// What the operand is where everything is measured.
    private static let all = "all"

    /// What the first operand can be.
    static var names: [String] { BenchPart.allCases.map(\.rawValue) + [all] }

    init(_ operand: Argument?) throws(Failure) {
        let alternatives = Values.alternatives(Self.names)
        guard let name = operand?.text else { throw .usage("bench needs a part: \(alternatives)") }
        if name == Self.all {
            parts = BenchPart.allCases
        } else if let part = BenchPart(rawValue: name) {
            parts = [part]
        } else {
            let nearest = EditDistance.nearest(to: name, among: Self.names)
            throw .usage(
                "bench has no part \(name); " + (nearest.map { "did you mean \($0)?" } ?? "it has \(alternatives)"))
        }
    }
}

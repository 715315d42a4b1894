/// What `spyglass cache` can be asked to do.
enum CacheTask: String, CaseIterable, Sendable {
    case stats, verify, trim, clear, path

    /// The task that the operands name.
    init(_ operands: [Argument]) throws(Failure) {
        let names = Values.alternatives(CacheTask.allCases.map(\.rawValue))
        guard let name = operands.first?.text else { throw .usage("cache needs a task: \(names)") }
        guard let task = CacheTask(rawValue: name) else {
            let advice = EditDistance.suggestion(for: name, among: CacheTask.allCases.map(\.rawValue))
            throw .usage("cache has no task \(name); \(advice ?? "it has \(names)")")
        }
        guard operands.count == 1 else { throw .usage("cache does one task at a time: \(names)") }
        self = task
    }
}

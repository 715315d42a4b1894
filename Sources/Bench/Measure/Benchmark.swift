/// A figure that can be taken, by its name.
struct Benchmark {
    /// Begins with the part.
    let name: String
    private let taken: (Sampler) throws -> Measurement

    /// A figure of how long work takes, beside that of somebody else where there is one.
    static func timed(
        _ name: String, _ unit: Unit, reference: String? = nil, _ works: @escaping () throws -> (Workload, Workload?)
    ) -> Benchmark {
        Benchmark(name: name) { sampler in
            let (work, other) = try works()
            return try sampler.measure(
                name, unit, work, reference: reference.flatMap { reference in other.map { (reference, $0) } })
        }
    }

    /// A figure that is counted and not timed, which is the same every time.
    static func counted(
        _ name: String, _ unit: Unit, _ count: @escaping () throws -> (value: Double, reference: (String, Double)?)
    ) -> Benchmark {
        Benchmark(name: name) { _ in
            let (value, reference) = try count()
            var figure = Measurement(name, value, unit)
            figure.reference = reference?.0
            figure.ratio = reference.map { unit.cost(of: $0.1, relativeTo: value) }
            return figure
        }
    }

    private init(name: String, taken: @escaping (Sampler) throws -> Measurement) {
        self.name = name
        self.taken = taken
    }

    /// Takes it; what it needs is made here and let go afterwards.
    func run(with sampler: Sampler) throws -> Measurement { try taken(sampler) }
}

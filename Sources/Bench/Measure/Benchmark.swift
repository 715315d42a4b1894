/// A figure that can be taken, by its name.
struct Benchmark {
    /// Begins with the part.
    let name: String
    private let taken: (Sampler) throws -> Measurement

    /// A figure of how long work takes, beside that of somebody else where there is one.
    static func timed(
        _ name: String, _ unit: Unit, beside rival: String? = nil, _ works: @escaping () throws -> (Workload, Workload?)
    ) -> Benchmark {
        Benchmark(name: name) { sampler in
            let (work, other) = try works()
            return try sampler.measure(
                name, unit, work, beside: rival.flatMap { rival in other.map { (rival, $0) } })
        }
    }

    /// A figure that is counted and not timed, which is the same every time.
    static func counted(
        _ name: String, _ unit: Unit, _ count: @escaping () throws -> (value: Double, rival: (String, Double)?)
    ) -> Benchmark {
        Benchmark(name: name) { _ in
            let (value, rival) = try count()
            var figure = Measurement(name, value, unit)
            figure.rival = rival?.0
            figure.ratio = rival.map { unit.cost(of: $0.1, beside: value) }
            return figure
        }
    }

    private init(name: String, taken: @escaping (Sampler) throws -> Measurement) {
        self.name = name
        self.taken = taken
    }

    /// Takes it; what it needs is made here and let go afterwards.
    func take(with sampler: Sampler) throws -> Measurement { try taken(sampler) }
}

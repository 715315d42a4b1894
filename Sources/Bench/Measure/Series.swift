/// Samples of one quantity.
struct Series {
    private(set) var samples: [Double] = []

    mutating func add(_ sample: Double) { samples.append(sample) }

    var count: Int { samples.count }

    /// The middle of the samples; 0 without any.
    var median: Double { quantile(0.5) }

    /// The distance between the quartiles as a share of the median; 0 where the median is.
    var spread: Double {
        let median = median
        return median == 0 ? 0 : (quantile(0.75) - quantile(0.25)) / median
    }

    /// The value below which that share of the samples lies, between two of them in proportion.
    private func quantile(_ share: Double) -> Double {
        let sorted = samples.sorted()
        guard let last = sorted.indices.last else { return 0 }
        let place = share * Double(last)
        let below = Int(place)
        let above = min(below + 1, last)
        return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
    }
}

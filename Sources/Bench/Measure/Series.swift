/// Samples of one quantity.
struct Series {
    /// In ascending order, so that quantiles need no sorting.
    private var samples: [Double] = []

    /// Takes a sample in; the cost is that of moving the larger ones by one place.
    mutating func add(_ sample: Double) {
        var (low, high) = (0, samples.count)
        while low < high {
            let middle = (low + high) / 2
            if samples[middle] <= sample { low = middle + 1 } else { high = middle }
        }
        samples.insert(sample, at: low)
    }

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
        guard let last = samples.indices.last else { return 0 }
        let place = share * Double(last)
        let below = Int(place)
        let above = min(below + 1, last)
        return samples[below] + (samples[above] - samples[below]) * (place - Double(below))
    }
}

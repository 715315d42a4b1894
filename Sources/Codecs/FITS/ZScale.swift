internal import SpyglassPixels

/// The black and white of a sample of an image: a line is fitted to the sorted values, outliers apart.
///
/// Equals astropy's `ZScaleInterval`, which follows IRAF's `zscale`.
enum ZScale {
    static let sampleCount = 1000
    private static let contrast = 0.25
    private static let minPixels = 5
    private static let maxRejected = 0.5
    /// In standard deviations.
    private static let rejection = 2.5
    private static let maxPasses = 5

    static func limits(of sample: [Double]) -> (black: Double, white: Double) {
        let values = sample.sorted()
        guard let least = values.first, let most = values.last else { return (0, 1) }
        let count = values.count
        let minCount = max(minPixels, Int(Double(count) * maxRejected))
        let width = max(1, count / 100)
        var isGood = [Bool](repeating: true, count: count)
        var (good, before, slope) = (count, count + 1, 0.0)
        for _ in 0..<maxPasses where good < before && good >= minCount {
            let line = fit(values, where: isGood)
            slope = line.slope
            let rest = values.indices.map { values[$0] - line.start - slope * Double($0) }
            let kept = rest.indices.filter { isGood[$0] }.map { rest[$0] }
            let mean = kept.reduce(0, +) / Double(kept.count)
            let variance = kept.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(kept.count)
            let threshold = rejection * variance.squareRoot()
            for at in rest.indices where rest[at] < -threshold || rest[at] > threshold { isGood[at] = false }
            // Neighbours of rejected values are rejected, too.
            isGood = isGood.indices.map { at in
                isGood[max(at - width / 2, 0)...min(at - width / 2 + width - 1, count - 1)].allSatisfy(\.self)
            }
            (before, good) = (good, isGood.count(where: \.self))
        }
        guard good >= minCount else { return (least, most) }
        let center = (count - 1) / 2
        let median = (values[center] + values[count / 2]) / 2
        slope /= contrast
        return (
            max(least, median - Double(center - 1) * slope), min(most, median + Double(count - center) * slope)
        )
    }

    /// Least squares of values by their places.
    private static func fit(_ values: [Double], where isGood: [Bool]) -> (start: Double, slope: Double) {
        let places = values.indices.filter { isGood[$0] }
        let count = Double(places.count)
        let (x, y) = (places.reduce(0) { $0 + Double($1) } / count, places.reduce(0) { $0 + values[$1] } / count)
        let (product, square) = places.reduce((0.0, 0.0)) { sums, place in
            let distance = Double(place) - x
            return (sums.0 + distance * (values[place] - y), sums.1 + distance * distance)
        }
        let slope = square > 0 ? product / square : 0
        return (y - slope * x, slope)
    }
}

extension FITSImage {
    /// Returns the limits of all planes; reads them once if values may be missing, and the rows of the sample.
    func zScale() throws(CodecError) -> (black: Double, white: Double) {
        let height = size.height
        var counts = [Int](repeating: size.width, count: planes * height)
        if bits < 0 || blank != nil {
            for plane in 0..<planes {
                var rows = FITSRows(self, plane, bytes)
                for y in 0..<height {
                    counts[plane * height + y] = try rows.read(y) ? rows.values.count(where: \.isFinite) : 0
                }
            }
        }
        // Every so many values one, as if rows and planes were one list.
        let step = max(1, counts.reduce(0, +) / ZScale.sampleCount)
        var sample: [Double] = []
        var place = 0
        for plane in 0..<planes {
            var rows = FITSRows(self, plane, bytes)
            for y in 0..<height where sample.count < ZScale.sampleCount {
                let end = place + counts[plane * height + y]
                guard sample.count * step < end, try rows.read(y) else {
                    place = end
                    continue
                }
                for value in rows.values where value.isFinite {
                    if place == sample.count * step, sample.count < ZScale.sampleCount { sample.append(value) }
                    place += 1
                }
            }
        }
        return ZScale.limits(of: sample)
    }
}

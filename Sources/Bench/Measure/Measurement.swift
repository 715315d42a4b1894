/// The result of one benchmark.
package struct Measurement: Hashable, Sendable {
    /// The part, and what of it: `cache.memory.hit.1thread`.
    package let name: String
    /// The median of the samples.
    package let value: Double
    package let unit: Unit
    /// The interquartile range of the samples as a share of their median; 0 for counts.
    package var spread = 0.0
    package var samples = 1
    /// The reference, measured alternately.
    package var reference: String?
    /// The reference's cost / ours; of times, the median of neighbouring samples.
    package var ratio: Double?
    /// The interquartile range of those ratios as a share of their median; `nil` for counts.
    package var ratioSpread: Double?
    /// For each pixel, byte, image or the like; `nil` if not counted.
    package var instructions: Double?
    package var cycles: Double?

    package init(_ name: String, _ value: Double, _ unit: Unit) {
        self.name = name
        self.value = value
        self.unit = unit
    }

    init(_ name: String, _ series: Series, _ unit: Unit) {
        self.init(name, series.median, unit)
        spread = series.spread
        samples = series.count
    }

    package var part: Substring { Self.part(of: name) }
    static func part(of name: String) -> Substring { name.prefix { $0 != "." } }
}

package enum Unit: String, Hashable, Sendable, CaseIterable {
    case megapixelsPerSecond = "Mpx/s"
    case megabytesPerSecond = "MB/s"
    case imagesPerSecond = "images/s"
    case transfersPerSecond = "transfers/s"
    case operationsPerSecond = "ops/s"
    case hitsPerSecond = "hits/s"
    case cellsPerSecond = "cells/s"
    case framesPerSecond = "frames/s"
    case milliseconds = "ms"
    case microsecondsPerTransfer = "us/transfer"
    case bytesPerCell = "bytes/cell"
    case bytesPerFrame = "bytes/frame"

    /// True for units of time; the others are counts, the same in every run.
    package var isTimed: Bool { self != .bytesPerCell && self != .bytesPerFrame }
    package var isHigherBetter: Bool { isTimed && self != .milliseconds && self != .microsecondsPerTransfer }

    /// How many pixels, bytes, images or the like one of a timed unit is.
    var scale: Double { self == .megapixelsPerSecond || self == .megabytesPerSecond ? 1_000_000 : 1 }

    /// The value of a timed unit for so many seconds for each pixel, byte, image or the like.
    func value(ofSeconds seconds: Double) -> Double {
        switch self {
        case .milliseconds: seconds * 1_000
        case .microsecondsPerTransfer: seconds * 1_000_000
        default: 1 / (seconds * scale)
        }
    }

    /// The cost of one value divided by that of another: 2 is twice the time or the bytes.
    package func cost(of value: Double, relativeTo other: Double) -> Double {
        isHigherBetter ? other / value : value / other
    }
}

struct Series {
    private var samples: [Double] = []

    mutating func add(_ sample: Double) { samples.append(sample) }
    var count: Int { samples.count }

    /// 0 without samples.
    var median: Double { quantile(0.5) }

    /// The interquartile range as a share of the median; 0 where the median is 0.
    var spread: Double { median == 0 ? 0 : (quantile(0.75) - quantile(0.25)) / median }

    /// The value below which that share of the samples lies, interpolated linearly.
    private func quantile(_ share: Double) -> Double {
        guard let last = samples.indices.last else { return 0 }
        let samples = samples.sorted()
        let position = share * Double(last)
        let below = Int(position)
        let above = min(below + 1, last)
        return samples[below] + (samples[above] - samples[below]) * (position - Double(below))
    }
}

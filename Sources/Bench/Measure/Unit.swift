/// What a figure is counted in.
package enum Unit: String, Hashable, Sendable, CaseIterable {
    case megapixelsPerSecond = "Mpx/s"
    case megabytesPerSecond = "MB/s"
    case imagesPerSecond = "images/s"
    case transfersPerSecond = "transfers/s"
    case operationsPerSecond = "ops/s"
    case hitsPerSecond = "hits/s"
    case cellsPerSecond = "cells/s"
    case framesPerSecond = "frames/s"
    case bytesPerCell = "bytes/cell"
    case bytesPerFrame = "bytes/frame"
    case hitPercent = "% hits"

    /// Whether the figure says how long something takes; the others are counted and come out the same every time.
    package var isTimed: Bool {
        switch self {
        case .bytesPerCell, .bytesPerFrame, .hitPercent: false
        default: true
        }
    }

    /// Whether more is better.
    package var isHigherBetter: Bool {
        switch self {
        case .bytesPerCell, .bytesPerFrame: false
        default: true
        }
    }

    /// How many pixels, bytes, images and the like one of a timed figure's unit is.
    var scale: Double {
        switch self {
        case .megapixelsPerSecond, .megabytesPerSecond: 1_000_000
        default: 1
        }
    }

    /// How much more one value costs than another: 1 is the same, 2 twice the time or the bytes, or half the hits.
    package func cost(of value: Double, relativeTo other: Double) -> Double {
        isHigherBetter ? other / value : value / other
    }
}

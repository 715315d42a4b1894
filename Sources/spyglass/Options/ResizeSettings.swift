import SpyglassBatch
import SpyglassPixels

/// What the options of `resize` ask for; every value has been checked, but for what needs more than itself.
struct ResizeSettings: Hashable, Sendable {
    // MARK: What is resized, besides operands
    /// A file of JSON lines; `-` is standard input.
    var manifest: String?
    /// Words of a search; empty ones find everything.
    var search: String?
    /// `I/N` or `auto`, which needs the environment.
    var shard: String?

    // MARK: What is made
    var output: String?
    /// None is `defaultSize` alone.
    var sizes: [OutputSize] = []
    var fit = FitChoice.contain
    var filter = ResampleFilter.lanczos
    var format = BatchJob.Format.same
    /// Of a JPEG.
    var quality = 82
    var isProgressive = false
    var keepsMetadata = false
    var template: NameTemplate?
    var contactSheet: String?

    // MARK: How
    var isForced = false
    var isDryRun = false
    /// Whether the disk cache is filled, too.
    var keepsOriginals = false
    /// Requests a second to one host.
    var rate: Double?
    /// How many items may fail.
    var tolerance = FailureLimit.none
    /// A file, or `-` for standard output.
    var report: String?
    var progress = BatchProgress.Style.auto

    /// What is made where no size is asked for.
    static let defaultSize = "320"
}

/// How a picture meets its box.
enum FitChoice: String, CaseIterable, Sendable {
    case contain, cover, fill

    var fit: TargetSize.Fit {
        switch self {
        case .contain: .contain
        case .cover: .cover
        case .fill: .fill
        }
    }
}

import SpyglassBatch
import SpyglassPixels

/// What the options of `resize` ask for; every value has been checked, but for those that need more than themselves.
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
    /// None is `usualSize` alone.
    var sizes: [OutputSize] = []
    var fit = FitChoice.contain
    var filter = ResampleFilter.lanczos
    var format = BatchJob.Format.same
    /// Of a JPEG.
    var quality = 82
    var isProgressive = false
    var keepsMetadata = false
    /// A name template, which is read with the sizes in view.
    var template: String?
    var contactSheet: String?

    // MARK: How
    var isForced = false
    var isDryRun = false
    /// Whether the disk cache is filled, too.
    var keepsOriginals = false
    /// Requests a second to one host.
    var rate: Double?
    /// How many items may fail, `N` or `P%`.
    var tolerance: String?
    /// A file, or `-` for standard output.
    var report: String?
    var progress = ProgressForm.auto

    /// What is made where no size is asked for.
    static let usualSize = "320"
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

/// How a long run says how far it is, on standard error.
enum ProgressForm: String, CaseIterable, Sendable {
    /// A bar on a terminal, else lines.
    case auto
    /// One line that is written over and over.
    case bar
    /// A line every few seconds.
    case lines
    case none
}

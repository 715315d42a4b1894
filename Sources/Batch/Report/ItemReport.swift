package import SpyglassCodecs
package import SpyglassPixels

package struct ItemReport: Hashable, Sendable {
    package enum Status: String, Hashable, Sendable {
        case ok
        case skipped
        case failed
        /// A dry run would write it.
        case planned
        /// The run was stopped before it ended.
        case cancelled
    }

    package struct Output: Hashable, Sendable {
        /// Relative to the output folder.
        package var path: String
        /// `nil` in a dry run.
        package var size: PixelSize?
        /// `nil` in a dry run.
        package var bytes: Int?
    }

    package struct Source: Hashable, Sendable {
        /// As displayed.
        package var size: PixelSize
        package var format: ImageFormat
        package var bytes: Int
    }

    /// The licence and credit that the source states for a user of the image.
    package struct Rights: Hashable, Sendable {
        package var credit: String?
        package var license: String?
        package var licenseURL: String?

        package init() {}
    }

    package var number: Int
    package var id: String
    package var shownSource: String
    package var status: Status
    package var outputs: [Output] = []
    package var source: Source?
    package var warnings: [String] = []
    package var failure: BatchError?
    package var rights = Rights()
    package var duration = Duration.zero
}

package struct BatchSummary: Hashable, Sendable {
    package var ok = 0
    package var skipped = 0
    package var failed = 0
    package var planned = 0
    /// Items that had begun when the run was stopped.
    package var cancelled = 0
    /// All items that an interrupted run did not end, also those that had not begun; `nil` if their number is unknown.
    package var left: Int?
    /// The files that walks left out, by kind: `["RAW": 2]`.
    package var leftOut: [String: Int] = [:]
    package var files = 0
    package var bytesWritten = 0
    /// Whether a signal or an unwritable output folder ended the run early.
    package var isInterrupted = false
    package var duration = Duration.zero
    package var total: Int { ok + skipped + failed + planned + cancelled }
}

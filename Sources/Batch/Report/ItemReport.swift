package import SpyglassCodecs
package import SpyglassPixels

/// What became of one item: a line of the report.
package struct ItemReport: Hashable, Sendable {
    package enum Status: String, Hashable, Sendable {
        /// Made now, all sizes.
        case ok
        /// All sizes were up to date.
        case skipped
        case failed
        /// What a dry run would make.
        case planned
    }

    /// A file that was made, or is up to date.
    package struct Output: Hashable, Sendable {
        /// Relative to the output folder.
        package var path: String
        /// `nil` in a dry run, which reads no picture.
        package var size: PixelSize?
        /// Of the file; `nil` in a dry run.
        package var bytes: Int?

        package init(path: String, size: PixelSize? = nil, bytes: Int? = nil) {
            self.path = path
            self.size = size
            self.bytes = bytes
        }
    }

    /// The picture that it was made of.
    package struct Source: Hashable, Sendable {
        /// As displayed.
        package var size: PixelSize
        package var format: ImageFormat
        /// Of the file or body.
        package var bytes: Int

        package init(size: PixelSize, format: ImageFormat, bytes: Int) {
            self.size = size
            self.format = format
            self.bytes = bytes
        }
    }

    package var number: Int
    package var id: String
    package var shownSource: String
    package var status: Status
    package var outputs: [Output] = []
    package var source: Source?
    package var warnings: [String] = []
    package var failure: BatchError?
    /// From the moment it was begun.
    package var duration = Duration.zero

    package init(number: Int, id: String, shownSource: String, status: Status) {
        self.number = number
        self.id = id
        self.shownSource = shownSource
        self.status = status
    }
}

/// The last line of the report.
package struct BatchSummary: Hashable, Sendable {
    package var ok = 0
    package var skipped = 0
    package var failed = 0
    package var planned = 0
    /// Files written, and their bytes.
    package var files = 0
    package var bytesWritten = 0
    /// Whether the run was ended before its items did: by a signal, or since no result could be written any more.
    package var isInterrupted = false
    package var duration = Duration.zero

    package init() {}

    package var total: Int { ok + skipped + failed + planned }
}

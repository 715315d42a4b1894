package import SpyglassPixels

/// What is made of every picture of a batch.
package struct BatchJob: Hashable, Sendable {
    /// What files are written as.
    package enum Format: String, Hashable, Sendable, CaseIterable {
        /// The source's own, unless the name template ends in that of another.
        case same
        case jpeg
        case png
    }

    /// At least one, no two equal.
    package var sizes: [OutputSize]
    package var fit = TargetSize.Fit.contain
    package var allowsUpscaling = false
    package var filter = ResampleFilter.lanczos
    /// Whether JPEGs are decoded in full, without a DCT scale.
    package var isExact = false
    package var format = Format.same
    /// Of a JPEG, 1...100.
    package var quality = 82
    package var isProgressive = false
    /// Whether EXIF goes into the results, with its orientation set to upright.
    package var keepsMetadata = false
    /// `nil` for `{stem}.{ext}` of one size and `{stem}-{w}x{h}.{ext}` of several.
    package var template: NameTemplate?
    /// What stands behind transparent pixels where the format has none.
    package var background = RGBA(255, 255, 255)
    /// Whether results are made anew that are up to date, and foreign files replaced.
    package var isForced = false
    /// Whether nothing is fetched, decoded or written: what would be is reported.
    package var isDryRun = false

    package init(sizes: [OutputSize]) { self.sizes = sizes }
}

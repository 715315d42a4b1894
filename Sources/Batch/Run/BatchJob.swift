package import SpyglassPixels

package struct BatchJob: Hashable, Sendable {
    package enum Format: String, Hashable, Sendable, CaseIterable {
        /// The source's, unless the name template has another extension.
        case same
        case jpeg
        case png
    }

    /// At least one, no two equal.
    package var sizes: [OutputSize]
    package var fit = TargetSize.Fit.contain
    package var allowsUpscaling = false
    package var filter = ResampleFilter.lanczos
    /// Decodes JPEGs without a DCT scale.
    package var isExact = false
    package var format = Format.same
    /// Of a JPEG, 1...100.
    package var quality = 82
    package var isProgressive = false
    /// Keeps EXIF, with its orientation set to upright.
    package var keepsMetadata = false
    /// `nil` for the default.
    package var template: NameTemplate?
    /// Behind transparent pixels of formats without alpha.
    package var background = RGBA(255, 255, 255)
    /// Replaces up-to-date outputs and unrelated files.
    package var isForced = false
    /// Reports without fetching, decoding or writing.
    package var isDryRun = false

    package init(sizes: [OutputSize]) { self.sizes = sizes }
}

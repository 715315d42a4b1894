@_exported public import SpyglassCaching
@_exported public import SpyglassCodecs
@_exported public import SpyglassFetching
@_exported public import SpyglassFiles
@_exported public import SpyglassPipeline
@_exported public import SpyglassPixels
public import SpyglassThreads

// One import for images. A whole program:
//
//     import SpyglassKit
//     let pipeline = ImagePipeline()
//     let image = try await pipeline.image(for: "photo.jpg", fitting: PixelSize(width: 64, height: 64))
//     print(image.pixels.size.width, image.pixels.size.height)
//
// SpyglassTerminalUI, SpyglassCatalog and SpyglassThreads are products of their own.

/// A budget of memory for decodes, shared by pipelines and decoders (`SpyglassThreads`).
public typealias WorkMemory = SpyglassThreads.WorkMemory

extension ImagePipeline {
    /// Loads an image that fits a box, with its aspect ratio; small images are not enlarged.
    ///
    /// - Parameters:
    ///   - source: a string literal with a path or an http(s) address, `.file(path)`, `.address(address)` or `.bytes(bytes)`.
    ///   - box: the maximum width and height in pixels.
    ///   - priority: how urgent it is.
    /// - Returns: the final image.
    /// - Throws: `ImageError`; `ImageError.cancelled`, immediately, if the task is cancelled.
    public func image(
        for source: ImageSource, fitting box: PixelSize, priority: FetchPriority = .visible
    ) async throws(ImageError) -> ImageResponse {
        try await image(for: ImageRequest(source, target: TargetSize(box: box), priority: priority))
    }
}

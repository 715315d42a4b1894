package import SpyglassPixels

extension ImageRenderer {
    /// Returns the image, scaled down if it is larger than a box of cells, where its rows would wrap.
    package func fitted(_ image: PixelBuffer, to cells: CellSize) -> PixelBuffer {
        let box = pixelBox(for: cells)
        guard image.size.width > box.width || image.size.height > box.height else { return image }
        return image.resampled(to: target(for: cells).size(for: image.size))
    }
}

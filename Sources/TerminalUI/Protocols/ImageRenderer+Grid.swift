public import SpyglassPixels

extension ImageRenderer {
    /// Returns an image to draw in a grid; in a pixel protocol with its payload.
    ///
    /// Costs some nanoseconds a pixel, in a protocol up to 100: not for a thread that handles keys.
    /// - Throws: what `PixelCodecs` throws.
    public mutating func image(of pixels: PixelBuffer) throws -> CellImage {
        var image = preview(of: pixels)
        image.payload = try options.payload(of: pixels)
        return image
    }

    /// Returns an image to draw in a grid as characters, also in a pixel protocol.
    package mutating func preview(of pixels: PixelBuffer) -> CellImage {
        let pixels = options.onBackground(pixels)
        guard options.mode.symbols == nil else { return symbols.cells(of: pixels) }
        let box = SymbolSet.half.pixelBox(for: cells(of: pixels.size))
        var resampler = AreaResampler(from: pixels.size, to: box, layout: .rgba)
        for row in 0..<pixels.size.height { pixels.withRow(row) { resampler.add($0) } }
        return symbols.cells(of: resampler.finish())
    }
}

extension ImageRenderer.Options {
    /// Returns an image with the payload of its pixels, or as it is where characters are drawn.
    package func adding(_ pixels: PixelBuffer, to preview: CellImage) throws -> CellImage {
        var image = preview
        image.payload = try payload(of: pixels)
        return image
    }

    fileprivate func payload(of pixels: PixelBuffer) throws -> PixelPayload? {
        guard let codecs else { return nil }
        let pixels = onBackground(pixels)
        let cells = cells(of: pixels.size)
        func inline(_ bytes: [UInt8]) -> PixelPayload {
            PixelPayload(.inline, bytes, covering: pixels.isOpaque ? pixels.size : nil)
        }
        switch mode {
        case .half, .quadrant, .sextant, .octant: return nil
        case .kitty:
            let isTooLarge = max(cells.columns, cells.rows) > KittyPlaceholder.maxSide
            guard !usesPlaceholders || !isTooLarge else { return nil }
            let kitty = KittyGraphics(codecs: codecs, isInsideTmux: isInsideTmux)
            let image = usesPlaceholders || cellPixels == nil ? paddedToCells(pixels) : pixels
            let bytes = try kitty.transmission(
                of: image, id: PixelPayload.idInBytes, placeholders: usesPlaceholders ? cells : nil)
            return PixelPayload(
                usesPlaceholders ? .kittyPlaceholders : .kittyPlacement, bytes,
                memory: image.size.pixelCount * PixelBuffer.bytesPerPixel, isStretched: cellPixels == nil,
                isInsideTmux: isInsideTmux)
        case .iterm2:
            let iTerm = ITermImage(codecs: codecs, isInsideTmux: isInsideTmux)
            return inline(try iTerm.drawing(of: pixels, in: cells))
        case .sixel: return inline(Sixel(background: background).drawing(of: pixels))
        }
    }
}

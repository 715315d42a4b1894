public import SpyglassPixels

extension ImageRenderer {
    /// Returns an image to draw in a grid; in a pixel protocol with its payload.
    ///
    /// Costs some nanoseconds a pixel, in a protocol up to 100: not for a thread that handles keys.
    /// - Throws: what `PixelCodecs` throws.
    public mutating func image(of pixels: PixelBuffer) throws -> CellImage {
        var image = preview(of: pixels)
        image.payload = try payload(of: pixels)
        return image
    }

    /// Returns an image to draw in a grid as characters, also in a pixel protocol.
    public mutating func preview(of pixels: PixelBuffer) -> CellImage {
        guard options.mode.symbols == nil else { return symbols.cells(of: pixels) }
        let box = SymbolSet.half.pixelBox(for: cells(of: pixels.size))
        var resampler = AreaResampler(from: pixels.size, to: box, layout: .rgba)
        for row in 0..<pixels.size.height { pixels.withRow(row) { resampler.add($0) } }
        return symbols.cells(of: resampler.finish())
    }

    /// Returns an image with the payload of its pixels, or as it is where characters are drawn.
    public func adding(_ pixels: PixelBuffer, to preview: CellImage) throws -> CellImage {
        var image = preview
        image.payload = try payload(of: pixels)
        return image
    }

    private func payload(of pixels: PixelBuffer) throws -> PixelPayload? {
        guard let codecs = options.codecs else { return nil }
        let cells = cells(of: pixels.size)
        switch options.mode {
        case .half, .quadrant, .sextant, .octant: return nil
        case .kitty:
            let isTooLarge = max(cells.columns, cells.rows) > KittyPlaceholder.maxSide
            guard !options.usesPlaceholders || !isTooLarge else { return nil }
            let kitty = KittyGraphics(codecs: codecs, isInsideTmux: options.isInsideTmux)
            // Padded to whole cells: a terminal that scales to cells would blur or stretch it.
            let isScaled = options.usesPlaceholders || options.cellPixels == nil
            let image = isScaled ? pixels.padded(to: pixelBox(for: cells)) : pixels
            let bytes = try kitty.transmission(
                of: image, id: PixelPayload.idInBytes, placeholders: options.usesPlaceholders ? cells : nil)
            return PixelPayload(
                options.usesPlaceholders ? .kittyPlaceholders : .kittyPlacement, bytes,
                memory: image.size.pixelCount * PixelBuffer.bytesPerPixel, isStretched: options.cellPixels == nil,
                isInsideTmux: options.isInsideTmux)
        case .iterm2:
            let iTerm = ITermImage(codecs: codecs, isInsideTmux: options.isInsideTmux)
            return PixelPayload(.inline, try iTerm.drawing(of: pixels, in: cells))
        case .sixel: return PixelPayload(.inline, Sixel(background: options.background).drawing(of: pixels))
        }
    }
}

extension PixelBuffer {
    /// Appends transparent columns and rows, at the right and below.
    fileprivate func padded(to size: PixelSize) -> PixelBuffer {
        guard size != self.size else { return self }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size.pixelCount * Self.bytesPerPixel)
        for row in 0..<self.size.height {
            bytes += self.bytes[row * stride..<(row + 1) * stride]
            bytes += repeatElement(0, count: (size.width - self.size.width) * Self.bytesPerPixel)
        }
        bytes += repeatElement(0, count: size.pixelCount * Self.bytesPerPixel - bytes.count)
        return PixelBuffer(size: size, bytes: bytes)
    }
}

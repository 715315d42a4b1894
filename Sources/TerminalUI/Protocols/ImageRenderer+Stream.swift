public import SpyglassPixels

extension ImageRenderer {
    /// Returns the cells that an image of this size covers, the last ones perhaps in part.
    public func cells(of size: PixelSize) -> CellSize { options.cells(of: size) }

    /// Encodes an image for a stream; the cursor ends below it, in the first column.
    ///
    /// `StreamComposer` tells the sequences of a pixel protocol.
    /// - Throws: what `PixelCodecs` throws.
    public mutating func encode(_ image: PixelBuffer) throws -> TerminalBytes {
        guard options.mode.symbols == nil else { return symbols.encode(options.onBackground(image)) }
        var composer = StreamComposer(self)
        try composer.append([StreamTile(image)])
        self = composer.renderer
        return composer.take()
    }

    /// Returns how a stream draws an image.
    mutating func drawing(of image: PixelBuffer) throws -> StreamDrawing {
        let image = options.onBackground(image)
        guard options.mode.symbols == nil, let codecs = options.codecs else {
            return .symbols(symbols.dithered(image))
        }
        let cells = cells(of: image.size)
        switch options.mode {
        case .kitty where options.usesPlaceholders && max(cells.columns, cells.rows) <= KittyPlaceholder.maxSide:
            let id = nextStreamID()
            let kitty = KittyGraphics(codecs: codecs, isInsideTmux: options.isInsideTmux)
            let padded = options.paddedToCells(image)
            return .placeholders(id: id, cells, try kitty.transmission(of: padded, id: id, placeholders: cells))
        case .kitty:
            let kitty = KittyGraphics(codecs: codecs, isInsideTmux: options.isInsideTmux)
            guard options.cellPixels == nil else { return .inline(try kitty.drawing(of: image)) }
            // The terminal stretches to its own cells, so that text below stays in place.
            return .inline(try kitty.drawing(of: options.paddedToCells(image), stretchedTo: cells))
        case .iterm2:
            return .inline(
                try ITermImage(codecs: codecs, isInsideTmux: options.isInsideTmux).drawing(of: image, in: cells))
        default: return .inline(Sixel(background: options.background).drawing(of: image))
        }
    }

    /// An id for an image of a stream; only those of the terminal's last images must differ.
    ///
    /// A colour of the palette other than 0, or of 24 bits.
    private mutating func nextStreamID() -> UInt32 {
        defer { streamID += 1 }
        return options.depth == .truecolor ? streamID & 0xFF_FFFF | 1 << 16 : streamID % 255 + 1
    }
}

/// How a stream draws an image.
enum StreamDrawing {
    case symbols(PixelBuffer)
    /// Kitty: what sends the image; then its cells are text.
    case placeholders(id: UInt32, CellSize, [UInt8])
    /// The bytes that draw the image at the cursor.
    case inline([UInt8])
}

extension [UInt8] {
    /// Appends a row of an image's placeholders, and resets the colours.
    mutating func append(placeholdersOf id: UInt32, row: Int, columns: Int, in depth: ColorDepth) {
        let color = depth == .truecolor ? "2;\(id >> 16 & 0xFF);\(id >> 8 & 0xFF);\(id & 0xFF)" : "5;\(id & 0xFF)"
        append(contentsOf: "\u{1B}[38;\(color)m".utf8)
        append(cursorCapacity: columns * KittyPlaceholder.maxBytes + ByteCursor.slack) { cursor, _ in
            for column in 0..<columns { cursor.write(placeholderAtRow: row, column: column, continues: column > 0) }
        }
        append(SGR.reset)
    }
}

extension ImageRenderer.Options {
    /// Returns the image on the background, if that is drawn.
    func onBackground(_ image: PixelBuffer) -> PixelBuffer {
        drawsBackground ? image.composed(on: background) : image
    }

    /// Returns the image padded to whole cells: a terminal that scales to cells would blur or stretch it.
    func paddedToCells(_ image: PixelBuffer) -> PixelBuffer {
        let cells = cells(of: image.size)
        let cell = knownCellPixels
        return image.padded(to: PixelSize(width: cells.columns * cell.width, height: cells.rows * cell.height))
    }
}

extension PixelBuffer {
    /// Returns the image on an opaque colour, blended in linear light.
    func composed(on color: RGB) -> PixelBuffer {
        guard !isOpaque else { return self }
        let behind = PackedPixel(color)
        var bytes = bytes
        bytes.withUnsafeMutableBytes { bytes in
            for at in Swift.stride(from: 0, to: bytes.count, by: Self.bytesPerPixel) {
                let pixel = PackedPixel(
                    number: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
                guard !pixel.isOpaque else { continue }
                let blended = pixel.isTransparent ? behind : PackedPixel(linear: pixel.linear(over: behind))
                bytes.storeBytes(of: blended.number.littleEndian, toByteOffset: at, as: UInt32.self)
            }
        }
        return PixelBuffer(size: size, bytes: bytes)
    }

    /// Returns the image with transparent pixels at its right and below.
    func padded(to box: PixelSize) -> PixelBuffer {
        guard box != size else { return self }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(box.pixelCount * Self.bytesPerPixel)
        for row in 0..<size.height {
            bytes += self.bytes[row * stride..<(row + 1) * stride]
            bytes += repeatElement(0, count: (box.width - size.width) * Self.bytesPerPixel)
        }
        bytes += repeatElement(0, count: box.width * (box.height - size.height) * Self.bytesPerPixel)
        return PixelBuffer(size: box, bytes: bytes)
    }
}

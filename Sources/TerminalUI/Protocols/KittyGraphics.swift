internal import SpyglassPixels

/// Encodes images for kitty's graphics protocol (graphics-protocol.rst): PNG in base64, in the stream itself.
///
///     let kitty = KittyGraphics(codecs: codecs)
///     bytes += try kitty.transmission(of: pixels, id: 7)
///     bytes += KittyCommands().placement(of: 7)
///
/// Sequences request no reply and do not move the cursor. PNG is compressed: `o=z` saves nothing.
struct KittyGraphics {
    var codecs: PixelCodecs
    /// Whether sequences are wrapped for tmux, which passes them through.
    var isInsideTmux = false

    /// The maximum length of a sequence's base64, in characters.
    static let maxChunk = 4096
    /// The maximum side of an image in pixels that kitty and ghostty accept (kitty's `graphics.c`).
    static let maxSide = 10_000

    /// Transmits an image under an id, without drawing it.
    ///
    /// It replaces the image of that id and removes its placements. With a box of cells, placeholders draw it: scaled
    /// into the box without distortion, at most `KittyPlaceholder.maxSide` cells a side. Else `KittyCommands.placement`
    /// draws it.
    func transmission(of image: PixelBuffer, id: UInt32, placeholders cells: CellSize? = nil) throws -> [UInt8] {
        guard let cells else { return try encoded(image, "a=t,i=\(id)") }
        return try encoded(image, "a=T,U=1,i=\(id),c=\(cells.columns),r=\(cells.rows)")
    }

    /// Transmits and draws an image at the cursor, stretched to a box of cells, or without scaling.
    func drawing(of image: PixelBuffer, stretchedTo cells: CellSize? = nil) throws -> [UInt8] {
        try encoded(image, "a=T,C=1\(Self.keys(cells))")
    }

    /// Returns the keys of a box of cells.
    static func keys(_ cells: CellSize?) -> String { cells.map { ",c=\($0.columns),r=\($0.rows)" } ?? "" }

    private func encoded(_ image: PixelBuffer, _ action: String) throws -> [UInt8] {
        let data = try codecs.png(image)
        let step = Self.maxChunk / 4 * 3
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count / 3 * 4 + (data.count / step + 1) * 32 + 64)
        for start in stride(from: 0, to: data.count, by: step) {
            let end = min(start + step, data.count)
            let first = start == 0 ? "\(action),f=100," : ""
            // Later chunks have m and q only.
            let keys = "\(first)q=2,m=\(end < data.count ? 1 : 0);"
            bytes.append(.kittyGraphics, keys, base64: data.span.extracting(start..<end), isInsideTmux: isInsideTmux)
        }
        return bytes
    }
}

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

/// Kitty's commands for transmitted images (graphics-protocol.rst).
///
///     bytes += KittyCommands().placement(of: 7)
///
/// They request no reply and do not move the cursor. Never send one between the chunks of an image.
struct KittyCommands {
    /// Whether sequences are wrapped for tmux, which passes them through.
    var isInsideTmux = false

    /// Draws an image at the cursor, stretched to a box of cells, or without scaling.
    ///
    /// Each placement of an image has a number, from 1; an existing placement is moved.
    func placement(of id: UInt32, _ placement: UInt32 = 1, stretchedTo cells: CellSize? = nil) -> [UInt8] {
        command("a=p,i=\(id),p=\(placement),C=1\(KittyGraphics.keys(cells)),q=2")
    }

    /// Removes one of an image's placements from the screen; the terminal keeps the image.
    func removal(of id: UInt32, _ placement: UInt32) -> [UInt8] { command("a=d,d=i,i=\(id),p=\(placement),q=2") }

    /// Removes all placements from the screen.
    var removalOfAll: [UInt8] { command("a=d,d=a,q=2") }

    /// Deletes an image and its placements.
    func deletion(of id: UInt32) -> [UInt8] { command("a=d,d=I,i=\(id),q=2") }

    /// Ends an incomplete transmission: the terminal drops the image.
    var end: [UInt8] { command("q=2,m=0;") }

    private func command(_ keys: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(.kittyGraphics, keys, isInsideTmux: isInsideTmux)
        return bytes
    }
}

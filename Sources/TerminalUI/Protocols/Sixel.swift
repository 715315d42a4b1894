internal import SpyglassPixels

/// The sizes of sixel graphics (DEC STD 070, VT340), which have bands of six rows of pixels.
enum Sixel {
    /// Rows of pixels in a band.
    static let bandHeight = 6
    /// The maximum side of any image in pixels.
    static let maxSide = 9999
    /// The maximum side for xterm in pixels, which draws no larger image (its resource `maxGraphicSize`).
    static let maxSideOfXterm = 1000

    /// Returns the pixels that an image covers: whole bands, which must fit its cells.
    static func covered(_ size: PixelSize) -> PixelSize {
        PixelSize(width: size.width, height: (size.height + bandHeight - 1) / bandHeight * bandHeight)
    }
}

/// An image as sixel graphics, in the colours of its own palette, of sides up to `Sixel.maxSide`.
///
/// Its pixels are the terminal's, and transparent ones stay unset. Afterwards the cursor's position is undefined. An
/// image that touches the last row of the screen scrolls it.
struct SixelImage: Sendable {
    private let size: PixelSize
    private let colors: [SIMD4<Int16>]
    private let indices: [UInt8]
    private let hasUnset: Bool

    /// Reduces an image to its palette; partly transparent pixels are blended on `background`.
    init(_ image: PixelBuffer, over background: RGB) {
        // Red is in the low byte, and alpha is 0 or 255.
        let pixels = (0..<image.size.pixelCount).map { at in
            let pixel = image.pixel(at: at)
            if pixel.isOpaque || pixel.isTransparent { return pixel.number }
            return PackedPixel(linear: pixel.linear(over: PackedPixel(background))).number
        }
        size = image.size
        hasUnset = pixels.contains { $0 >> 24 == 0 }
        var palette = SixelPalette(pixels, maxColors: hasUnset ? 255 : 256)
        indices = palette.indices(of: pixels, width: size.width)
        colors = palette.colors
    }

    /// Draws the image, or a part of it, at the cursor.
    ///
    /// A part that ends above the image's last row is cut at a band, since many terminals draw whole bands. It may be
    /// empty.
    func drawing(_ part: PixelArea? = nil) -> [UInt8] {
        let part = part ?? PixelArea(of: size)
        let width = part.size.width
        let isCut = part.endY < size.height
        let height = isCut ? part.size.height / Sixel.bandHeight * Sixel.bandHeight : part.size.height
        guard height > 0 else { return [] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 2 + 8192)
        // Pixels are square. Unset pixels keep their colour.
        bytes.append("\u{1B}P0;1q\"1;1;\(width);\(height)")
        for (index, color) in colors.enumerated() {
            let percent = (0..<3).map { (Int(color[$0]) * 100 + 255 * 8) / (255 * 16) }
            bytes.append("#\(index);2;\(percent[0]);\(percent[1]);\(percent[2])")
        }
        var bands = SixelBands(width: width, unset: hasUnset ? .max : nil)
        for top in stride(from: part.y, to: part.y + height, by: Sixel.bandHeight) {
            if top > part.y { bytes.append(UInt8(ascii: "-")) }
            let rows = top..<min(top + Sixel.bandHeight, part.y + height)
            let band = rows.flatMap { row in
                let start = row * size.width + part.x
                return indices[start..<start + width]
            }
            bands.append(band.span, to: &bytes)
        }
        bytes.append("\u{1B}\\" as StaticString)
        return bytes
    }
}

/// Writes bands of six rows of pixels as sixels.
///
/// A column's pixels of one colour are one character. Columns of a colour that are near each other are a run, with gaps.
/// Each pass over the width draws runs, of any colour, that follow each other.
private struct SixelBands {
    let width: Int
    let unset: UInt8?
    var columns: [Column] = []
    /// By colour: the number of its last column, or -1.
    var last = [Int](repeating: -1, count: 256)
    /// The first columns of runs that are not drawn, from the left.
    var heads: [Int] = []

    /// The pixels of one colour in one column.
    struct Column {
        let x: Int
        let color: UInt8
        /// A bit for each row, the lowest on top.
        var rows: UInt8
        /// The next one of the run, or -1.
        var next = -1
    }

    /// Appends at most six rows of palette indices.
    mutating func append(_ indices: Span<UInt8>, to bytes: inout [UInt8]) {
        collect(indices)
        while !heads.isEmpty {
            var x = 0
            var color: UInt8?
            heads = heads.filter { head in
                guard columns[head].x >= x else { return true }
                x = draw(head, x, &color, &bytes)
                return false
            }
            if !heads.isEmpty { bytes.append(UInt8(ascii: "$")) }
        }
    }

    private mutating func collect(_ indices: Span<UInt8>) {
        columns.removeAll(keepingCapacity: true)
        for color in last.indices { last[color] = -1 }
        for x in 0..<width {
            var bit: UInt8 = 1
            for at in stride(from: x, to: indices.count, by: width) {
                if indices[at] != unset { add(indices[at], bit, x) }
                bit &<<= 1
            }
        }
    }

    private mutating func add(_ color: UInt8, _ bit: UInt8, _ x: Int) {
        let before = last[Int(color)]
        if before >= 0, columns[before].x == x {
            columns[before].rows |= bit
            return
        }
        last[Int(color)] = columns.count
        // A longer gap takes more bytes than choosing the colour again: `!10?` and `#12`.
        if before >= 0, x - columns[before].x <= (color < 100 ? 10 : 100) {
            columns[before].next = columns.count
        } else {
            heads.append(columns.count)
        }
        columns.append(Column(x: x, color: color, rows: bit))
    }

    /// Returns the x after the run.
    private func draw(_ head: Int, _ start: Int, _ color: inout UInt8?, _ bytes: inout [UInt8]) -> Int {
        var (x, at) = (start, head)
        if color != columns[head].color {
            color = columns[head].color
            bytes.append(UInt8(ascii: "#"))
            bytes.append(number: Int(columns[head].color))
        }
        while at >= 0 {
            let first = columns[at]
            draw(0, first.x - x, &bytes)
            x = first.x
            repeat {
                x += 1
                at = columns[at].next
            } while at >= 0 && columns[at].x == x && columns[at].rows == first.rows
            draw(first.rows, x - first.x, &bytes)
        }
        return x
    }

    private func draw(_ rows: UInt8, _ count: Int, _ bytes: inout [UInt8]) {
        guard count > 3 else { return bytes.append(contentsOf: repeatElement(rows + 63, count: count)) }
        bytes.append(UInt8(ascii: "!"))
        bytes.append(number: count)
        bytes.append(rows + 63)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ text: String) { append(contentsOf: text.utf8) }
}

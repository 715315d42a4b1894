internal import SpyglassPixels

/// One page of a contact sheet, whose memory grows by rows.
struct ContactPage {
    static let maxSide = 4_096
    static let box = PixelSize(width: 160, height: 160)
    private static let margin = 8
    private static let pitch = PixelSize(
        width: box.width + margin, height: box.height + margin / 2 + BitmapFont.lineHeight + margin / 2)

    private static let textColor = RGBA(40, 40, 40)
    private static let emptyBox = RGBA(232, 232, 232)
    /// Behind an image, so that white ones end somewhere.
    private static let imageBox = RGBA(244, 244, 244)
    private static let failedBox = RGBA(250, 226, 226)
    private static let failedTextColor = RGBA(150, 20, 20)
    private(set) var count = 0
    private let maxColumns: Int
    private let maxRows: Int
    private var canvas: Canvas

    init(maxSide: Int = Self.maxSide) {
        maxColumns = max(1, (maxSide - Self.margin) / Self.pitch.width)
        maxRows = max(1, (maxSide - Self.margin) / Self.pitch.height)
        canvas = Canvas(width: Self.margin + maxColumns * Self.pitch.width, height: Self.margin)
    }

    var byteCount: Int { canvas.byteCount }
    var isFull: Bool { count == maxColumns * maxRows }

    mutating func add(_ tile: ContactTile) {
        let origin = Self.origin(of: count, columns: maxColumns)
        canvas.grow(toHeight: origin.y + Self.pitch.height)
        count += 1
        switch tile.content {
        case .image(let image):
            canvas.fill(Self.imageBox, x: origin.x, y: origin.y, Self.box)
            // Small images are enlarged by whole pixels.
            let (width, height) = (max(image.size.width, 1), max(image.size.height, 1))
            let scale = max(1, min(Self.box.width / width, Self.box.height / height))
            canvas.draw(
                image, scale: scale, x: origin.x + (Self.box.width - image.size.width * scale) / 2,
                y: origin.y + (Self.box.height - image.size.height * scale) / 2)
        case .nothing: canvas.fill(Self.emptyBox, x: origin.x, y: origin.y, Self.box)
        case .failed(let kind):
            canvas.fill(Self.failedBox, x: origin.x, y: origin.y, Self.box)
            let middle = origin.y + Self.box.height / 2
            write("failed", x: origin.x, y: middle - BitmapFont.lineHeight, Self.failedTextColor)
            write(kind, x: origin.x, y: middle, Self.failedTextColor)
        }
        write(tile.name, x: origin.x, y: origin.y + Self.box.height + Self.margin / 2, Self.textColor)
    }

    /// The page, about square if it is the only one.
    func image(isOnly: Bool) -> PixelBuffer {
        let columns = isOnly ? min(maxColumns, Self.squareColumns(for: count)) : maxColumns
        guard columns < maxColumns else { return canvas.image }
        let rows = (count + columns - 1) / columns
        var page = Canvas(width: Self.margin + columns * Self.pitch.width, height: Self.margin)
        page.grow(toHeight: Self.margin + rows * Self.pitch.height)
        for index in 0..<count {
            page.copy(
                Self.pitch, of: canvas, from: Self.origin(of: index, columns: maxColumns),
                to: Self.origin(of: index, columns: columns))
        }
        return page.image
    }

    private static func squareColumns(for count: Int) -> Int {
        let ratio = Double(pitch.height) / Double(pitch.width)
        return max(1, Int((Double(count) * ratio).squareRoot().rounded()))
    }

    private static func origin(of index: Int, columns: Int) -> (x: Int, y: Int) {
        (margin + index % columns * pitch.width, margin + index / columns * pitch.height)
    }

    private mutating func write(_ text: String, x: Int, y: Int, _ color: RGBA) {
        let characters = BitmapFont.shortened(BitmapFont.characters(of: text), to: Self.box.width / BitmapFont.advance)
        var left = x + (Self.box.width - characters.count * BitmapFont.advance) / 2
        for character in characters {
            for row in 0..<BitmapFont.rowCount {
                let bits = BitmapFont.bits(of: character, row: row)
                for column in 0..<5 where bits & (16 >> UInt8(column)) != 0 {
                    canvas.set(color, x: left + column, y: y + row)
                }
            }
            left += BitmapFont.advance
        }
    }

    private struct Canvas {
        let width: Int
        private(set) var height: Int
        private var bytes: [UInt8]

        init(width: Int, height: Int) {
            self.width = width
            self.height = height
            bytes = [UInt8](repeating: 255, count: width * height * PixelBuffer.bytesPerPixel)
        }

        var image: PixelBuffer { PixelBuffer(size: PixelSize(width: width, height: height), bytes: bytes) }

        var byteCount: Int { bytes.count }

        mutating func grow(toHeight newHeight: Int) {
            guard newHeight > height else { return }
            let more = (newHeight - height) * width * PixelBuffer.bytesPerPixel
            bytes += [UInt8](repeating: 255, count: more)
            height = newHeight
        }

        mutating func set(_ color: RGBA, x: Int, y: Int) {
            let at = (y * width + x) * PixelBuffer.bytesPerPixel
            bytes[at] = color.red
            bytes[at + 1] = color.green
            bytes[at + 2] = color.blue
        }

        mutating func fill(_ color: RGBA, x: Int, y: Int, _ size: PixelSize) {
            for row in y..<y + size.height { for column in x..<x + size.width { set(color, x: column, y: row) } }
        }

        mutating func draw(_ picture: PixelBuffer, scale: Int, x: Int, y: Int) {
            for row in 0..<picture.size.height * scale {
                picture.withRow(row / scale) { source in
                    var at = ((y + row) * width + x) * PixelBuffer.bytesPerPixel
                    var from = 0
                    while from < source.count {
                        let alpha = Int(source[from + 3])
                        for _ in 0..<scale {
                            for channel in 0..<3 {
                                let mixed =
                                    Int(source[from + channel]) * alpha + Int(bytes[at + channel]) * (255 - alpha)
                                bytes[at + channel] = UInt8((mixed + 127) / 255)
                            }
                            at += PixelBuffer.bytesPerPixel
                        }
                        from += PixelBuffer.bytesPerPixel
                    }
                }
            }
        }

        mutating func copy(_ size: PixelSize, of other: Canvas, from: (x: Int, y: Int), to: (x: Int, y: Int)) {
            let count = size.width * PixelBuffer.bytesPerPixel
            for row in 0..<size.height {
                let source = ((from.y + row) * other.width + from.x) * PixelBuffer.bytesPerPixel
                let target = ((to.y + row) * width + to.x) * PixelBuffer.bytesPerPixel
                bytes.replaceSubrange(target..<target + count, with: other.bytes[source..<source + count])
            }
        }
    }
}

struct ContactTile: Sendable {
    enum Content: Sendable {
        /// Within `ContactPage.box`.
        case image(PixelBuffer)
        case nothing
        case failed(String)
    }

    let name: String
    let content: Content
}

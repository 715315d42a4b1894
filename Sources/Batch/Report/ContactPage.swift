internal import SpyglassPixels

/// One page of a contact sheet: images in boxes, with names below.
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
    private(set) var tiles: [ContactTile] = []
    private let maxColumns: Int
    private let maxRows: Int

    init(maxSide: Int = Self.maxSide) {
        maxColumns = max(1, (maxSide - Self.margin) / Self.pitch.width)
        maxRows = max(1, (maxSide - Self.margin) / Self.pitch.height)
    }

    var isFull: Bool { tiles.count == maxColumns * maxRows }
    /// The bytes of the page once it is drawn.
    var byteCount: Int { Self.size(tiles.count, columns: maxColumns).pixelCount * PixelBuffer.bytesPerPixel }
    mutating func add(_ tile: ContactTile) { tiles.append(tile) }

    /// Draws the page, about square if it is the only one.
    func image(isOnly: Bool) -> PixelBuffer {
        let ratio = Double(Self.pitch.height) / Double(Self.pitch.width)
        let square = max(1, Int((Double(tiles.count) * ratio).squareRoot().rounded()))
        let columns = isOnly ? min(maxColumns, square) : maxColumns
        var canvas = Canvas(Self.size(tiles.count, columns: columns))
        for (index, tile) in tiles.enumerated() {
            Self.draw(
                tile, x: Self.margin + index % columns * Self.pitch.width,
                y: Self.margin + index / columns * Self.pitch.height, on: &canvas)
        }
        return canvas.image
    }

    private static func size(_ count: Int, columns: Int) -> PixelSize {
        let rows = (count + columns - 1) / columns
        return PixelSize(width: margin + columns * pitch.width, height: margin + rows * pitch.height)
    }

    private static func draw(_ tile: ContactTile, x: Int, y: Int, on canvas: inout Canvas) {
        switch tile.content {
        case .image(let image):
            canvas.fill(imageBox, x: x, y: y, box)
            // Small images are enlarged by whole pixels.
            let scale = max(1, min(box.width / image.size.width, box.height / image.size.height))
            canvas.draw(
                image, scale: scale, x: x + (box.width - image.size.width * scale) / 2,
                y: y + (box.height - image.size.height * scale) / 2)
        case .nothing: canvas.fill(emptyBox, x: x, y: y, box)
        case .failed(let kind):
            canvas.fill(failedBox, x: x, y: y, box)
            let middle = y + box.height / 2
            canvas.write("failed", failedTextColor, x: x, y: middle - BitmapFont.lineHeight, width: box.width)
            canvas.write(kind, failedTextColor, x: x, y: middle, width: box.width)
        }
        canvas.write(tile.name, textColor, x: x, y: y + box.height + margin / 2, width: box.width)
    }

    private struct Canvas {
        private let size: PixelSize
        private var bytes: [UInt8]

        init(_ size: PixelSize) {
            self.size = size
            bytes = [UInt8](repeating: 255, count: size.pixelCount * PixelBuffer.bytesPerPixel)
        }

        var image: PixelBuffer { PixelBuffer(size: size, bytes: bytes) }

        mutating func fill(_ color: RGBA, x: Int, y: Int, _ size: PixelSize) {
            for row in y..<y + size.height { for column in x..<x + size.width { blend(color, x: column, y: row) } }
        }

        /// Writes centred text, shortened to a width.
        mutating func write(_ text: String, _ color: RGBA, x: Int, y: Int, width: Int) {
            let characters = BitmapFont.shortened(BitmapFont.characters(of: text), to: width / BitmapFont.advance)
            var left = x + (width - characters.count * BitmapFont.advance) / 2
            for character in characters {
                for row in 0..<BitmapFont.rowCount {
                    let bits = BitmapFont.bits(of: character, row: row)
                    for column in 0..<5 where bits & (16 >> UInt8(column)) != 0 {
                        blend(color, x: left + column, y: y + row)
                    }
                }
                left += BitmapFont.advance
            }
        }

        mutating func draw(_ image: PixelBuffer, scale: Int, x: Int, y: Int) {
            for row in 0..<image.size.height * scale {
                for column in 0..<image.size.width {
                    let pixel = image[column, row / scale]
                    for left in x + column * scale..<x + (column + 1) * scale { blend(pixel, x: left, y: y + row) }
                }
            }
        }

        private mutating func blend(_ color: RGBA, x: Int, y: Int) {
            let at = (y * size.width + x) * PixelBuffer.bytesPerPixel
            let alpha = Int(color.alpha)
            func mixed(_ value: UInt8, _ below: UInt8) -> UInt8 {
                UInt8((Int(value) * alpha + Int(below) * (255 - alpha) + 127) / 255)
            }
            bytes[at] = mixed(color.red, bytes[at])
            bytes[at + 1] = mixed(color.green, bytes[at + 1])
            bytes[at + 2] = mixed(color.blue, bytes[at + 2])
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

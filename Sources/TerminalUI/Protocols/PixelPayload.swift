public import SpyglassPixels
internal import Synchronization

/// An image as bytes of a pixel protocol, which a painter sends and places.
///
/// Equality is identity. A photograph takes some hundred kilobytes.
struct PixelPayload: Sendable {
    /// How the terminal draws it.
    enum Kind: Hashable, Sendable {
        /// Kitty: sent once under an id, drawn by a command.
        case kittyPlacement
        /// Kitty: sent once under an id, drawn by characters (U+10EEEE) that scroll and clip as text.
        case kittyPlaceholders
        /// iTerm2 and sixel: sent where it is drawn, each time.
        case inline
    }

    /// Identifies the image in this process, from 1: 24 bits.
    let number: UInt32
    let kind: Kind
    /// The transmission of kitty, with `idInBytes`; or what draws an inline image at the cursor.
    let bytes: [UInt8]
    /// The memory that a kitty image takes in the terminal, in bytes.
    var memory: Int { size.pixelCount * PixelBuffer.bytesPerPixel }
    /// Draws a part of an inline image at the cursor; perhaps nothing.
    private let part: (@Sendable (PixelArea) -> [UInt8])?
    /// The pixels of an inline image, all of which it draws; `nil` if some are transparent.
    let coveredPixels: PixelSize?
    /// The size of a kitty image, and of a cell, in pixels.
    private let size: PixelSize
    private let cell: PixelSize
    /// Whether kitty stretches the image to its cells, whose size is assumed.
    let isStretched: Bool
    /// Whether sequences are wrapped for tmux.
    let isInsideTmux: Bool
    /// The offset of the id in `bytes`.
    private let idOffset: Int?

    /// The id in a transmission; the painter replaces it by another of eight digits.
    static let idInBytes: UInt32 = 10_000_000
    private static let lastNumber = Atomic<UInt32>(0)

    init(
        _ kind: Kind, _ bytes: [UInt8], size: PixelSize, cell: PixelSize, covering coveredPixels: PixelSize? = nil,
        isStretched: Bool = false, isInsideTmux: Bool = false, part: (@Sendable (PixelArea) -> [UInt8])? = nil
    ) {
        // 24 bits: a number repeats after 16 million images, long after its image has gone.
        number = Self.lastNumber.add(1, ordering: .relaxed).newValue & 0xFF_FFFF
        self.kind = kind
        self.bytes = bytes
        (self.size, self.cell) = (size, cell)
        self.coveredPixels = coveredPixels
        self.isStretched = isStretched
        self.isInsideTmux = isInsideTmux
        self.part = part
        let id = Array("i=\(Self.idInBytes)".utf8)
        idOffset = (0..<min(Self.maxKeys, bytes.count)).first { bytes[$0...].starts(with: id) }.map { $0 + 2 }
    }

    /// The maximum offset of the id in a transmission, in bytes.
    private static let maxKeys = 64

    /// Returns the pixels of an image in some of its cells; `nil`: all of them.
    func pixels(in area: CellArea) -> PixelArea? {
        let (x, y) = (area.column * cell.width, area.row * cell.height)
        let part = PixelSize(
            width: min(area.columns * cell.width, size.width - x), height: min(area.rows * cell.height, size.height - y)
        )
        return part == size ? nil : PixelArea(x: x, y: y, size: part)
    }

    /// Returns what draws some cells of an inline image at the cursor.
    func drawing(of area: CellArea) -> [UInt8] {
        // The last band of a sixel image may reach into cells below its pixels.
        guard area.column * cell.width < size.width, area.row * cell.height < size.height else { return [] }
        guard let pixels = pixels(in: area), let part else { return bytes }
        return part(pixels)
    }

    /// Returns the end of the last sequence that is complete at `limit`; at least one sequence, from `start`.
    func end(of start: Int, limit: Int) -> Int {
        guard limit < bytes.count else { return bytes.count }
        // Data has no ESC; through tmux `ESC P` begins a sequence, and every other ESC is doubled or a terminator's.
        let second = UInt8(ascii: isInsideTmux ? "P" : "_")
        func isStart(_ at: Int) -> Bool { bytes[at] == 0x1B && at + 1 < bytes.count && bytes[at + 1] == second }
        return (start + 1..<max(limit, start) + 1).last(where: isStart) ?? (limit..<bytes.count).first(where: isStart)
            ?? bytes.count
    }

    /// Returns a part of the transmission, under an id of eight digits.
    func transmission(_ range: Range<Int>, id: UInt32) -> [UInt8] {
        var part = Array(bytes[range])
        if let idOffset, range.contains(idOffset) {
            part.replaceSubrange(idOffset - range.lowerBound..<idOffset - range.lowerBound + 8, with: "\(id)".utf8)
        }
        return part
    }
}

extension PixelPayload: Hashable {
    static func == (one: PixelPayload, other: PixelPayload) -> Bool { one.number == other.number }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// The encoders that pixel protocols need; the caller provides them, since this module imports no codec.
public struct PixelCodecs: Sendable {
    /// Encodes an image as PNG.
    public var png: @Sendable (PixelBuffer) throws -> [UInt8]
    /// Encodes an image as JPEG at a quality from 1 to 100; transparent pixels become black.
    public var jpeg: @Sendable (PixelBuffer, Int) throws -> [UInt8]

    /// Creates the set of encoders.
    public init(
        png: @escaping @Sendable (PixelBuffer) throws -> [UInt8],
        jpeg: @escaping @Sendable (PixelBuffer, Int) throws -> [UInt8]
    ) {
        self.png = png
        self.jpeg = jpeg
    }
}

public import SpyglassPixels
internal import Synchronization

/// An image as bytes of a pixel protocol, which a painter sends and places.
///
/// Equality is identity. A photograph takes a few hundred kilobytes.
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
    /// The transmissions of kitty, with `idInBytes`; or what draws an inline image at the cursor.
    let bytes: [UInt8]
    /// The memory that a kitty image takes in the terminal with all its frames, in bytes.
    let memory: Int
    /// Draws a part of an inline image at the cursor; perhaps nothing.
    private let part: (@Sendable (PixelArea) -> [UInt8])?
    /// The pixels of an inline image, all of which it draws; `nil` if some are transparent.
    let coveredPixels: PixelSize?
    /// The size of a kitty image, and of a cell of it, in pixels.
    private let size: PixelSize
    private let cell: (width: Double, height: Double)
    /// Whether kitty stretches the image to its cells: their size is assumed, or the image has fewer pixels.
    let isStretched: Bool
    /// Whether sequences are wrapped for tmux.
    let isInsideTmux: Bool
    /// A frame of an animation is sent whole or not at all, and soon replaced.
    var isFrame = false
    /// Whether the terminal plays it; then `bytes` has a transmission for each frame.
    let isAnimation: Bool
    /// How often the terminal is told to play it, after the first time.
    var playCount = 0
    /// The pixels of each transmission, if `bytes` only name shared memory.
    let shared: [PixelBuffer]
    private let sharedMemory: SharedPixels?
    /// The offsets of the transmissions in `bytes`, and of the id in each.
    private let starts: [(transmission: Int, id: Int)]

    /// The id in a transmission; the painter replaces it by another of eight digits.
    static let idInBytes: UInt32 = 10_000_000
    private static let lastNumber = Atomic<UInt32>(0)

    /// Creates a payload of `size` pixels, with `cell` pixels a cell; kitty stretches it to `cells`, if there are any.
    ///
    /// `frames` are the transmissions of more frames, and at the end what plays them.
    init(
        _ kind: Kind, _ bytes: [UInt8], size: PixelSize, cell: PixelSize, covering coveredPixels: PixelSize? = nil,
        stretchedTo cells: CellSize? = nil, isInsideTmux: Bool = false, frames: [[UInt8]] = [],
        shared: [PixelBuffer] = [], in sharedMemory: SharedPixels? = nil,
        part: (@Sendable (PixelArea) -> [UInt8])? = nil
    ) {
        (self.shared, self.sharedMemory) = (shared, sharedMemory)
        // 24 bits: a number repeats after 16 million images, long after its image has gone.
        number = Self.lastNumber.add(1, ordering: .relaxed).newValue & 0xFF_FFFF
        self.kind = kind
        self.bytes = frames.isEmpty ? bytes : bytes + frames.joined()
        self.size = size
        if let cells {
            self.cell = (Double(size.width) / Double(cells.columns), Double(size.height) / Double(cells.rows))
        } else {
            self.cell = (Double(cell.width), Double(cell.height))
        }
        self.coveredPixels = coveredPixels
        isStretched = cells != nil
        self.isInsideTmux = isInsideTmux
        self.part = part
        isAnimation = !frames.isEmpty
        // The last transmission has no pixels.
        memory = size.pixelCount * PixelBuffer.bytesPerPixel * max(frames.count, 1)
        let id = Array("i=\(Self.idInBytes)".utf8)
        var starts: [(Int, Int)] = []
        var start = 0
        for part in [bytes] + frames {
            let offset = (0..<min(Self.maxKeys, part.count)).first { part[$0...].starts(with: id) }
            if let offset { starts.append((start, start + offset + 2)) }
            start += part.count
        }
        self.starts = starts
    }

    /// The maximum offset of the id in a transmission, in bytes.
    private static let maxKeys = 64

    /// Returns the pixels of an image in some of its cells; `nil`: all of them.
    func pixels(in area: CellArea) -> PixelArea? {
        func pixels(_ cell: Int, _ side: Double, _ limit: Int) -> Int {
            min(Int((Double(cell) * side).rounded()), limit)
        }
        let x = pixels(area.column, cell.width, size.width - 1)
        let y = pixels(area.row, cell.height, size.height - 1)
        let part = PixelSize(
            width: max(pixels(area.endColumn, cell.width, size.width) - x, 1),
            height: max(pixels(area.endRow, cell.height, size.height) - y, 1))
        return part == size ? nil : PixelArea(x: x, y: y, size: part)
    }

    /// Returns what draws some cells of an inline image at the cursor.
    func drawing(of area: CellArea) -> [UInt8] {
        // The last band of a sixel image may reach into cells below its pixels.
        guard Double(area.column) * cell.width < Double(size.width),
            Double(area.row) * cell.height < Double(size.height)
        else { return [] }
        guard let pixels = pixels(in: area), let part else { return bytes }
        return part(pixels)
    }

    /// About the bytes that draw some cells of an inline image.
    func bytes(in area: CellArea) -> Int {
        bytes.count * (pixels(in: area)?.size ?? size).pixelCount / size.pixelCount
    }

    /// Returns the end of the last sequence that is complete at `limit`; at least one sequence, from `start`.
    func end(of start: Int, limit: Int) -> Int {
        var limit = limit
        if let first = starts.firstIndex(where: { $0.transmission >= start }), !shared.isEmpty {
            let end = first + max(Self.maxShared / max(shared[0].bytes.count, 1), 1)
            if end < starts.count { limit = min(limit, starts[end].transmission) }
        }
        guard limit < bytes.count else { return bytes.count }
        // Data has no ESC; through tmux `ESC P` begins a sequence, and every other ESC is doubled or a terminator's.
        let second = UInt8(ascii: isInsideTmux ? "P" : "_")
        func isStart(_ at: Int) -> Bool { bytes[at] == 0x1B && at + 1 < bytes.count && bytes[at + 1] == second }
        return (start + 1..<max(limit, start) + 1).last(where: isStart) ?? (limit..<bytes.count).first(where: isStart)
            ?? bytes.count
    }

    /// Returns the start of the transmission that an offset is in: one that was interrupted is repeated.
    func start(ofTransmissionAt offset: Int) -> Int { starts.last { $0.transmission <= offset }?.transmission ?? 0 }

    /// The maximum bytes of shared memory that are sent at once: the terminal copies them in a few milliseconds.
    private static let maxShared = 16_000_000

    /// Returns a part of the transmissions, under an id of eight digits.
    func transmission(_ range: Range<Int>, id: UInt32) -> [UInt8] {
        var part = Array(bytes[range])
        for (index, start) in starts.enumerated().reversed() where range.contains(start.id) {
            let offset = start.id - range.lowerBound
            part.replaceSubrange(offset..<offset + 8, with: "\(id)".utf8)
            guard shared.indices.contains(index), let sharedMemory else { continue }
            let end = index + 1 < starts.count ? starts[index + 1].transmission : bytes.count
            let template = start.transmission - range.lowerBound..<end - range.lowerBound
            part.replaceSubrange(template, with: KittyGraphics.sharing(shared[index], sharedMemory, as: part[template]))
        }
        return part
    }

    /// The bytes of shared memory that a part of the transmissions names.
    func sharedBytes(in range: Range<Int>) -> Int {
        zip(shared, starts).reduce(0) { $0 + (range.contains($1.1.id) ? $1.0.bytes.count : 0) }
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
    /// Where images are put for a terminal that reads this machine's shared memory.
    package var sharedPixels: SharedPixels?

    /// Creates the set of encoders.
    public init(
        png: @escaping @Sendable (PixelBuffer) throws -> [UInt8],
        jpeg: @escaping @Sendable (PixelBuffer, Int) throws -> [UInt8]
    ) {
        self.png = png
        self.jpeg = jpeg
    }
}

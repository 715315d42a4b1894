internal import SpyglassPixels

/// One image of a GIF, up to its data: the descriptor, and the graphic control before it.
struct GIFImage {
    var x = 0
    var y = 0
    var width = 0
    var height = 0
    var isInterlaced = false
    var colors = GIFPalette.gray
    /// Bits of an index in the data.
    var codeSize = 0
    var disposal = FrameCanvas.Disposal.keep
    var duration = FrameTime.shown(milliseconds: 0)
    var transparentIndex: Int?

    /// `nil` if it has no pixels.
    var area: PixelArea? { PixelSize(checking: width, height).map { PixelArea(x: x, y: y, size: $0) } }
    /// The 256 colours as RGBA in memory order; 0 if transparent or missing.
    var words: [UInt32] {
        var words = colors.words
        if let transparentIndex { words[transparentIndex] = 0 }
        return words
    }
}

struct GIFPalette {
    let words: [UInt32]
    /// Bits of an index, at least 1.
    let bits: Int

    /// `bytes`: red, green, blue of each.
    init(_ bytes: [UInt8]) {
        let count = bytes.count / 3
        bits = (1...8).first { count <= 1 << $0 } ?? 8
        words = (0..<256).map { index in
            index < count ? RGBA(bytes[3 * index], bytes[3 * index + 1], bytes[3 * index + 2]).word : 0
        }
    }

    /// Colours for a file without any: the specification leaves them to the decoder.
    static let gray = GIFPalette((0..<256).flatMap { [UInt8($0), UInt8($0), UInt8($0)] })
}

/// Reads the blocks of a GIF in order (GIF89a specification); not thread-safe.
final class GIFReader {
    private let window: ByteWindow
    /// The canvas as stated: a side may be 0.
    let width: Int
    let height: Int
    private let colors: GIFPalette?
    /// 1 without a loop extension.
    private(set) var plays: Int? = 1
    /// The decoded indices of the image read last.
    var lzw = LZWDecoder()

    private static let headerBytes = 13
    private static let trailer: UInt8 = 0x3B
    private static let imageSeparator: UInt8 = 0x2C
    private static let extensionIntroducer: UInt8 = 0x21
    private static let graphicControl: UInt8 = 0xF9
    private static let application: UInt8 = 0xFF

    init(_ input: ByteReader) throws(CodecError) {
        window = ByteWindow(input)
        guard let header = try window.bytes(Self.headerBytes) else { throw Self.endsInHeader }
        let fields = BinaryReader(header, isBigEndian: false)
        (width, height) = (try fields.integer(2, at: 6), try fields.integer(2, at: 8))
        colors = try Self.palette(header[10], window)
    }

    static let endsInHeader = CodecError.corrupt(.gif, "the file ends inside its header")

    private static func palette(_ flags: UInt8, _ window: ByteWindow) throws(CodecError) -> GIFPalette? {
        guard flags & 0x80 != 0 else { return nil }
        var bytes: [UInt8] = []
        try window.append(3 << (Int(flags & 7) + 1), to: &bytes)
        return GIFPalette(bytes)
    }

    /// Reads up to the data of the next image; `nil` after the last one, and where the file is cut or damaged.
    func nextImage() throws(CodecError) -> GIFImage? {
        var image = GIFImage()
        while let block = try window.byte() {
            switch block {
            case Self.imageSeparator: return try describe(&image) ? image : nil
            case Self.extensionIntroducer: guard try readExtension(&image) else { return nil }
            case 0: break  // some writers end a block twice
            default: return nil
            }
        }
        return nil
    }

    func countImages(upTo max: Int) throws(CodecError) -> Int {
        var count = 0
        while count < max, try nextImage() != nil {
            count += 1
            try skipData()
        }
        return count
    }

    private func describe(_ image: inout GIFImage) throws(CodecError) -> Bool {
        guard let bytes = try window.bytes(9) else { return false }
        var fields = BinaryReader(bytes, isBigEndian: false)
        (image.x, image.y) = (try fields.integer(2), try fields.integer(2))
        (image.width, image.height) = (try fields.integer(2), try fields.integer(2))
        image.isInterlaced = bytes[8] & 0x40 != 0
        if let colors = try Self.palette(bytes[8], window) ?? colors { image.colors = colors }
        guard let codeSize = try window.byte() else { return false }
        image.codeSize = Int(codeSize)
        return true
    }

    private func readExtension(_ image: inout GIFImage) throws(CodecError) -> Bool {
        guard let label = try window.byte() else { return false }
        var block: [UInt8] = []
        var isFirst = true
        var loops = false
        while try nextBlock(&block) {
            if isFirst, label == Self.graphicControl, block.count >= 4 { try image.read(control: block) }
            if isFirst, label == Self.application {
                loops = Self.loopExtensions.contains { block.elementsEqual($0) }
            } else if loops, block.count >= 3, block[0] & 7 == 1 {
                let count = try BinaryReader(block, isBigEndian: false).integer(2, at: 1)
                plays = count == 0 ? nil : count + 1
            }
            isFirst = false
            block.removeAll(keepingCapacity: true)
        }
        return true
    }

    private static let loopExtensions = ["NETSCAPE2.0", "ANIMEXTS1.0"].map { Array($0.utf8) }

    /// Appends the next sub-block; returns false after the last one, and at the end of the file.
    private func nextBlock(_ bytes: inout [UInt8]) throws(CodecError) -> Bool {
        guard let count = try window.byte(), count > 0 else { return false }
        try window.append(Int(count), to: &bytes)
        return true
    }

    func skipData() throws(CodecError) {
        while let count = try window.byte(), count > 0 { guard try window.skip(Int(count)) else { return } }
    }

    /// Decodes the first `count` indices of the image that was described last into `lzw`, and skips the rest of its data.
    func readData(of image: GIFImage, count: Int) throws(CodecError) {
        guard LZWDecoder.codeSizes.contains(image.codeSize) else {
            lzw.start(codeSize: 1, count: 0)
            return try skipData()
        }
        lzw.start(codeSize: image.codeSize, count: count)
        var data: [UInt8] = []
        data.reserveCapacity(Self.partBytes)
        while !lzw.hasEnded, try nextBlock(&data) {
            guard data.count > Self.partBytes - 255 else { continue }
            lzw.decode(data.span)
            data.removeAll(keepingCapacity: true)
        }
        guard !lzw.hasEnded else { return try skipData() }
        lzw.decode(data.span)
    }

    /// Sub-blocks are put together into parts of this size.
    private static let partBytes = 4096
}

extension GIFImage {
    /// Reads a graphic control extension (GIF89a specification, section 23).
    fileprivate mutating func read(control block: [UInt8]) throws(CodecError) {
        disposal =
            switch block[0] >> 2 & 7 {
            case 2: .clear
            case 3, 4: .restore
            default: .keep
            }
        duration = FrameTime.shown(milliseconds: 10 * (try BinaryReader(block, isBigEndian: false).integer(2, at: 1)))
        transparentIndex = block[0] & 1 == 0 ? nil : Int(block[3])
    }
}

/// The decoded rows of one image of a GIF, which its data may hold in another order.
struct GIFRows {
    /// Rows from the top that can be drawn; of an interlaced image some may repeat coarser ones.
    let count: Int
    let isWhole: Bool
    private let reader: GIFReader
    private let size: PixelSize
    private let decodedRows: Int
    private let isInterlaced: Bool

    /// Decodes the rows above `end`; valid until the next image is decoded.
    init(_ image: GIFImage, _ size: PixelSize, until end: Int, from reader: GIFReader) throws(CodecError) {
        let wanted = Self.decoded(size, until: end, isInterlaced: image.isInterlaced)
        try reader.readData(of: image, count: wanted * size.width)
        (self.reader, self.size, isInterlaced) = (reader, size, image.isInterlaced)
        decodedRows = reader.lzw.count / size.width
        isWhole = decodedRows == wanted
        let covered = isInterlaced ? decodedRows * 8 : decodedRows
        count = min(max(end, 0), size.height, covered)
    }

    /// The number of rows to decode so that all above `end` are there.
    static func decoded(_ size: PixelSize, until end: Int, isInterlaced: Bool) -> Int {
        end > 0 ? isInterlaced ? size.height : min(end, size.height) : 0
    }

    /// Calls `body` with the indices of row `y`, which is below `count`.
    func withRow(_ y: Int, _ body: (Span<UInt8>) -> Void) {
        let row = isInterlaced ? interlaced(y) : y
        reader.lzw.withBytes(row * size.width..<(row + 1) * size.width, body)
    }

    /// Rows 0, 8, 16 come first, then 4, 12, then 2, 6, then 1, 3 (GIF89a specification, appendix E).
    private func interlaced(_ y: Int) -> Int {
        let (eighths, fourths, halves) = ((size.height + 7) / 8, (size.height + 3) / 8, (size.height + 1) / 4)
        func place(_ y: Int) -> Int {
            switch y & 7 {
            case 0: y / 8
            case 4: eighths + y / 8
            case 2, 6: eighths + fourths + y / 4
            default: eighths + fourths + halves + y / 2
            }
        }
        return [y, y & ~1, y & ~3].map(place).first { $0 < decodedRows } ?? place(y & ~7)
    }
}

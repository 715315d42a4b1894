internal import SpyglassPixels

/// The header of the primary item of a HEIF or AVIF file, or else of the first frame of an AVIF's sequence, read without
/// the library (ISO 14496-12, ISO 23008-12).
struct HEIFHeader {
    /// As coded, and the part of it that is shown (`clap`).
    private(set) var codedSize = PixelSize(width: 1, height: 1)
    private(set) var area = PixelArea(of: PixelSize(width: 1, height: 1))
    private(set) var orientation = Orientation.up
    private(set) var hasAlpha = false
    private(set) var isGray = false
    private(set) var bits = 8
    /// Samples per two pixels without alpha; 6 (4:4:4) if unstated.
    private(set) var samples = 6
    /// Whether the image is stated to be AV1; a grid does not state it.
    private(set) var isAV1 = false
    /// The item's type, such as `av01`.
    private(set) var kind: FourCC?
    /// Whether the image is the first frame of a sequence, without an item.
    private(set) var isSequence = false
    /// The tiles that the image is put together from; 0 for a plain one.
    private(set) var tiles = 0
    /// Pixels of the largest image that this one is derived from, other than by tiles.
    private(set) var sourcePixels = 0
    /// The largest side of any image in the file.
    private(set) var maxSide = 0
    /// The offset of a `meta` box that extends to the end of the file, which libraries refuse.
    private(set) var openBoxAt: Int?
    private(set) var profile: [UInt8]?
    /// The colours that count without a profile.
    private(set) var codePoints: CodePoints?
    private(set) var exif: [UInt8]?

    init(_ input: ByteReader, _ limits: ImageLimits, _ format: ImageFormat) throws(CodecError) {
        let file = try Self.box("meta", of: input, format)
        let items = try file.map { (file) throws(CodecError) in try HEIFItems(file.content) }
        guard let items, let primary = items.primary else {
            try readSequence(of: input, limits, format)
            return
        }
        openBoxAt = file?.openAt
        guard try read(items.properties(of: primary), limits) else { throw .corrupt(format, "an image without a size") }
        kind = items.kinds[primary]
        let sources = items.targets("dimg", of: primary)
        // A grid has alpha itself, or its tiles have.
        hasAlpha = !items.withAlpha.isDisjoint(with: [primary] + (kind == "grid" ? sources : []))
        if kind == "grid" { tiles = max(sources.count, 1) }
        for source in kind == "grid" ? [] : sources {
            guard let size = try items.size(of: source, limits) else { continue }
            sourcePixels = max(sourcePixels, size.pixelCount)
        }
        maxSide = items.maxSide
        exif = (try? items.exif(of: primary, in: input)) ?? nil
    }

    /// Reads the first sample description of an image sequence: the content of a `VisualSampleEntry`.
    private mutating func readSequence(
        of input: ByteReader, _ limits: ImageLimits, _ format: ImageFormat
    ) throws(CodecError) {
        guard let file = try Self.box("moov", of: input, format) else {
            throw .corrupt(format, "no header with an image")
        }
        for track in file.content.boxes where track.name == "trak" {
            let media = track.content.boxes.first("mdia")?.boxes ?? []
            let handler = media.first("hdlr")?.name(at: 8)
            hasAlpha = hasAlpha || handler == "auxv"
            guard handler == "pict", !isSequence,
                var descriptions = media.first("minf")?.boxes.first("stbl")?.boxes.first("stsd")
            else { continue }
            try descriptions.skip(8)
            guard var entry = descriptions.boxes.first("av01") else { continue }
            let (width, height) = (try entry.integer(2, at: 24), try entry.integer(2, at: 26))
            codedSize = try limits.size(UInt32(width), UInt32(height))
            try entry.skip(78)
            _ = try read(entry.boxes, limits)
            isSequence = true
        }
        guard format == .avif, isSequence else { throw .unsupported(format, "an image sequence without a still image") }
        area = PixelArea(of: codedSize)
    }

    /// Returns the first box of a name in the file, and where it starts if it extends to the end of the file.
    private static func box(
        _ name: FourCC, of input: ByteReader, _ format: ImageFormat
    ) throws(CodecError) -> (content: BinaryReader, openAt: Int?)? {
        guard let box = try input.boxes(in: 0..<Int.max).first(where: { $0.name == name }) else { return nil }
        let (start, isOpen) = (box.content.lowerBound, box.content.upperBound == .max)
        let count = isOpen ? try input.byteCount() - start : box.content.count
        guard (4...maxMetaBytes).contains(count) else {
            throw .corrupt(format, "a header of \(count) bytes")
        }
        let bytes = try input.bytes(count, at: start)
        guard bytes.count == count else { throw .corrupt(format, "the file ends inside its header") }
        return (BinaryReader(bytes), isOpen ? start - HEIFBoxHeader.byteCount : nil)
    }

    /// Reads the properties of the image; returns false without a size.
    private mutating func read(_ properties: [HEIFBox], _ limits: ImageLimits) throws(CodecError) -> Bool {
        var coded: PixelSize?
        var clap: [Int] = []
        var turns = 0
        var mirror: Int?
        for property in properties {
            var content = property.content
            switch property.name {
            case "ispe": coded = try limits.size(UInt32(content.integer(4, at: 4)), UInt32(content.integer(4, at: 8)))
            case "clap":
                clap = []
                for _ in 0..<8 { clap.append(Int(Int32(truncatingIfNeeded: try content.integer(4)))) }
            case "irot": turns = try content.integer(1) & 3
            case "imir": mirror = try content.integer(1) & 1
            case "pixi":
                isGray = (try? content.integer(1, at: 4)) == 1
                bits = (try? content.integer(1, at: 5)) ?? bits
            case "av1C":
                // AV1-ISOBMFF, section 2.3.3: depth, monochrome, chroma subsampling along x and y.
                isAV1 = true
                let flags = try content.integer(1, at: 2)
                bits = flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
                samples = flags & 0x10 != 0 ? 2 : flags & 0x08 == 0 ? 6 : flags & 0x04 == 0 ? 4 : 3
            case "colr" where content.count > 4 && content.count <= EmbeddedProfile.maxBytes:
                let kind = try content.name()
                if kind == "prof" || kind == "rICC" { profile = Array(content.bytes.dropFirst(4)) }
                if kind == "nclx" {
                    codePoints = try CodePoints(
                        primaries: content.integer(2), curve: content.integer(2), isGray: false)
                }
            default: break
            }
        }
        guard let coded else { return false }
        codedSize = coded
        area = Self.area(clap, of: coded) ?? PixelArea(of: coded)
        orientation = Self.orientation(turns: turns, mirror: mirror)
        return true
    }

    private static let maxMetaBytes = 16 << 20

    /// The clean aperture, in whole pixels (ISO 14496-12, section 12.1.4).
    private static func area(_ n: [Int], of size: PixelSize) -> PixelArea? {
        guard n.count == 8, n[1] > 0, n[3] > 0, n[5] > 0, n[7] > 0 else { return nil }
        let (width, height) = (n[0] / n[1], n[2] / n[3])
        guard width > 0, height > 0, width <= size.width, height <= size.height else { return nil }
        let x = Double(size.width - width) / 2 + Double(n[4]) / Double(n[5])
        let y = Double(size.height - height) / 2 + Double(n[6]) / Double(n[7])
        guard x >= 0, y >= 0, x <= Double(size.width - width), y <= Double(size.height - height) else { return nil }
        return PixelArea(
            x: Int(x.rounded(.down)), y: Int(y.rounded(.down)), size: PixelSize(width: width, height: height))
    }

    /// Turned anti-clockwise, then mirrored: top and bottom (0), or left and right (1).
    private static func orientation(turns: Int, mirror: Int?) -> Orientation {
        let turned: [Orientation] = [.up, .left, .down, .right]
        let leftRight: [Orientation] = [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored]
        return mirror.map { leftRight[$0 == 0 ? (turns + 2) % 4 : turns] } ?? turned[turns]
    }

    var colorDescription: String { "\(isGray ? "grey" : "YCbCr")\(hasAlpha ? " and alpha" : ""), \(bits) bits" }
}

/// The head of a box (ISO 14496-12, section 4.2).
struct HEIFBoxHeader {
    let name: FourCC
    /// The bytes of its content; `nil` if it extends to the end of what contains it.
    let count: CheckedSize?
    /// Its own bytes, without a size of 64 bits.
    static let byteCount = 8

    init(_ reader: inout BinaryReader) throws(CodecError) {
        let size = try reader.size(4)
        name = try reader.name()
        count =
            switch size {
            case 0: nil
            case 1: try reader.size(8) - 16
            default: try size - 8
            }
    }
}

struct HEIFBox {
    let name: FourCC
    let content: BinaryReader
}

/// A box of a file (ISO 14496-12, section 4.2), and where its content is; the file may end before that does.
struct FileBox {
    let name: FourCC
    let content: Range<Int>
}

extension ByteReader {
    /// More boxes than cameras and encoders write side by side.
    private static let maxBoxes = 256

    /// Returns the boxes of a range, which damage ends.
    func boxes(in range: Range<Int>) throws(CodecError) -> [FileBox] {
        var (at, boxes) = (range.lowerBound, [FileBox]())
        while boxes.count < Self.maxBoxes, at < range.upperBound {
            var head = BinaryReader(try bytes(16, at: at))
            guard let box = try? HEIFBoxHeader(&head), at + head.offset <= range.upperBound else { break }
            let start = at + head.offset
            let left = range.upperBound - start
            at = start + (box.count?.upTo(left) ?? left)
            boxes.append(FileBox(name: box.name, content: start..<at))
        }
        return boxes
    }
}

extension BinaryReader {
    /// More items, boxes and references than any camera or encoder writes.
    fileprivate static let maxItems = 1 << 16

    /// The boxes from `offset` on; one that does not fit ends them.
    var boxes: [HEIFBox] {
        var (reader, boxes) = (self, [HEIFBox]())
        while boxes.count < Self.maxItems, let head = try? HEIFBoxHeader(&reader),
            let content = try? reader.part(head.count ?? CheckedSize(reader.left))
        { boxes.append(HEIFBox(name: head.name, content: content)) }
        return boxes
    }
}

extension [HEIFBox] {
    func first(_ name: FourCC) -> BinaryReader? { first { $0.name == name }?.content }
}

/// The items of a `meta` box: their types, properties and references.
struct HEIFItems {
    private(set) var primary: Int?
    private(set) var kinds: [Int: FourCC] = [:]
    private var references: [(kind: FourCC, item: Int, targets: [Int])] = []
    private var properties: [HEIFBox] = []
    /// The places of an item's properties, in their order.
    private var associations: [Int: [Int]] = [:]
    private let places: BinaryReader?

    private static let maxExtents = 256
    private static let maxExifBytes = CheckedSize(1 << 20)

    init(_ content: BinaryReader) throws(CodecError) {
        var content = content
        try content.skip(4)
        let boxes = content.boxes
        places = boxes.first("iloc")
        if var pitm = boxes.first("pitm") {
            let version = try pitm.integer(4) >> 24
            primary = try pitm.integer(version == 0 ? 2 : 4)
        }
        if let iinf = boxes.first("iinf") { try readKinds(iinf) }
        if let iref = boxes.first("iref") { try readReferences(iref) }
        let iprp = boxes.first("iprp")?.boxes ?? []
        properties = iprp.first("ipco")?.boxes ?? []
        for box in iprp where box.name == "ipma" { try readAssociations(box.content) }
    }

    private mutating func readKinds(_ box: BinaryReader) throws(CodecError) {
        var iinf = box
        try iinf.skip(try iinf.integer(4) >> 24 == 0 ? 2 : 4)
        for entry in iinf.boxes where entry.name == "infe" {
            var fields = entry.content
            let version = try fields.integer(4) >> 24
            guard version >= 2 else { continue }
            let item = try fields.integer(version == 2 ? 2 : 4)
            try fields.skip(2)
            kinds[item] = try fields.name()
        }
    }

    private mutating func readReferences(_ box: BinaryReader) throws(CodecError) {
        var (iref, left) = (box, BinaryReader.maxItems)
        let idBytes = try iref.integer(4) >> 24 == 0 ? 2 : 4
        for box in iref.boxes where left > 0 {
            var fields = box.content
            let item = try fields.integer(idBytes)
            var targets: [Int] = []
            for _ in 0..<(try fields.size(2).upTo(fields.left / idBytes)) {
                targets.append(try fields.integer(idBytes))
            }
            references.append((box.name, item, targets))
            left -= 1 + targets.count
        }
    }

    private mutating func readAssociations(_ box: BinaryReader) throws(CodecError) {
        var ipma = box
        let flags = try ipma.integer(4)
        let (idBytes, indexBytes) = (flags >> 24 == 0 ? 2 : 4, flags & 1 == 0 ? 1 : 2)
        for _ in 0..<(try ipma.size(4).upTo(min(ipma.left / (idBytes + 1), BinaryReader.maxItems))) {
            let item = try ipma.integer(idBytes)
            var places: [Int] = []
            for _ in 0..<(try ipma.integer(1)) {
                places.append((try ipma.integer(indexBytes) & (indexBytes == 1 ? 0x7F : 0x7FFF)) - 1)
            }
            if associations[item] == nil { associations[item] = places }
        }
    }

    func properties(of item: Int) -> [HEIFBox] {
        (associations[item] ?? []).filter(properties.indices.contains).map { properties[$0] }
    }

    /// Returns the stated size of an item; `nil` if there is none.
    func size(of item: Int, _ limits: ImageLimits) throws(CodecError) -> PixelSize? {
        guard let ispe = properties(of: item).first("ispe") else { return nil }
        return try limits.size(UInt32(ispe.integer(4, at: 4)), UInt32(ispe.integer(4, at: 8)))
    }

    var maxSide: Int {
        properties.filter { $0.name == "ispe" }.reduce(0) { most, ispe in
            max(most, (try? ispe.content.integer(4, at: 4)) ?? 0, (try? ispe.content.integer(4, at: 8)) ?? 0)
        }
    }

    func targets(_ kind: FourCC, of item: Int) -> [Int] {
        references.first { $0.kind == kind && $0.item == item }?.targets ?? []
    }

    var withAlpha: Set<Int> { Set(references.lazy.filter { $0.kind == "auxl" && isAlpha($0.item) }.flatMap(\.targets)) }

    /// The types of auxiliary images with alpha, of AV1 and HEVC.
    private static let alphaTypes = ["urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1"]
        .map { Array($0.utf8) }

    private func isAlpha(_ auxiliary: Int) -> Bool {
        properties(of: auxiliary).contains { property in
            property.name == "auxC"
                && Self.alphaTypes.contains { property.content.bytes.dropFirst(4).starts(with: $0) }
        }
    }

    func exif(of item: Int, in input: ByteReader) throws(CodecError) -> [UInt8]? {
        let describing = references.first {
            $0.kind == "cdsc" && $0.targets.contains(item) && kinds[$0.item] == "Exif"
        }
        guard let exif = describing?.item else { return nil }
        let extents = try extents(of: exif)
        var total: CheckedSize = 0
        for extent in extents { total = try total + CheckedSize(extent.count) }
        guard total <= Self.maxExifBytes else { return nil }
        var bytes: [UInt8] = []
        for extent in extents { bytes += try input.bytes(extent.count, at: extent.lowerBound) }
        var block = BinaryReader(bytes)
        try block.skip(block.size(4))
        return Array(block.bytes.dropFirst(block.offset))
    }

    /// Returns the extents of an item in the file (`iloc`); empty if it is elsewhere.
    private func extents(of item: Int) throws(CodecError) -> [Range<Int>] {
        guard var iloc = places else { return [] }
        let version = try iloc.integer(4) >> 24
        let sizes = try iloc.integer(2)
        let (offsetBytes, lengthBytes, baseBytes) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
        let indexBytes = version == 0 ? 0 : sizes & 15
        guard version <= 2, [offsetBytes, lengthBytes, baseBytes, indexBytes].allSatisfy({ [0, 4, 8].contains($0) })
        else { return [] }
        let idBytes = version == 2 ? 4 : 2
        for _ in 0..<(try iloc.size(idBytes).upTo(BinaryReader.maxItems)) {
            let id = try iloc.integer(idBytes)
            let method = version > 0 ? try iloc.integer(2) & 15 : 0
            try iloc.skip(2)
            let base = try iloc.size(baseBytes)
            let count = try iloc.size(2)
            guard id == item else {
                try iloc.skip(count * CheckedSize(indexBytes + offsetBytes + lengthBytes))
                continue
            }
            guard method == 0 else { return [] }
            var extents: [Range<Int>] = []
            for _ in 0..<count.upTo(Self.maxExtents) {
                try iloc.skip(CheckedSize(indexBytes))
                extents.append(try (base + iloc.size(offsetBytes)).range(iloc.size(lengthBytes)))
            }
            return extents
        }
        return []
    }
}

internal import SpyglassPixels

/// The head of a box (ISO 14496-12, section 4.2).
struct HEIFBoxHeader {
    let name: FourCC
    /// The bytes of its content; `nil` if it extends to the end of what contains it.
    let count: CheckedSize?

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

/// A box in memory.
struct HEIFBox {
    let name: FourCC
    let content: BinaryReader
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

    /// Returns the properties of an item in their order.
    func properties(of item: Int) -> [HEIFBox] {
        (associations[item] ?? []).filter(properties.indices.contains).map { properties[$0] }
    }

    /// Returns the stated size of an item; `nil` if there is none.
    func size(of item: Int, _ limits: ImageLimits) throws(CodecError) -> PixelSize? {
        guard let ispe = properties(of: item).first("ispe") else { return nil }
        return try limits.size(UInt32(ispe.integer(4, at: 4)), UInt32(ispe.integer(4, at: 8)))
    }

    /// The largest side that any item states.
    var maxSide: Int {
        properties.filter { $0.name == "ispe" }.reduce(0) { most, ispe in
            max(most, (try? ispe.content.integer(4, at: 4)) ?? 0, (try? ispe.content.integer(4, at: 8)) ?? 0)
        }
    }

    /// Returns the items that an item refers to in a way.
    func targets(_ kind: FourCC, of item: Int) -> [Int] {
        references.first { $0.kind == kind && $0.item == item }?.targets ?? []
    }

    /// Returns the items that refer to another one in a way.
    private func items(_ kind: FourCC, to item: Int) -> [Int] {
        references.filter { $0.kind == kind && $0.targets.contains(item) }.map(\.item)
    }

    /// The items that have alpha.
    var withAlpha: Set<Int> {
        Set(references.lazy.filter { $0.kind == "auxl" && isAlpha($0.item) }.flatMap(\.targets))
    }

    /// The types of auxiliary images with alpha, of AV1 and HEVC.
    private static let alphaTypes = ["urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1"]
        .map { Array($0.utf8) }

    private func isAlpha(_ auxiliary: Int) -> Bool {
        properties(of: auxiliary).contains { property in
            property.name == "auxC"
                && Self.alphaTypes.contains { property.content.bytes.dropFirst(4).starts(with: $0) }
        }
    }

    // MARK: EXIF

    /// Returns the EXIF block of an item; `nil` without one.
    func exif(of item: Int, in input: ByteReader) throws(CodecError) -> [UInt8]? {
        guard let exif = items("cdsc", to: item).first(where: { kinds[$0] == "Exif" }) else { return nil }
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

internal import SpyglassPixels

/// The primary image of a HEIF or AVIF file by its boxes, read without the library (ISO 14496-12, ISO 23008-12).
struct HEIFHeader {
    /// As coded, and the part of it that is shown (`clap`).
    private(set) var codedSize = PixelSize(width: 1, height: 1)
    private(set) var area = PixelArea(of: PixelSize(width: 1, height: 1))
    private(set) var orientation = Orientation.up
    private(set) var hasAlpha = false
    private(set) var isGray = false
    private(set) var bits = 8
    /// Of all planes but alpha, for two pixels: those of 4:4:4 if it is not stated.
    private(set) var samples = 6
    /// Whether the image is stated to be AV1; that of a grid is not.
    private(set) var isAV1 = false
    /// The tiles that the image is put together from; 0 for a plain one.
    private(set) var tiles = 0
    private(set) var profile: [UInt8]?
    private(set) var exif: [UInt8]?

    init(_ input: ByteReader, _ limits: ImageLimits, _ format: ImageFormat) throws(CodecError) {
        let boxes = Boxes(bytes: try Self.meta(of: input, format))
        let top = boxes.all(in: 4..<boxes.bytes.count)
        guard let primary = boxes.primaryItem(top) else { throw .corrupt(format, "no primary image") }
        guard try read(boxes.properties(of: primary, top), boxes, limits) else {
            throw .corrupt(format, "an image without a size")
        }
        hasAlpha = boxes.hasAlpha(primary, top)
        if boxes.kind(of: primary, top) == "grid" { tiles = max(boxes.count("dimg", from: primary, top), 1) }
        let extents = boxes.exif(of: primary, top)
        guard (5...Self.maxExifBytes).contains(extents.reduce(0) { $0 + $1.count }) else { return }
        var bytes: [UInt8] = []
        for extent in extents { bytes += try input.bytes(extent.count, at: extent.lowerBound) }
        let skipped = 4 + bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        if skipped < bytes.count { exif = Array(bytes[skipped...]) }
    }

    /// The content of the box that describes the images.
    private static func meta(of input: ByteReader, _ format: ImageFormat) throws(CodecError) -> [UInt8] {
        var at = 0
        for _ in 0..<maxBoxes {
            guard let box = try Box(input, at: at) else { break }
            at = box.content.upperBound
            guard box.name == "meta" else { continue }
            guard (4...maxMetaBytes).contains(box.content.count) else {
                throw .corrupt(format, "a header of \(box.content.count) bytes")
            }
            let meta = try input.bytes(box.content.count, at: box.content.lowerBound)
            guard meta.count == box.content.count else { throw .corrupt(format, "the file ends inside its header") }
            return meta
        }
        throw .corrupt(format, "no header with an image")
    }

    /// Reads the properties of the primary image; returns false without a size.
    private mutating func read(
        _ properties: [Boxes.Found], _ boxes: Boxes, _ limits: ImageLimits
    ) throws(CodecError) -> Bool {
        var coded: PixelSize?
        var clap: [Int]?
        var turns = 0
        var mirror: Int?
        for property in properties {
            let content = property.content
            func number(_ offset: Int, _ count: Int) -> Int? { boxes.number(content, at: offset, bytes: count) }
            switch property.name {
            case "ispe":
                guard let width = number(4, 4), let height = number(8, 4) else { continue }
                coded = try limits.size(UInt32(width), UInt32(height))
            case "clap": clap = (0..<8).compactMap { number(4 * $0, 4).map { Int(Int32(truncatingIfNeeded: $0)) } }
            case "irot": turns = number(0, 1).map { $0 & 3 } ?? 0
            case "imir": mirror = number(0, 1).map { $0 & 1 }
            case "pixi":
                isGray = number(4, 1) == 1
                bits = number(5, 1) ?? bits
            case "av1C":
                // AV1-ISOBMFF, section 2.3.3: depth, monochrome, chroma subsampling along x and y.
                isAV1 = true
                let flags = number(2, 1) ?? 0
                bits = flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
                samples = flags & 0x10 != 0 ? 2 : flags & 0x08 == 0 ? 6 : flags & 0x04 == 0 ? 4 : 3
            case "colr" where content.count > 4 && content.count <= EmbeddedProfile.maxBytes:
                let kind = boxes.name(at: content.lowerBound)
                if kind == "prof" || kind == "rICC" { profile = Array(boxes.bytes[content.dropFirst(4)]) }
            default: break
            }
        }
        guard let coded else { return false }
        codedSize = coded
        area = Self.area(clap, of: coded) ?? PixelArea(of: coded)
        orientation = Self.orientation(turns: turns, mirror: mirror)
        return true
    }

    /// Boxes that are looked at for the header.
    private static let maxBoxes = 64
    private static let maxMetaBytes = 16 << 20
    private static let maxExifBytes = 1 << 20

    /// The clean aperture, in whole pixels (ISO 14496-12, section 12.1.4).
    private static func area(_ numbers: [Int]?, of size: PixelSize) -> PixelArea? {
        guard let n = numbers, n.count == 8, n[1] > 0, n[3] > 0, n[5] > 0, n[7] > 0 else { return nil }
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
        let topBottom: [Orientation] = [.downMirrored, .leftMirrored, .upMirrored, .rightMirrored]
        switch mirror {
        case nil: return turned[turns]
        case 0: return topBottom[turns]
        default: return leftRight[turns]
        }
    }

    var colorDescription: String { "\(isGray ? "grey" : "YCbCr")\(hasAlpha ? " and alpha" : ""), \(bits) bits" }
}

/// A box of a file.
private struct Box {
    let name: String
    let content: Range<Int>

    /// `nil` at the end, and for a box that states no size, which is the last.
    init?(_ input: ByteReader, at offset: Int) throws(CodecError) {
        let head = try input.bytes(16, at: offset)
        guard head.count >= 8 else { return nil }
        var size = head[0..<4].reduce(0) { $0 << 8 | Int($1) }
        var start = 8
        if size == 1 {
            guard head.count == 16, head[8] == 0, head[9] == 0 else { return nil }
            size = head[8..<16].reduce(0) { $0 << 8 | Int($1) }
            start = 16
        }
        guard size >= start, offset < 1 << 50 else { return nil }
        name = String(decoding: head[4..<8], as: UTF8.self)
        content = offset + start..<offset + size
    }
}

/// The boxes of a header in memory.
private struct Boxes {
    let bytes: [UInt8]

    struct Found {
        let name: String
        let content: Range<Int>
    }

    /// A number of up to eight bytes; `nil` if it is outside, or above any offset in a file.
    func number(_ range: Range<Int>, at offset: Int, bytes count: Int) -> Int? {
        guard offset >= 0, offset + count <= range.count else { return nil }
        let start = range.lowerBound + offset
        let value = bytes[start..<start + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return value < 1 << 48 ? Int(value) : nil
    }

    func name(at offset: Int) -> String { String(decoding: bytes[offset..<offset + 4], as: UTF8.self) }

    func all(in range: Range<Int>) -> [Found] {
        var found: [Found] = []
        var at = range.lowerBound
        while at + 8 <= range.upperBound, found.count < 4096 {
            guard let size = number(at..<range.upperBound, at: 0, bytes: 4), size >= 8, at + size <= range.upperBound
            else {
                break
            }
            found.append(Found(name: name(at: at + 4), content: at + 8..<at + size))
            at += size
        }
        return found
    }

    func primaryItem(_ top: [Found]) -> Int? {
        guard let pitm = top.first(where: { $0.name == "pitm" })?.content, let version = number(pitm, at: 0, bytes: 1)
        else { return nil }
        return number(pitm, at: 4, bytes: version == 0 ? 2 : 4)
    }

    /// The properties of an item in their order (`iprp`, `ipco`, `ipma`).
    func properties(of item: Int, _ top: [Found]) -> [Found] {
        guard let iprp = top.first(where: { $0.name == "iprp" })?.content else { return [] }
        let inside = all(in: iprp)
        guard let ipco = inside.first(where: { $0.name == "ipco" })?.content else { return [] }
        let properties = all(in: ipco)
        for ipma in inside where ipma.name == "ipma" {
            guard let flags = number(ipma.content, at: 0, bytes: 4), let count = number(ipma.content, at: 4, bytes: 4)
            else {
                continue
            }
            let (idBytes, indexBytes) = (flags >> 24 == 0 ? 2 : 4, flags & 1 == 0 ? 1 : 2)
            var at = 8
            for _ in 0..<min(count, 1 << 16) {
                guard let id = number(ipma.content, at: at, bytes: idBytes),
                    let associations = number(ipma.content, at: at + idBytes, bytes: 1)
                else { break }
                at += idBytes + 1
                if id == item {
                    return (0..<associations).compactMap { index in
                        guard let value = number(ipma.content, at: at + index * indexBytes, bytes: indexBytes) else {
                            return nil
                        }
                        let place = (value & (indexBytes == 1 ? 0x7F : 0x7FFF)) - 1
                        return properties.indices.contains(place) ? properties[place] : nil
                    }
                }
                at += associations * indexBytes
            }
        }
        return []
    }

    /// Items that refer to another one in a way.
    private func items(_ kind: String, to item: Int, _ top: [Found]) -> [Int] {
        references(kind, top).filter { $0.targets.contains(item) }.map(\.item)
    }

    /// How many items another one refers to in a way.
    func count(_ kind: String, from item: Int, _ top: [Found]) -> Int {
        references(kind, top).first { $0.item == item }?.targets.count ?? 0
    }

    /// Items that refer to others in a way (`iref`).
    private func references(_ kind: String, _ top: [Found]) -> [(item: Int, targets: [Int])] {
        guard let iref = top.first(where: { $0.name == "iref" })?.content, let version = number(iref, at: 0, bytes: 1)
        else { return [] }
        let idBytes = version == 0 ? 2 : 4
        return all(in: iref.lowerBound + 4..<max(iref.upperBound, iref.lowerBound + 4)).compactMap { reference in
            guard reference.name == kind, let from = number(reference.content, at: 0, bytes: idBytes),
                let count = number(reference.content, at: idBytes, bytes: 2)
            else { return nil }
            let targets = (0..<count).compactMap {
                number(reference.content, at: idBytes + 2 + $0 * idBytes, bytes: idBytes)
            }
            return (from, targets)
        }
    }

    func hasAlpha(_ item: Int, _ top: [Found]) -> Bool {
        for auxiliary in items("auxl", to: item, top).prefix(16) {
            for property in properties(of: auxiliary, top) where property.name == "auxC" && property.content.count > 4 {
                let kind = String(decoding: bytes[property.content.dropFirst(4)], as: UTF8.self)
                if kind.hasPrefix("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha")
                    || kind.hasPrefix("urn:mpeg:hevc:2015:auxid:1")
                {
                    return true
                }
            }
        }
        return false
    }

    /// Where the EXIF of an item is in the file; empty without any.
    func exif(of item: Int, _ top: [Found]) -> [Range<Int>] {
        let described = Set(items("cdsc", to: item, top))
        guard !described.isEmpty, let exif = kinds(top).first(where: { described.contains($0.id) && $0.kind == "Exif" })
        else { return [] }
        return extents(of: exif.id, top)
    }

    func kind(of item: Int, _ top: [Found]) -> String? { kinds(top).first { $0.id == item }?.kind }

    /// The items and their types (`iinf`).
    private func kinds(_ top: [Found]) -> [(id: Int, kind: String)] {
        guard let iinf = top.first(where: { $0.name == "iinf" })?.content, let version = number(iinf, at: 0, bytes: 1)
        else { return [] }
        let start = iinf.lowerBound + (version == 0 ? 6 : 8)
        guard start <= iinf.upperBound else { return [] }
        return all(in: start..<iinf.upperBound).compactMap { entry in
            guard entry.name == "infe", let version = number(entry.content, at: 0, bytes: 1), version >= 2 else {
                return nil
            }
            let idBytes = version == 2 ? 2 : 4
            guard let id = number(entry.content, at: 4, bytes: idBytes), entry.content.count >= 10 + idBytes else {
                return nil
            }
            return (id, name(at: entry.content.lowerBound + 6 + idBytes))
        }
    }

    /// The extents of an item in the file (`iloc`); empty if it is elsewhere.
    private func extents(of item: Int, _ top: [Found]) -> [Range<Int>] {
        guard let iloc = top.first(where: { $0.name == "iloc" })?.content, let version = number(iloc, at: 0, bytes: 1),
            version <= 2, let sizes = number(iloc, at: 4, bytes: 2)
        else { return [] }
        let (offsetBytes, lengthBytes, baseBytes) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
        let indexBytes = version == 0 ? 0 : sizes & 15
        guard [offsetBytes, lengthBytes, baseBytes, indexBytes].allSatisfy({ [0, 4, 8].contains($0) }) else {
            return []
        }
        let idBytes = version == 2 ? 4 : 2
        guard let count = number(iloc, at: 6, bytes: idBytes) else { return [] }
        var at = 6 + idBytes
        for _ in 0..<min(count, 1 << 16) {
            guard let id = number(iloc, at: at, bytes: idBytes) else { return [] }
            at += idBytes
            var method = 0
            if version > 0 {
                method = (number(iloc, at: at, bytes: 2) ?? 0) & 15
                at += 2
            }
            at += 2
            guard let base = number(iloc, at: at, bytes: baseBytes),
                let extents = number(iloc, at: at + baseBytes, bytes: 2)
            else { return [] }
            at += baseBytes + 2
            let extentBytes = indexBytes + offsetBytes + lengthBytes
            if id == item {
                guard method == 0 else { return [] }
                return (0..<extents).compactMap { extent in
                    let start = at + extent * extentBytes + indexBytes
                    guard let offset = number(iloc, at: start, bytes: offsetBytes),
                        let length = number(iloc, at: start + offsetBytes, bytes: lengthBytes)
                    else { return nil }
                    return base + offset..<base + offset + length
                }
            }
            at += extents * extentBytes
        }
        return []
    }
}

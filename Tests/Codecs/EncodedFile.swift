import SpyglassPixels

@testable import SpyglassCodecs

/// The parts of an encoded file, by the formats' specifications.
enum EncodedFile {
    /// A marker segment or a chunk, without its length, name and checksum.
    struct Part {
        let name: String
        let content: [UInt8]
    }

    /// The segments of a JPEG up to the first scan, named by their marker: `C0` for `SOF0`.
    static func segments(_ file: [UInt8]) -> [Part] {
        var parts: [Part] = []
        var at = 2
        while at + 4 <= file.count, file[at] == 0xFF {
            let length = Int(file[at + 2]) << 8 | Int(file[at + 3])
            guard at + 2 + length <= file.count else { break }
            let name = String(file[at + 1], radix: 16, uppercase: true)
            parts.append(Part(name: name, content: Array(file[at + 4..<at + 2 + length])))
            if name == "DA" { break }
            at += 2 + length
        }
        return parts
    }

    /// The chunks of a PNG.
    static func chunks(_ file: [UInt8]) -> [Part] {
        var parts: [Part] = []
        var at = 8
        while at + 12 <= file.count {
            let length = file[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            guard at + 12 + length <= file.count else { break }
            let name = String(decoding: file[at + 4..<at + 8], as: UTF8.self)
            parts.append(Part(name: name, content: Array(file[at + 8..<at + 8 + length])))
            at += 12 + length
        }
        return parts
    }
}

extension [EncodedFile.Part] {
    var names: [String] { map(\.name) }
    /// The content of the first part of a name.
    subscript(name: String) -> [UInt8]? { first { $0.name == name }?.content }
}

extension PixelBuffer {
    /// An image whose pixels are `color(x, y)`.
    init(_ width: Int, _ height: Int, color: (Int, Int) -> RGBA) {
        self.init(size: PixelSize(width: width, height: height))
        for y in 0..<height { for x in 0..<width { self[x, y] = color(x, y) } }
    }

    /// Gradients of three colours, like a sky.
    static func slopes(_ width: Int, _ height: Int) -> PixelBuffer {
        PixelBuffer(width, height) { x, y in
            RGBA(
                UInt8(40 + 160 * x / width), UInt8(200 - 120 * y / height),
                UInt8(90 + 60 * x / width + 60 * y / height))
        }
    }

    /// `count` colours, all visible if there are as many pixels.
    static func colors(_ count: Int, _ width: Int, _ height: Int, alpha: (Int) -> UInt8 = { _ in 255 }) -> PixelBuffer {
        PixelBuffer(width, height) { x, y in
            let number = (y * width + x) % count
            return RGBA(UInt8(number % 256), UInt8(255 - number % 256), UInt8(7 + number / 256), alpha(number))
        }
    }

    /// The greatest difference of a byte; 255 for another size.
    func greatestDifference(to other: PixelBuffer) -> Int {
        guard size == other.size else { return 255 }
        return zip(bytes, other.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }
}

extension ImageEncoder {
    /// The image after encoding and decoding.
    func roundTrip(_ picture: PixelBuffer) throws -> PixelBuffer {
        try ImageDecoder().decode(.bytes(encode(picture)), to: .original, isExact: true).pixels
    }

    /// The error of encoding, if any.
    func failure(_ picture: PixelBuffer) -> CodecError? {
        do throws(CodecError) {
            _ = try encode(picture)
            return nil
        } catch {
            return error
        }
    }
}

/// Writes minimal grey JPEG files with a restart marker after every block.
struct JPEGFile {
    var bytes: [UInt8] = [0xFF, 0xD8]
    /// Where the data of the only scan starts.
    private(set) var dataStart = 0

    init(width: Int, height: Int) {
        bytes.add(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        bytes.add(0xC0, [8] + [UInt8](height, bytes: 2) + [UInt8](width, bytes: 2) + [1, 1, 0x11, 0])
        // One code of one bit in each Huffman table: no difference of the mean, end of block (T.81, annex F.1.2).
        for table: UInt8 in [0x00, 0x10] { bytes.add(0xC4, [table, 1] + [UInt8](repeating: 0, count: 15) + [0]) }
        bytes.add(0xDD, [0, 1])
        bytes.add(0xDA, [1, 1, 0, 0, 63, 0])
        dataStart = bytes.count
        for block in 0..<((width + 7) / 8 * ((height + 7) / 8)) {
            if block > 0 { bytes += [0xFF, 0xD0 + UInt8((block - 1) % 8)] }
            bytes.append(Self.block)
        }
        bytes += [0xFF, 0xD9]
    }

    /// Bytes of a block and the following marker.
    static let blockBytes = 3
    /// Two zero bits, padded with ones.
    private static let block: UInt8 = 0x3F
}

extension [UInt8] {
    /// A marker segment of a JPEG.
    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + [UInt8](content.count + 2, bytes: 2) + content
    }

    fileprivate mutating func add(_ marker: UInt8, _ content: [UInt8]) { self += .segment(marker, content) }
}

/// Writes progressive JPEG files of one colour, with a scan for each named component.
struct ScansFile {
    private(set) var bytes: [UInt8] = [0xFF, 0xD8]
    /// Where each scan's header starts, and where the end-of-image marker does.
    private(set) var scanStarts: [Int] = []

    /// Scans of the mean alone, in this order, of a square of three components, YCbCr.
    init(side: Int, scans: [UInt8]) {
        let length = [UInt8](side, bytes: 2)
        bytes.add(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        bytes.add(0xC2, [8] + length + length + [3] + (1...3).flatMap { [$0, 0x11, 0] })
        // One code of one bit: no difference of the mean (T.81, annex F.1.2).
        bytes.add(0xC4, [0, 1] + [UInt8](repeating: 0, count: 15) + [0])
        let blocks = (side + 7) / 8 * ((side + 7) / 8)
        for component in scans {
            scanStarts.append(bytes.count)
            bytes.add(0xDA, [1, component, 0, 0, 0, 0])
            bytes += [UInt8](repeating: 0, count: blocks / 8)
            // The last bits, padded with ones.
            if blocks % 8 > 0 { bytes.append(0xFF >> UInt8(blocks % 8)) }
        }
        scanStarts.append(bytes.count)
        bytes += [0xFF, 0xD9]
    }
}

/// Writes small HEIF files, without image data.
enum HEIFFile {
    static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        number(content.count + 8, 4) + Array(name.utf8) + content
    }

    static func number(_ value: Int, _ count: Int) -> [UInt8] { [UInt8](value, bytes: count) }

    /// A file whose primary item 1 has a size of 4x3 and the EXIF item 2, with more boxes in its header.
    static func withExif(_ iloc: [UInt8], _ more: [UInt8] = [], brand: String = "heic") -> [UInt8] {
        let boxes =
            box("pitm", [0, 0, 0, 0, 0, 1])
            + box("iinf", [0, 0, 0, 0, 0, 1] + box("infe", [2, 0, 0, 0, 0, 2, 0, 0] + Array("Exif".utf8) + [0]))
            + box("iref", [0, 0, 0, 0] + box("cdsc", [0, 2, 0, 1, 0, 1]) + more)
            + box(
                "iprp",
                box("ipco", box("ispe", [0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 3]))
                    + box("ipma", [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1]))
            + box("iloc", iloc)
        return box("ftyp", Array(brand.utf8)) + box("meta", [0, 0, 0, 0] + boxes)
    }

    /// A file with a sequence of 64x48 pixels, 10 bits and 4:2:0, without a primary item.
    static func sequence(brand: String, entry: String = "av01", handlers: [String] = ["pict"]) -> [UInt8] {
        let configuration = box("av1C", [0x81, 0, 0x4C, 0])
        let sample = box(
            entry, [UInt8](repeating: 0, count: 24) + [0, 64, 0, 48] + [UInt8](repeating: 0, count: 50) + configuration)
        let table = box("stbl", box("stsd", [0, 0, 0, 0, 0, 0, 0, 1] + sample))
        let tracks = handlers.flatMap { handler in
            box("trak", box("mdia", box("hdlr", number(0, 8) + Array(handler.utf8)) + box("minf", table)))
        }
        return box("ftyp", Array(brand.utf8)) + box("meta", number(0, 4)) + box("moov", tracks)
    }
}

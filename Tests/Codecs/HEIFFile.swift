/// Writes small HEIF files, without image data.
enum HEIFFile {
    static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        number(content.count + 8, 4) + Array(name.utf8) + content
    }

    static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

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

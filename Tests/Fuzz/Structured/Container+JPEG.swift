/// JPEG (T.81), with EXIF, an index of several images (CIPA DC-007) and a profile in parts (ICC.1, annex B.4).
extension ContainerWriter {
    private mutating func segment(_ marker: UInt8, _ content: (inout ContainerWriter) -> Void) {
        add([0xFF, marker])
        sized(2, plus: 2, content)
    }

    mutating func jpeg() {
        add([0xFF, 0xD8])
        if oneOf([false, true]) {
            segment(0xE1) { segment in
                segment.text("Exif\0\0")
                segment.exif(hasThumbnail: true)
            }
        }
        if oneOf([false, true]) { index() }
        let parts = oneOf([1, 2])
        repeated([0, parts]) { file, part in
            file.segment(0xE2) { segment in
                segment.text("ICC_PROFILE\0")
                segment.number(part + 1, 1)
                segment.number(parts, 1)
                segment.repeated([16]) { segment, _ in segment.number(0, 4) }
            }
        }
        repeated([0, 1]) { file, _ in file.segment(0xFE) { $0.text("a comment") } }
        if oneOf([false, true]) { frame(0xC0, scans: [0x3F]) } else { progressive() }
        mark("second")
        baseline()
    }

    /// A complete file with one scan.
    mutating func baseline() {
        add([0xFF, 0xD8])
        frame(0xC0, scans: [0x3F])
    }

    /// A file without edge values, whose length others state.
    static let baselineFile: [UInt8] = {
        var writer = ContainerWriter(seed: 0)
        writer.baseline()
        return writer.bytes
    }()
    static var baselineBytes: Int { baselineFile.count }

    private mutating func index() {
        segment(0xE2) { segment in
            segment.text("MPF\0")
            segment.block { block in
                block.tiffHeader(first: "index")
                let images = block.oneOf([1, 2])
                let entries = Field(tag: 0xB002, type: 7, count: 16 * images, bytes: 16 * images) { writer in
                    for _ in 0..<images {
                        writer.plain(0x01_0001, 4)
                        writer.number(Self.baselineBytes, 4)
                        writer.offset("second", 4)
                        writer.number(0, 4)
                    }
                }
                block.directory("index", [.numbers(0xB001, 4, [images]), entries])
            }
        }
    }

    private mutating func tables() {
        segment(0xDB) { $0.repeated([1]) { $0.add([UInt8($1 & 3)] + [UInt8](repeating: 1, count: 64)) } }
        // One code of one bit: no difference from the block before, and the end of a block.
        for table in [0x00, 0x10] {
            segment(0xC4) { segment in
                segment.plain(table, 1)
                segment.list(1, [1], header: { $0.zeros(15) }) { segment, _ in segment.plain(0, 1) }
            }
        }
        if oneOf([false, true]) { segment(0xDD) { $0.number(1, 2) } }
    }

    private mutating func header(_ marker: UInt8) {
        tables()
        segment(marker) { segment in
            segment.number(8, 1)
            segment.number(8, 2)
            segment.number(8, 2)
            segment.list(1, [1]) { segment, index in
                segment.number(index + 1, 1)
                segment.number(0x11, 1)
                segment.number(0, 1)
            }
        }
    }

    private mutating func scan(from first: Int, to last: Int, _ data: UInt8) {
        segment(0xDA) { segment in
            segment.list(1, [1]) { segment, index in
                segment.number(index + 1, 1)
                segment.plain(0, 1)
            }
            segment.number(first, 1)
            segment.number(last, 1)
            segment.number(0, 1)
        }
        add([data])
    }

    private mutating func frame(_ marker: UInt8, scans: [UInt8]) {
        header(marker)
        for data in scans { scan(from: 0, to: 63, data) }
        add([0xFF, 0xD9])
    }

    private mutating func progressive() {
        header(0xC2)
        scan(from: 0, to: 0, 0x7F)
        repeated([1]) { file, _ in file.scan(from: 1, to: 63, 0x7F) }
        add([0xFF, 0xD9])
    }
}

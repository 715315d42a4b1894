/// Directories of TIFF and BigTIFF (TIFF 6.0, section 2), and the EXIF block that other containers hold.
extension ContainerWriter {
    /// A value of a directory: `bytes` is what `write` writes.
    struct Field: Sendable {
        let tag: Int
        let type: Int
        let count: Int
        let bytes: Int
        let write: @Sendable (inout ContainerWriter) -> Void

        static func numbers(_ tag: Int, _ type: Int, _ values: [Int]) -> Field {
            let width = [3: 2, 4: 4, 5: 4, 16: 8][type] ?? 1
            // A fraction is two numbers.
            let count = type == 5 ? values.count / 2 : values.count
            return Field(tag: tag, type: type, count: count, bytes: values.count * width) { writer in
                for value in values { writer.number(value, width) }
            }
        }

        static func text(_ tag: Int, _ text: String) -> Field {
            Field(tag: tag, type: 2, count: text.utf8.count + 1, bytes: text.utf8.count + 1) { $0.text(text + "\0") }
        }

        static func offsets(_ tag: Int, _ labels: [String], width: Int = 4) -> Field {
            Field(tag: tag, type: width == 8 ? 16 : 4, count: labels.count, bytes: labels.count * width) { writer in
                for label in labels { writer.offset(label, width) }
            }
        }
    }

    /// A directory that its label names, with the values that do not fit its entries behind it.
    mutating func directory(_ label: String, isBig: Bool = false, _ fields: [Field], next: String = "") {
        let width = isBig ? 8 : 4
        mark(label)
        list(isBig ? 8 : 2, [fields.count]) { writer, index in
            // A list that is too long repeats its last field.
            let field = fields[min(index, fields.count - 1)]
            writer.plain(field.tag, 2)
            writer.number(field.type, 2)
            writer.number(field.count, width)
            guard field.bytes <= width else { return writer.offset("\(label) \(field.tag)", width) }
            field.write(&writer)
            writer.zeros(width - field.bytes)
        }
        offset(next, width)
        for field in fields where field.bytes > width {
            mark("\(label) \(field.tag)")
            field.write(&self)
        }
    }

    mutating func tiffHeader(first: String, isBig: Bool = false) {
        text(isBigEndian ? "MM" : "II")
        plain(isBig ? 43 : 42, 2)
        if isBig {
            number(8, 2)
            plain(0, 2)
        }
        offset(first, isBig ? 8 : 4)
    }

    mutating func tiff() {
        isBigEndian = oneOf([false, true])
        let (isBig, isTiled, samples, strips) = (
            oneOf([false, true]), oneOf([false, true]), oneOf([1, 3]), oneOf([1, 2])
        )
        let isDeflated = oneOf([false, true])
        let parts = (0..<(isTiled ? 1 : strips)).map { "part \($0)" }
        let partBytes = (isTiled ? 256 : 64 / strips) * samples
        let stored = partBytes + (isDeflated ? Self.zlibBytes : 0)
        var fields: [Field] = [
            .numbers(256, 3, [8]), .numbers(257, 4, [8]), .numbers(258, 3, samples == 1 ? [8] : [8, 8, 8]),
            .numbers(259, 3, [isDeflated ? 8 : 1]), .numbers(262, 3, [samples == 1 ? 1 : 2]), .numbers(274, 3, [1]),
            .numbers(277, 3, [samples]), .text(305, "a program"),
        ]
        if isTiled {
            fields += [.numbers(322, 3, [16]), .numbers(323, 3, [16])]
        } else {
            fields.append(.numbers(278, 3, [8 / strips]))
        }
        fields.append(.offsets(isTiled ? 324 : 273, parts, width: isBig ? 8 : 4))
        fields.append(.numbers(isTiled ? 325 : 279, 4, parts.map { _ in stored }))
        fields += [.offsets(34665, ["camera"]), .numbers(34675, 7, Array(repeating: 0, count: 128))]
        fields.sort { $0.tag < $1.tag }
        tiffHeader(first: "first", isBig: isBig)
        directory("first", isBig: isBig, fields, next: oneOf(["", "first", "camera"]))
        directory("camera", isBig: isBig, Self.cameraFields)
        for part in parts {
            mark(part)
            let pixels = [UInt8](repeating: 100, count: partBytes)
            if isDeflated { zlib(pixels) } else { add(pixels) }
        }
    }

    private static let cameraFields: [Field] = [
        .numbers(0x829A, 5, [1, 60]), .text(0x9003, "2026:11:24 20:00:00"), .numbers(0xA002, 3, [8]),
    ]

    /// An EXIF block (CIPA DC-008, section 4.5).
    mutating func exif(hasThumbnail: Bool = false) {
        let outer = isBigEndian
        isBigEndian = oneOf([false, true])
        block { block in
            block.tiffHeader(first: "exif 0")
            let main: [Field] = [
                .text(0x010F, "a maker"), .numbers(0x0112, 3, [1]), .offsets(0x8769, ["exif camera"]),
            ]
            block.directory("exif 0", main, next: hasThumbnail ? "exif 1" : "")
            block.directory("exif camera", Self.cameraFields)
            guard hasThumbnail else { return }
            block.directory(
                "exif 1", [.offsets(0x0201, ["thumbnail"]), .numbers(0x0202, 4, [Self.baselineBytes])])
            block.mark("thumbnail")
            block.baseline()
        }
        isBigEndian = outer
    }

    /// The length of an EXIF block without a thumbnail.
    static let exifBytes: Int = {
        var writer = ContainerWriter(seed: 0)
        writer.exif()
        return writer.bytes.count
    }()
}

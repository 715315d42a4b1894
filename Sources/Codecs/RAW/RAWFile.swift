internal import SpyglassPixels

/// The JPEG files and the EXIF within a camera's RAW file, found without a library.
struct RAWFile {
    /// Where the JPEG files are, the longest first; they may be anything, and may end behind the file.
    private(set) var previews: [Range<Int>] = []
    private(set) var orientation: Orientation?
    private(set) var exif: [UInt8]?
    /// Whether other images or directories are missing, which may be larger.
    private(set) var isCut = false

    init(_ input: ByteReader) throws(CodecError) {
        let head = BinaryReader(input.head)
        if head.matches(Self.fujifilm) {
            // The JPEG has the EXIF.
            previews = [try head.size(4, at: 84).range(head.size(4, at: 88))]
        } else if head.name(at: 4) == "ftyp" {
            try readBoxes(of: input)
        } else {
            try readDirectories(of: input)
        }
        let longest = Set(previews).filter { !$0.isEmpty }.sorted {
            ($0.count, -$0.lowerBound) > ($1.count, -$1.lowerBound)
        }
        previews = Array(longest.prefix(Self.maxPreviews))
    }

    /// Cameras write two or three.
    private static let maxPreviews = 16

    static let fujifilm = Array("FUJIFILMCCD-RAW".utf8)

    /// Returns whether a TIFF is a RAW file.
    ///
    /// It is one if it is a DNG, if an image in it has a sensor's colours or compression, or if it names a camera and has a JPEG
    /// and a reduced image, but none of full size.
    static func isRAW(_ input: ByteReader) -> Bool {
        guard let first = try? TIFFDirectory(input) else { return false }
        let dngVersion = 50706
        let all = first.withOthers
        let hasSensorData = all.contains { directory in
            sensorColors.contains(directory.number(262) ?? 0) || sensorCompressions.contains(directory.number(259) ?? 0)
        }
        return first.contains(dngVersion) || hasSensorData
            || first.isReduced && first.contains(272) && !all.contains(where: \.isFullSize)
                && all.contains { $0.contains(0x0201) || $0.number(259) == 6 }
    }

    /// Colour filter arrays (TIFF/EP) and linear sensor data (DNG).
    private static let sensorColors = [32803, 34892]
    /// Compressions of Kodak, Sony, Epson, Samsung, Panasonic, Nikon, Pentax and lossy DNG (ExifTool's names of the tag Compression).
    private static let sensorCompressions = [
        262, 32767, 32769, 32770, 32772, 32867, 34316, 34713, 34826, 34828, 34830, 34892, 65000, 65535,
    ]

    // MARK: TIFF: CR2, NEF, ARW, DNG, ORF, RW2, PEF, SRW

    private mutating func readDirectories(of input: ByteReader) throws(CodecError) {
        let first = try TIFFDirectory(input)
        orientation = first.number(274).flatMap(Orientation.init)
        exif = try first.exif()
        let all = first.withOthers
        isCut = all.contains(where: \.lacksImages)
        previews = all.flatMap(Self.previews)
        if let range = try? olympusPreview(first, input) { previews.append(range) }
    }

    /// Returns the JPEG files that a directory refers to.
    private static func previews(in directory: TIFFDirectory) -> [Range<Int>] {
        let panasonic = directory.range(0x002E)
        var pairs = [(directory.number(0x0201), directory.number(0x0202))]
        // Old and new JPEG, in one strip.
        if let compression = directory.number(259), [6, 7].contains(compression) {
            pairs.append((directory.number(273), directory.number(279)))
        }
        return pairs.compactMap { start, count in
            guard let start, let count else { return nil }
            return try? CheckedSize(start).range(CheckedSize(count))
        } + [panasonic].compactMap(\.self)
    }

    /// Returns the preview that the maker's notes of an ORF refer to (CameraSettings); offsets count from their start.
    private mutating func olympusPreview(
        _ first: TIFFDirectory, _ input: ByteReader
    ) throws(CodecError) -> Range<Int>? {
        guard let exif = first.number(Exif.exifDirectory), let notes = try first.directory(at: exif).range(0x927C)
        else {
            return nil
        }
        let end = try input.byteCount()
        guard notes.upperBound <= end else {
            isCut = true
            return nil
        }
        let part = try ByteReader(notes.lowerBound..<end, of: input)
        let head = BinaryReader(part.head)
        let names = [("OLYMPUS\0", 12), ("OM SYSTEM\0", 16)]
        guard let start = names.first(where: { head.matches(Array($0.0.utf8)) })?.1 else { return nil }
        let main = try first.directory(at: start, in: part)
        guard let settings = main.number(0x2020) ?? main.range(0x2020)?.lowerBound else { return nil }
        let directory = try main.directory(at: settings)
        guard let offset = directory.number(0x0101), let count = directory.number(0x0102) else { return nil }
        return try (CheckedSize(notes.lowerBound) + CheckedSize(offset)).range(CheckedSize(count))
    }

    // MARK: Boxes: CR3

    private static let canonHeader: [UInt8] = [
        0x85, 0xC0, 0xB6, 0x87, 0x82, 0x0F, 0x11, 0xE0, 0x81, 0x11, 0xF4, 0xCE, 0x46, 0x2B, 0x6A, 0x48,
    ]
    private static let canonPreview: [UInt8] = [
        0xEA, 0xF4, 0x2B, 0x5E, 0x1C, 0x98, 0x4B, 0x88, 0xB9, 0xFB, 0xB7, 0xDC, 0x40, 0x6E, 0x4D, 0x16,
    ]

    private mutating func readBoxes(of input: ByteReader) throws(CodecError) {
        for box in try input.boxes(in: 0..<input.byteCount()) {
            switch box.name {
            case "uuid" where try input.bytes(16, at: box.content.lowerBound) == Self.canonPreview:
                // A number comes before the box.
                try addPreview("PRVW", in: box.content.dropFirst(24), sizeAt: 12, of: input)
            case "moov":
                for box in try input.boxes(in: box.content) {
                    // Other tracks have the sensor's data.
                    do throws(CodecError) {
                        if box.name == "trak", let range = try Self.sample(of: box, in: input) {
                            let start = try input.bytes(2, at: range.lowerBound)
                            if start == JPEGDecoding.signature { previews.append(range) }
                            isCut = isCut || start.isEmpty
                        }
                    } catch  where error.kind == .corrupt {
                        // A damaged track must not hide the previews of others.
                    }
                    guard box.name == "uuid", try input.bytes(16, at: box.content.lowerBound) == Self.canonHeader
                    else { continue }
                    let content = box.content.dropFirst(16)
                    try addPreview("THMB", in: content, sizeAt: 8, of: input)
                    try readMetadata(in: content, of: input)
                }
            default: break
            }
        }
    }

    /// Adds the JPEG file that follows the fields of a box.
    private mutating func addPreview(
        _ name: FourCC, in content: Range<Int>, sizeAt offset: Int, of input: ByteReader
    ) throws(CodecError) {
        guard let box = try input.boxes(in: content).first(where: { $0.name == name }) else { return }
        let fieldBytes = 16
        let fields = BinaryReader(try input.bytes(fieldBytes, at: box.content.lowerBound))
        guard let count = try? fields.size(4, at: offset) else { return }
        previews.append(try CheckedSize(box.content.lowerBound + fieldBytes).range(count))
    }

    /// The first directory and the one of the exposure are in boxes of their own.
    private mutating func readMetadata(in content: Range<Int>, of input: ByteReader) throws(CodecError) {
        let boxes = try input.boxes(in: content)
        func directory(_ name: FourCC) throws(CodecError) -> TIFFDirectory? {
            guard let box = boxes.first(where: { $0.name == name }) else { return nil }
            return try? TIFFDirectory(ByteReader(box.content, of: input))
        }
        guard let main = try directory("CMT1") else { return }
        orientation = main.number(274).flatMap(Orientation.init)
        exif = try main.exif(directory("CMT2"))
    }

    /// Returns where the only sample of a track is (ISO 14496-12, sections 8.7.3 and 8.7.5).
    private static func sample(of track: FileBox, in input: ByteReader) throws(CodecError) -> Range<Int>? {
        var content = track.content
        for name in ["mdia", "minf", "stbl"] as [FourCC] {
            guard let box = try input.boxes(in: content).first(where: { $0.name == name }) else { return nil }
            content = box.content
        }
        let boxes = try input.boxes(in: content)
        func fields(_ name: FourCC) throws(CodecError) -> BinaryReader? {
            guard let box = boxes.first(where: { $0.name == name }) else { return nil }
            return BinaryReader(try input.bytes(min(box.content.count, 32), at: box.content.lowerBound))
        }
        guard let sizes = try fields("stsz"), let offsets = try fields("co64"), try sizes.integer(4, at: 8) == 1 else {
            return nil
        }
        let common = try sizes.size(4, at: 4)
        return try offsets.size(8, at: 8).range(common > 0 ? common : sizes.size(4, at: 12))
    }
}

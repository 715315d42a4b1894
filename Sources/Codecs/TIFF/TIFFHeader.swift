internal import SpyglassPixels

/// The directory of the image to decode in a TIFF or BigTIFF file, read without the library (TIFF 6.0, section 2).
///
/// Chooses the first image, or if that is a reduced copy, the first of full size.
struct TIFFHeader {
    let size: PixelSize
    let orientation: Orientation
    /// Whether pixels have a sample of alpha, and whether they may be transparent.
    let hasAlphaSample: Bool
    let hasAlpha: Bool
    let isGray: Bool
    let isPalette: Bool
    let colorDescription: String
    let compression: Int
    /// Bytes that the library needs for a strip or a row of tiles, raw and as pixels.
    let partBytes: Int
    let profile: Range<Int>?
    let exif: [UInt8]?
    /// Where the directory is; `nil` for the first one.
    let directoryAt: Int?
    /// Whether the image is a reduced copy of one whose directory is missing.
    let isStandIn: Bool

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        let first = try TIFFDirectory(input)
        let all = first.isReduced ? first.withOthers : [first]
        let directory = all.first(where: \.isFullSize) ?? first
        directoryAt = directory.start == first.start ? nil : directory.start
        isStandIn = directory.isReduced && all.contains(where: \.lacksImages)
        exif = (try? directory.exif()) ?? (try? first.exif()) ?? nil
        guard let width = try directory.numbers(256).first, let height = try directory.numbers(257).first else {
            throw .corrupt(.tiff, "a directory without a size")
        }
        size = try limits.size(UInt32(clamping: width), UInt32(clamping: height))
        orientation = try (directory.numbers(274) + first.numbers(274)).first.flatMap(Orientation.init) ?? .up
        let samples = try directory.numbers(277).first ?? 1
        let photometric = try directory.numbers(262).first ?? 1
        let colors = photometric == 2 || photometric == 6 || photometric == 8 ? 3 : photometric == 5 ? 4 : 1
        isGray = photometric <= 1
        isPalette = photometric == 3
        // The first extra sample is alpha, also if its kind is not stated (ExtraSamples), except among inks; kind 0 is not alpha.
        let extra = try directory.numbers(338).first ?? (photometric == 5 ? 0 : 2)
        hasAlphaSample = samples > colors && (photometric <= 3 || photometric == 5) && extra != 0
        let isFloatingPoint = try directory.numbers(339).first == 3
        hasAlpha = hasAlphaSample || photometric <= 2 && isFloatingPoint
        let bits = try directory.numbers(258).first ?? 1
        let space = [0: "grey", 1: "grey", 2: "RGB", 3: "palette", 5: "CMYK", 6: "YCbCr", 8: "CIELab"][photometric]
        colorDescription =
            "\(space ?? "other")\(hasAlphaSample ? " and alpha" : ""), \(bits) bit\(bits == 1 ? "" : "s")"
        let (tileWidth, tileRows) = (try directory.numbers(322).first ?? 0, try directory.numbers(323).first)
        let stripRows = try directory.numbers(278).first
        let configuration = try directory.numbers(284).first
        let isPlanar = samples > 1 && configuration == 2
        compression = try directory.numbers(259).first ?? 1
        let isCompressed = compression != 1
        let pixelBytes = (min(samples, 64) * min(bits, 64) + 7) / 8
        let partRows = min(max(tileRows ?? stripRows ?? size.height, 1), size.height)
        if tileRows == nil, photometric <= 3 || photometric == 5, !isPlanar {
            // Read row by row; a compressed strip is in memory.
            let stripBytes = min(try input.byteCount(), partRows * size.width * pixelBytes)
            partBytes = 2 * size.width * pixelBytes + (isCompressed ? stripBytes : 0)
        } else {
            // Raw, unpacked, as RGBA, and in a band of the image's width. Larger tiles are refused.
            let (width, rows) = (max(tileWidth, size.width), max(tileRows ?? partRows, 1))
            let maxPixels = 4 * max(size.pixelCount, 1 << 20)
            partBytes = (width > maxPixels / rows ? maxPixels : width * rows) * (2 * pixelBytes + 8)
        }
        profile = directory.range(34675)
    }
}

/// A directory of a TIFF or BigTIFF file, read where it is (TIFF 6.0, section 2).
struct TIFFDirectory {
    private var input: ByteReader
    private let isBig: Bool
    /// The entries that the file holds.
    private var entries: BinaryReader
    private(set) var start = 0
    /// Whether the file holds all entries.
    private var isWhole = true
    /// Where the next directory is; 0 after the last one.
    private(set) var next = 0

    init(_ input: ByteReader) throws(CodecError) {
        var head = BinaryReader(try input.bytes(16, at: 0))
        guard head.count >= 8 else { throw .corrupt(.tiff, "the file ends inside its header") }
        head.isBigEndian = head.matches(Array("MM".utf8))
        isBig = try head.integer(2, at: 2) == 43
        self.input = input
        entries = head
        guard let start = isBig ? try? head.size(8, at: 8) : try head.size(4, at: 4), start >= 8 else {
            throw .corrupt(.tiff, "a header without a directory")
        }
        try read(at: start)
    }

    private mutating func read(at start: CheckedSize) throws(CodecError) {
        self.start = start.value
        let countBytes = isBig ? 8 : 2
        let head = reader(try input.bytes(countBytes, at: start.value))
        guard let count = try? head.size(countBytes, at: 0) else {
            throw .corrupt(.tiff, "the file ends before its directory")
        }
        // Fewer than a hundred tags are in use.
        let bytes = count.upTo(Self.maxEntries) * entryBytes
        entries = reader(try input.bytes(bytes, at: start.value + countBytes))
        isWhole = bytes > 0 && entries.count == bytes
        let link = reader(try input.bytes(isBig ? 8 : 4, at: start.value + countBytes + bytes))
        // The link follows the last entry, so it is not here if entries were left out.
        next = count.value > Self.maxEntries ? 0 : (try? link.size(link.count, at: 0))?.value ?? 0
    }

    private static let maxEntries = 4096

    /// Returns the directory at an offset of the file, or of `part` of it.
    func directory(at start: Int, in part: ByteReader? = nil) throws(CodecError) -> TIFFDirectory {
        var directory = self
        directory.input = part ?? input
        try directory.read(at: CheckedSize(start))
        return directory
    }

    /// This directory, and those that it and they refer to: reduced or other images (SubIFDs), and the next ones.
    var withOthers: [TIFFDirectory] {
        var directories = [self]
        var read = 0
        while read < directories.count {
            let directory = directories[read]
            read += 1
            for start in directory.links {
                guard start > 0, directories.count < Self.maxDirectories,
                    !directories.contains(where: { $0.start == start }), let other = try? directory.directory(at: start)
                else { continue }
                directories.append(other)
            }
        }
        return directories
    }

    /// Where SubIFDs and the next directory are.
    private var links: [Int] { ((try? numbers(330, upTo: Self.maxDirectories)) ?? []) + [next] }

    /// Whether the directory of an image that this one refers to is missing, or not whole.
    var lacksImages: Bool {
        let others = integers(330)?.count.upTo(Self.maxDirectories) ?? 0
        return !isWhole || links.count <= others
            // Directories begin at even offsets; others are no links.
            || links.contains { start in
                start >= 8 && start.isMultiple(of: 2) && (try? directory(at: start))?.isWhole != true
            }
    }

    private static let maxDirectories = 64

    /// Whether the image is a smaller copy of another one (NewSubfileType, or SubfileType).
    var isReduced: Bool { (number(254) ?? 0) & 1 == 1 || number(255) == 2 }
    /// Whether the image is neither a reduced copy nor a mask.
    var isFullSize: Bool { !isReduced && (number(254) ?? 0) & 4 == 0 && contains(256) && contains(257) }

    private func reader(_ bytes: [UInt8]) -> BinaryReader { BinaryReader(bytes, isBigEndian: entries.isBigEndian) }

    private var entryBytes: Int { isBig ? 20 : 12 }

    /// An entry, and where its value is: in the entry itself, or in the file.
    private struct Entry {
        let tag: Int
        let type: Int
        let count: CheckedSize
        let width: CheckedSize
        let inEntry: BinaryReader
        /// Where the bytes are in the file, unless they are in the entry.
        let range: Range<Int>?
    }

    /// Returns the entry at an offset; `nil` if it is not whole, of an unknown type, or larger than any file.
    private func entry(at offset: Int) -> Entry? {
        let sizeBytes = isBig ? 8 : 4
        guard var fields = try? entries.part(CheckedSize(entryBytes), at: offset), let tag = try? fields.integer(2),
            let type = try? fields.integer(2), let width = Self.widths[type], let count = try? fields.size(sizeBytes),
            let inEntry = try? fields.part(CheckedSize(sizeBytes), at: fields.offset), let length = try? count * width
        else { return nil }
        var range: Range<Int>?
        if length > CheckedSize(sizeBytes) {
            guard let place = try? fields.size(sizeBytes).range(length) else { return nil }
            range = place
        }
        return Entry(tag: tag, type: type, count: count, width: width, inEntry: inEntry, range: range)
    }

    private var offsets: StrideTo<Int> { stride(from: 0, to: entries.count, by: entryBytes) }

    private func entry(_ tag: Int) -> Entry? {
        offsets.first { (try? entries.integer(2, at: $0)) == tag }.flatMap { entry(at: $0) }
    }

    func contains(_ tag: Int) -> Bool { offsets.contains { (try? entries.integer(2, at: $0)) == tag } }

    /// Returns where the bytes of an entry are in the file, unless they are in the entry.
    func range(_ tag: Int) -> Range<Int>? { entry(tag)?.range }

    /// Returns the bytes of the first `most` values; fewer where the file ends.
    private func bytes(of entry: Entry, upTo most: Int) throws(CodecError) -> BinaryReader {
        let count = entry.count.upTo(most) * entry.width.value
        guard let range = entry.range else { return try entry.inEntry.part(CheckedSize(count), at: 0) }
        return reader(try input.bytes(count, at: range.lowerBound))
    }

    /// Returns the integer of an entry; `nil` without one, or with several.
    func number(_ tag: Int) -> Int? {
        guard let numbers = try? numbers(tag, upTo: 2), numbers.count == 1 else { return nil }
        return numbers[0]
    }

    private func integers(_ tag: Int) -> Entry? {
        entry(tag).flatMap { Self.integerTypes.contains($0.type) ? $0 : nil }
    }

    /// Returns the first integers of an entry; none if one of them is negative, or larger than any file.
    func numbers(_ tag: Int, upTo most: Int = 4) throws(CodecError) -> [Int] {
        guard let entry = integers(tag) else { return [] }
        let (bytes, width) = (try bytes(of: entry, upTo: most), entry.width.value)
        var values: [Int] = []
        for at in 0..<bytes.count / width {
            guard let value = (try? bytes.size(width, at: at * width))?.value,
                !TIFFBlock.isNegative(value, type: entry.type, width: width)
            else { return [] }
            values.append(value)
        }
        return values
    }

    /// BYTE, SHORT, LONG, those with a sign, IFD, and those of BigTIFF.
    private static let integerTypes = [1, 3, 4, 6, 8, 9, 13, 16, 17, 18]
    private static let widths: [Int: CheckedSize] = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8,
    ]

    /// Copies the values of a camera or program to an EXIF block; `nil` without any.
    ///
    /// Leaves out maker notes, whose offsets would be wrong. `exposure` replaces the linked EXIF directory, for files that keep
    /// it elsewhere.
    func exif(_ exposure: TIFFDirectory? = nil) throws(CodecError) -> [UInt8]? {
        var main = try values { Self.cameraTags.contains($0) }
        func linked(_ tag: Int) throws(CodecError) -> TIFFDirectory? {
            try numbers(tag).first.flatMap { try? directory(at: $0) }
        }
        var camera: [Value] = []
        let other: TIFFDirectory? = if let exposure { exposure } else { try linked(Exif.exifDirectory) }
        if let other, other.entries.isBigEndian == entries.isBigEndian {
            camera = try other.values { !Self.leftOutTags.contains($0) }
        }
        let position = try linked(Exif.positionDirectory)?.values { _ in true } ?? []
        guard !main.isEmpty || !camera.isEmpty || !position.isEmpty else { return nil }
        let headerBytes = 8
        func link(_ tag: Int, _ place: Int) -> Value { Value(tag: tag, type: 4, count: 1, bytes: digits(place, 4)) }
        let tags = [Exif.exifDirectory] + (position.isEmpty ? [] : [Exif.positionDirectory])
        let cameraAt = headerBytes + block(main + tags.map { link($0, 0) }, at: headerBytes).count
        let places = [cameraAt, cameraAt + block(camera, at: cameraAt).count]
        main += zip(tags, places).map(link)
        let header = Array((entries.isBigEndian ? "MM" : "II").utf8) + digits(42, 2) + digits(headerBytes, 4)
        let rest = block(camera, at: places[0]) + (position.isEmpty ? [] : block(position, at: places[1]))
        return header + block(main, at: headerBytes) + rest
    }

    private struct Value {
        let tag: Int
        let type: Int
        let count: Int
        var bytes: [UInt8]
    }

    /// Description, maker, model, program, time, artist, copyright.
    private static let cameraTags = [0x010E, 0x010F, 0x0110, 0x0131, 0x0132, 0x013B, 0x8298]
    /// MakerNote, interoperability.
    private static let leftOutTags = [0x927C, 0xA005]
    /// Maximum bytes of one value, and of one directory: three directories must fit into a segment of a JPEG (64 KiB).
    private static let maxValueBytes = 4096
    private static let maxDirectoryBytes = 20 << 10

    private func values(where isWanted: (Int) -> Bool) throws(CodecError) -> [Value] {
        var values: [Value] = []
        var sum = 0
        for offset in offsets {
            guard let entry = entry(at: offset), isWanted(entry.tag), entry.type <= 12,
                case let length = entry.count.upTo(Self.maxValueBytes + 1) * entry.width.value,
                length <= Self.maxValueBytes, sum + entryBytes + length <= Self.maxDirectoryBytes
            else { continue }
            let bytes = try bytes(of: entry, upTo: Self.maxValueBytes).bytes
            guard bytes.count == length else { continue }
            values.append(Value(tag: entry.tag, type: entry.type, count: entry.count.value, bytes: Array(bytes)))
            sum += entryBytes + length
        }
        return values
    }

    /// A directory that starts at `offset` of a block, and its values.
    private func block(_ values: [Value], at offset: Int) -> [UInt8] {
        let inEntry = 4
        var entries = digits(values.count, 2)
        var stored: [UInt8] = []
        let valuesAt = offset + 2 + 12 * values.count + 4
        for value in values {
            entries += digits(value.tag, 2) + digits(value.type, 2) + digits(value.count, 4)
            if value.bytes.count <= inEntry {
                entries += value.bytes + [UInt8](repeating: 0, count: inEntry - value.bytes.count)
            } else {
                entries += digits(valuesAt + stored.count, 4)
                stored += value.bytes
            }
        }
        return entries + digits(0, 4) + stored
    }

    private func digits(_ value: Int, _ count: Int) -> [UInt8] {
        [UInt8](value, bytes: count, isBigEndian: entries.isBigEndian)
    }
}

import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("TIFFDecoding: header")
struct TIFFHeaderTests {
    private func file(_ name: String) -> [UInt8] { FormatFixture(name: name, format: .tiff).bytes }

    @Test("The header is read without the library", arguments: FormatFixture.all(.tiff, ".tif"))
    func header(file: FormatFixture) throws {
        let info = try ImageFormat.tiff.metadata(file.bytes).info
        #expect(info.storedSize == PixelSize(width: 33, height: 27))
        #expect(info.hasAlpha == file.name.contains("alpha"))
        let digit = file.name.hasPrefix("orientation-") ? file.name.dropFirst(12).first : "1"
        #expect(info.orientation.rawValue == digit?.wholeNumberValue)
    }

    @Test("Colours are described and profiles named")
    func description() throws {
        for (name, description) in [
            ("rgb", "RGB, 8 bits"), ("grey16", "grey, 16 bits"), ("bilevel", "grey, 1 bit"),
            ("palette", "palette, 8 bits"), ("cmyk", "CMYK, 8 bits"), ("jpeg", "YCbCr, 8 bits"),
            ("alpha", "RGB and alpha, 8 bits"), ("bigtiff", "RGB, 8 bits"),
        ] { #expect(try ImageFormat.tiff.metadata(file("\(name).tif")).info.colorDescription == description) }
        #expect(try ImageFormat.tiff.metadata(file("profile.tif")).profile == "sRGB built-in")
    }

    @Test("Sizes and orientation may be of any type of integer, unless they are negative")
    func types() throws {
        func info(_ width: Int) throws -> ImageInfo {
            var file = ExifBlock(isBigEndian: false)
            file.directory([(256, 9, 1, width), (257, 1, 1, 3), (0x0112, 6, 1, 6)])
            return try ImageFormat.tiff.metadata(file.bytes).info
        }
        let found = try info(4)
        #expect(found.storedSize == PixelSize(width: 4, height: 3) && found.orientation == .right)
        #expect(throws: CodecError.self) { try info(0xFFFF_FFFF) }
    }

    @Test("What a camera states is read, wherever in the file it is", arguments: [false, true])
    func exif(isBigEndian: Bool) throws {
        let note = [UInt8](repeating: 0xAB, count: 100)
        func file(_ exifAt: Int) -> ExifBlock {
            var file = ExifBlock(isBigEndian: isBigEndian, directoryAt: 5000)
            file.directory([
                (256, .short(4)), (257, .short(3)), (0x0110, .text("Model 7")), (0x0112, .short(6)),
                (0x8769, .long(exifAt)),
            ])
            return file
        }
        var whole = file(file(0).bytes.count)
        whole.directory([(0x829A, .fraction(1, 250)), (0x8827, .short(640)), (0x927C, .bytes(note))])
        let metadata = try ImageFormat.tiff.metadata(whole.bytes)
        #expect(metadata.camera == "Model 7" && metadata.exposureTime == 0.004 && metadata.iso == 640)
        #expect(metadata.info.orientation == .right)
        let block = try #require(try TIFFDirectory(ByteReader(.bytes(whole.bytes), isCancelled: { false })).exif())
        #expect(block.count < 200 && !block.contains(0xAB) && Exif.upright(block) != nil)
        #expect(Exif.orientation(in: block[...]) == nil)
        for count in 5000..<whole.bytes.count {
            _ = try? ImageFormat.tiff.metadata(Array(whole.bytes[..<count]))
        }
    }
}

@Suite("TIFFDecoding", .enabled(if: WorkerLibrary.tiff.isInstalled, "needs libtiff6"))
struct TIFFDecodingTests {
    private static let files = FormatFixture.all(.tiff, ".tif")

    @Test("An image equals Pillow's", arguments: files)
    func pixels(file: FormatFixture) throws {
        let image = try ImageFormat.tiff.decode(file.bytes)
        #expect(image.completeness == .complete && image.warnings == 0 && image.colorWarning == nil)
        // JPEG decoders differ by a step.
        #expect(image.pixels.greatestDifference(to: try file.expected()) <= (file.name == "jpeg.tif" ? 2 : 0))
    }

    @Test("Every truncation gives an error or rows", arguments: files)
    func truncated(file: FormatFixture) throws {
        let bytes = file.bytes
        for count in 0..<bytes.count {
            guard let error = ImageFormat.tiff.failure(Array(bytes[..<count])) else { continue }
            #expect(
                [.corrupt, .unsupported].contains(error.kind) && isOneLine(error.description), "\(count): \(error)")
        }
    }

    @Test("Strips that end early give the rows before them")
    func cutStrips() throws {
        // The directory is at the end: only the strips' bytes are damaged.
        var bytes = FormatFixture(name: "strips.tif", format: .tiff).bytes
        for at in bytes.count / 2..<bytes.count / 2 + 200 { bytes[at] = 0xFF }
        let image = try ImageFormat.tiff.decode(bytes)
        #expect(image.rows > 4 && image.rows < 27 && image.firstWarning != nil)
        let whole = try FormatFixture(name: "strips.tif", format: .tiff).expected()
        #expect(image.bytes(ofRows: 4) == whole.bytes[..<(4 * whole.stride)])
    }

    /// A TIFF with the strips `parts`, one for each plane.
    private func file(
        _ width: Int, _ height: Int, bits: Int, samples: Int = 1, _ photometric: Int, format: Int = 1,
        extra: Int? = nil, compression: Int = 1,
        palette: [Int] = [], isBigEndian: Bool = false, _ parts: [UInt8]...
    ) -> [UInt8] {
        func words(_ values: [Int]) -> [UInt8] { values.flatMap { [UInt8]($0, bytes: 2, isBigEndian: isBigEndian) } }
        let data = parts.flatMap(\.self)
        var file = ExifBlock(isBigEndian: isBigEndian, directoryAt: 4096)
        file.bytes.replaceSubrange(8..<8 + data.count, with: data)
        let colorsAt = 3000
        file.bytes.replaceSubrange(colorsAt..<colorsAt + 2 * palette.count, with: words(palette))
        let offsetsAt = 2800
        var starts = [8]
        for part in parts { starts.append(starts[starts.count - 1] + part.count) }
        let offsets = words(starts.dropLast().map { $0 }) + words(parts.map(\.count))
        file.bytes.replaceSubrange(offsetsAt..<offsetsAt + offsets.count, with: offsets)
        let isPlanar = parts.count > 1
        var entries = [
            (256, 3, 1, width), (257, 3, 1, height), (258, 3, 1, bits), (259, 3, 1, compression),
            (262, 3, 1, photometric),
            (273, isPlanar ? 3 : 4, parts.count, isPlanar ? offsetsAt : 8), (277, 3, 1, samples), (278, 3, 1, height),
            (279, isPlanar ? 3 : 4, parts.count, isPlanar ? offsetsAt + 2 * parts.count : data.count),
            (284, 3, 1, isPlanar ? 2 : 1),
        ]
        if !palette.isEmpty { entries.append((320, 3, palette.count, colorsAt)) }
        if let extra { entries.append((338, 3, 1, extra)) }
        entries.append((339, 3, 1, format))
        file.directory(entries)
        return file.bytes
    }

    @Test("Damage that the library goes on after is damage")
    func damage() throws {
        // A row that equals the one above it is one bit (ITU-T T.6); two end-of-line codes end the page.
        let codes: [UInt8] = [0xFF, 0x00, 0x10, 0x01]
        #expect(try ImageFormat.tiff.decode(file(16, 8, bits: 1, 0, compression: 4, codes)).completeness == .complete)
        for damaged: [UInt8] in [[0xF0, 0x00, 0x00, 0x00], [0xF0, 0x40, 0x00, 0x00]] {
            let image = try ImageFormat.tiff.decode(file(16, 8, bits: 1, 0, compression: 4, damaged))
            #expect(image.completeness == .degraded && image.firstWarning != nil, "\(damaged)")
        }

        var jpeg = FormatFixture(name: "jpeg.tif", format: .tiff).bytes
        let scan = try #require(jpeg.indices.last { jpeg[$0...].starts(with: [0xFF, 0xDA]) })
        jpeg.replaceSubrange(scan + 100..<scan + 102, with: [0xFF, 0xD9])
        let image = try ImageFormat.tiff.decode(jpeg)
        #expect(image.completeness == .degraded && image.firstWarning?.contains("premature end") == true)
        let bare = try ImageFormat.tiff.decode(file(2, 1, bits: 8, 3, [0, 1]))
        #expect(bare.completeness == .degraded && bare.firstWarning == "the palette is missing")
    }

    private func pixels(_ bytes: [UInt8]) throws -> [[UInt8]] {
        try ImageFormat.tiff.decode(bytes).pixels.colors.map { [$0.red, $0.green, $0.blue, $0.alpha] }
    }

    private func expect(
        _ bytes: [UInt8], has expected: [[UInt8]], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try pixels(bytes) == expected, sourceLocation: sourceLocation)
    }

    private func grey(_ levels: [UInt8]) -> [[UInt8]] { levels.map { [$0, $0, $0, 255] } }

    private func bytes(_ values: [Float]) -> [UInt8] {
        values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
    }

    @Test("Integers are shown from their least to their greatest, narrow ones from 0 to their maximum")
    func integers() throws {
        let twelve: [UInt8] = [0x00, 0x08, 0x00, 0xFF, 0xF0]
        try expect(file(3, 1, bits: 12, 1, twelve), has: grey([0, 128, 255]))
        try expect(file(3, 1, bits: 12, 0, twelve), has: grey([255, 127, 0]))
        try expect(file(4, 1, bits: 3, 1, [0b00001011, 0b11010000]), has: grey([0, 73, 255, 182]))
        try expect(file(1, 1, bits: 2, samples: 3, 2, [0b00011100]), has: [[0, 85, 255, 255]])
        // Signed ones.
        try expect(file(3, 1, bits: 8, 1, format: 2, [0x80, 0x00, 0x7F]), has: grey([0, 128, 255]))
        let sixteen: [UInt8] = [0x00, 0x80, 0x00, 0x00, 0xFF, 0x7F]
        try expect(file(3, 1, bits: 16, 1, format: 2, sixteen), has: grey([0, 128, 255]))
        for isBigEndian in [false, true] {
            let data = [100, 151, 355].flatMap { [UInt8]($0, bytes: 4, isBigEndian: isBigEndian) }
            try expect(file(3, 1, bits: 32, 1, isBigEndian: isBigEndian, data), has: grey([0, 51, 255]))
        }
        // Small differences of 64 bits.
        let data = [-1, 50, 254].flatMap { value in withUnsafeBytes(of: Int64(value).littleEndian, Array.init) }
        try expect(file(3, 1, bits: 64, 1, format: 2, data), has: grey([0, 51, 255]))
    }

    @Test("Floating-point numbers are shown from their least to their greatest; NaN is empty")
    func floatingPoint() throws {
        let values: [Float] = [-2, .nan, 3, .infinity, -.infinity, 0.5]
        let expected: [[UInt8]] = [
            [0, 0, 0, 255], [0, 0, 0, 0], [255, 255, 255, 255], [255, 255, 255, 255], [0, 0, 0, 255],
            [128, 128, 128, 255],
        ]
        let bytes = file(3, 2, bits: 32, 1, format: 3, bytes(values))
        try expect(bytes, has: expected)
        let region = try ImageFormat.tiff.decode(bytes, region: ImageRegion(x: 0, y: 0.5, width: 1, height: 0.5))
        #expect(region.info.hasAlpha && region.pixels[2, 0] == RGBA(128, 128, 128))
        let none = file(2, 1, bits: 32, 1, format: 3, self.bytes([.nan, .nan]))
        try expect(none, has: [[0, 0, 0, 0], [0, 0, 0, 0]])
    }

    @Test("Floating-point colours with associated alpha are divided by it before they are measured")
    func associatedAlpha() throws {
        let colors: [Float] = [0, 1, 0.5, 1, 0.25, 0.5, 1, 1, 0, 0]
        let grey = file(5, 1, bits: 32, samples: 2, 1, format: 3, extra: 1, bytes(colors))
        let expected: [[UInt8]] = [
            [0, 0, 0, 255], [128, 128, 128, 255], [128, 128, 128, 128], [255, 255, 255, 255], [0, 0, 0, 0],
        ]
        try expect(grey, has: expected)
        let rgb = file(2, 1, bits: 32, samples: 4, 2, format: 3, extra: 1, bytes([0.25, 0.5, 1, 1, 0.25, 0, 0.5, 0.5]))
        try expect(rgb, has: [[64, 128, 255, 255], [128, 0, 255, 128]])
        // A pixel that is not seen, such as a glow, may be any multiple of the others.
        let glow = file(3, 1, bits: 32, samples: 2, 1, format: 3, extra: 1, bytes([0, 1, 1, 1, 0.5, 1e-6]))
        try expect(glow, has: [[0, 0, 0, 255], [255, 255, 255, 255], [0, 0, 0, 0]])
        let wide = file(
            2, 1, bits: 32, samples: 2, 1, extra: 1, [100, 0, 0, 0, 255, 255, 255, 255, 100, 0, 0, 0, 0, 0, 0, 0x80])
        try expect(wide, has: [[0, 0, 0, 255], [255, 255, 255, 128]])
    }

    @Test("Planes of unusual depths are put together")
    func planes() throws {
        let twelve = file(1, 2, bits: 12, samples: 3, 2, [0xFF, 0xF0, 0, 0], [0, 0, 0xFF, 0xF0], [0x80, 0, 0x80, 0])
        try expect(twelve, has: [[255, 0, 128, 255], [0, 255, 128, 255]])
        let floats = file(
            2, 1, bits: 32, samples: 3, 2, format: 3, bytes([0, 1]), bytes([1, .nan]), bytes([0.5, 0]))
        try expect(floats, has: [[0, 255, 128, 255], [0, 0, 0, 0]])
    }

    @Test("A palette may have an alpha, and indices of 16 bits")
    func palettes() throws {
        let columns = [0, 65535, 0, 0] + [0, 0, 65535, 0] + [0, 0, 0, 65535]
        let alpha = file(2, 1, bits: 2, samples: 2, 3, extra: 2, palette: columns, [0b01111001])
        try expect(alpha, has: [[255, 0, 0, 255], [0, 255, 0, 85]])
    }

    @Test("Inks of 8 and 16 bits are converted alike")
    func inks() throws {
        let eight = try pixels(file(2, 1, bits: 8, samples: 4, 5, [255, 0, 0, 0, 0, 128, 0, 64]))
        let sixteen = try pixels(
            file(2, 1, bits: 16, samples: 4, 5, [255, 0, 0, 0, 0, 128, 0, 64].flatMap { [$0, $0] }))
        #expect(eight == sixteen && eight[0] == [0, 255, 255, 255])
    }

    @Test("The fifth sample of CMYK is alpha, unless the file declares it as something else")
    func inksWithAlpha() throws {
        let data: [UInt8] = [255, 0, 0, 0, 255, 0, 128, 0, 64, 51]
        func decoded(_ extra: Int) throws -> [[UInt8]] {
            try pixels(file(2, 1, bits: 8, samples: 5, 5, extra: extra, data))
        }
        let straight = try decoded(2)
        let opaque = try pixels(file(2, 1, bits: 8, samples: 4, 5, [255, 0, 0, 0, 0, 128, 0, 64]))
        #expect(straight.map { $0.dropLast() } == opaque.map { $0.dropLast() } && straight.map(\.[3]) == [255, 51])
        // A fifth ink is not alpha.
        #expect(try [decoded(0), pixels(file(2, 1, bits: 8, samples: 5, 5, data))] == [opaque, opaque])
        // Ink of 26 at an alpha of a fifth is ink of 130.
        let associated = try pixels(file(1, 1, bits: 8, samples: 5, 5, extra: 1, [0, 26, 0, 0, 51]))
        #expect(try associated == pixels(file(1, 1, bits: 8, samples: 5, 5, extra: 2, [0, 130, 0, 0, 51])))
        let planar = file(1, 1, bits: 8, samples: 5, 5, extra: 2, [255], [0], [0], [0], [51])
        try expect(planar, has: [[0, 255, 255, 51]])
    }

    @Test("Neutral CIELab is neutral, and its colours are those of D50", arguments: [8, 9])
    func lab(photometric: Int) throws {
        // As lcms2 converts them.
        let zero: UInt8 = photometric == 9 ? 128 : 0
        let data: [UInt8] = [224, zero, zero, 136, zero &- 40, zero &+ 30, 255, zero, zero]
        let found = try pixels(file(3, 1, bits: 8, samples: 3, photometric, data))
        let wanted: [[Int]] = [[220, 220, 220], [54, 144, 72], [255, 255, 255]]
        for (found, wanted) in zip(found, wanted) {
            #expect(zip(found, wanted).allSatisfy { abs(Int($0) - $1) <= 1 }, "\(found) for \(wanted)")
        }
        #expect(Set(found[0].dropLast()).count == 1 && found[2] == [255, 255, 255, 255])
    }

    @Test("A compression that the library cannot decode is unsupported, and named", arguments: [34712, 50002, 65000])
    func compressions(number: Int) throws {
        var bytes = file(2, 1, bits: 8, 1, [1, 2])
        // The entry of Compression becomes another one.
        let at = try #require(bytes.firstRange(of: [3, 1, 3, 0, 1, 0, 0, 0, 1, 0])?.lowerBound) + 8
        bytes.replaceSubrange(at..<at + 2, with: [UInt8(number & 255), UInt8(number >> 8)])
        let name = [34712: " (JPEG 2000)", 50002: " (JPEG XL)"][number] ?? ""
        #expect(ImageFormat.tiff.failure(bytes) == .unsupported(.tiff, "compression \(number)\(name)"))
    }

    @Test("The image of full size is shown, not a reduced one before it", arguments: [false, true])
    func reduced(inSubdirectory: Bool) throws {
        var file = ExifBlock(isBigEndian: false, directoryAt: 100)
        file.bytes.replaceSubrange(8..<12, with: [1, 2, 3, 4])
        func entries(_ kind: Int, _ side: Int, _ start: Int) -> [(Int, Int, Int, Int)] {
            [
                (254, 4, 1, kind), (256, 3, 1, side), (257, 3, 1, 1), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
                (273, 4, 1, start), (274, 3, 1, kind == 1 ? 3 : 1), (277, 3, 1, 1), (278, 3, 1, 1), (279, 4, 1, side),
            ]
        }
        let (first, model) = (entries(1, 1, 11), (272, 2, 2, 0x37))
        let second = 100 + 2 + 12 * (first.count + 2) + 4
        file.directory(
            first[..<6] + [model] + first[6...] + [(330, inSubdirectory ? 4 : 7, 1, second)],
            next: inSubdirectory ? 0 : second)
        file.directory(entries(0, 3, 8))
        let image = try ImageDecoder(workers: .inProcess).decode(.bytes(file.bytes), to: .original)
        #expect(image.info.format == .tiff && image.info.orientation == .up)
        try expect(file.bytes, has: grey([1, 2, 3]))
        #expect(try ImageFormat.tiff.metadata(file.bytes).camera == "7")
        let isEmptied = !inSubdirectory
        let rest = [UInt8](repeating: 0, count: isEmptied ? 100 : 0)
        let cut = try ImageDecoder(workers: .inProcess).decode(.bytes(file.bytes[..<second] + rest), to: .original)
        #expect(cut.completeness == .degraded && cut.firstWarning == "the image of full size is missing")
    }

    @Test(
        "A BigTIFF refers to its image of full size by type IFD8; two reduced ones may come first", arguments: [1, 2])
    func bigSubdirectories(reduced: Int) throws {
        func digits(_ number: Int, _ count: Int) -> [UInt8] { [UInt8](number, bytes: count, isBigEndian: false) }
        let (fields, headerBytes) = (11, 16)
        let directoryBytes = 8 + 20 * fields + 8
        func start(_ index: Int) -> Int { headerBytes + index * directoryBytes }
        var file = Array("II".utf8) + digits(43, 2) + digits(8, 2) + digits(0, 2) + digits(start(0), 8)
        for index in 0...reduced {
            let (isLast, side) = (index == reduced, index == reduced ? 3 : 1)
            let values = [
                (254, 4, isLast ? 0 : 1), (256, 3, side), (257, 3, 1), (258, 3, 8), (259, 3, 1), (262, 3, 1),
                (273, 16, start(reduced + 1)), (277, 3, 1), (278, 3, 1), (279, 4, side),
            ]
            let link = isLast ? (65000, 3, 0) : (330, 18, start(index + 1))
            file += digits(fields, 8)
            for (tag, type, value) in values + [link] {
                file += digits(tag, 2) + digits(type, 2) + digits(1, 8) + digits(value, 8)
            }
            file += digits(0, 8)
        }
        try expect(file + [1, 2, 3], has: grey([1, 2, 3]))
        // Behind the file's first directory, or the second.
        for cut in start(reduced) - directoryBytes / 2..<start(reduced) + 9 where cut % 7 == 0 {
            let image = try? ImageDecoder(workers: .inProcess).decode(.bytes(Array(file[..<cut])), to: .original)
            #expect(image?.completeness != .complete, "\(cut)")
        }
    }

    @Test("Tiles with more pixels than a number can hold are an error")
    func largestTiles() {
        var bytes = FormatFixture(name: "tiles.tif", format: .tiff).bytes
        let directory = (0..<4).reduce(0) { $0 | Int(bytes[4 + $1]) << (8 * $1) }
        for entry in 0..<Int(bytes[directory]) {
            let at = directory + 2 + 12 * entry
            // TileWidth and TileLength become 4,294,967,280, as 32 bits.
            guard [66, 67].contains(bytes[at]), bytes[at + 1] == 1 else { continue }
            bytes.replaceSubrange(at + 2..<at + 12, with: [4, 0, 1, 0, 0, 0, 0xF0, 0xFF, 0xFF, 0xFF])
        }
        #expect(ImageFormat.tiff.failure(bytes)?.kind == .corrupt)
    }
}

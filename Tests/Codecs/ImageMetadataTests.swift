import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("ImageMetadata")
struct ImageMetadataTests {
    private static let header = ImageInfo(
        format: .jpeg, storedSize: PixelSize(width: 4, height: 3), colorDescription: "YCbCr, 8 bits")

    private static let main: [(tag: Int, value: ExifBlock.Value)] = [
        (0x010F, .text("FUJIFILM")), (0x0110, .text("X-T3")), (0x0112, .short(6)), (0x0131, .text("Ver1.10")),
    ]
    private static let exif: [(tag: Int, value: ExifBlock.Value)] = [
        (0x829A, .fraction(10, 2500)), (0x829D, .fraction(28, 10)), (0x8827, .short(640)),
        (0x9003, .text("2024:05:17 12:30:45")), (0x9011, .text("+02:00")), (0x920A, .fraction(350, 10)),
        (0xA405, .short(53)), (0xA433, .text("FUJIFILM")), (0xA434, .text("XF35mmF1.4 R")),
    ]

    private static var expected: ImageMetadata {
        var metadata = ImageMetadata(info: header)
        metadata.camera = "FUJIFILM X-T3"
        metadata.lens = "FUJIFILM XF35mmF1.4 R"
        metadata.software = "Ver1.10"
        metadata.date = "2024-05-17T12:30:45+02:00"
        metadata.exposureTime = 0.004
        metadata.fNumber = 2.8
        metadata.iso = 640
        metadata.focalLength = 35
        metadata.focalLengthOn35mmFilm = 53
        return metadata
    }

    private func read(_ block: [UInt8]) -> ImageMetadata {
        var metadata = ImageMetadata(info: Self.header)
        metadata.read(exif: block[...])
        return metadata
    }

    private func read(
        main: [(tag: Int, value: ExifBlock.Value)] = [], exif: [(tag: Int, value: ExifBlock.Value)] = []
    ) -> ImageMetadata { read(ExifBlock.camera(main: main, exif: exif)) }

    @Test("Camera, lens, exposure and date are read in both byte orders", arguments: [true, false])
    func all(isBigEndian: Bool) {
        #expect(
            read(ExifBlock.camera(isBigEndian: isBigEndian, main: Self.main, exif: Self.exif)) == Self.expected)
    }

    @Test("At every length of a block, a value is complete or missing", arguments: [true, false])
    func truncated(isBigEndian: Bool) {
        let block = ExifBlock.camera(isBigEndian: isBigEndian, main: Self.main, exif: Self.exif)
        let whole = Self.expected
        for count in block.indices {
            let part = read(Array(block[..<count]))
            let texts: [(String?, [String?])] = [
                (part.camera, ["X-T3", "FUJIFILM", whole.camera]),
                (part.lens, ["XF35mmF1.4 R", "FUJIFILM", whole.lens]),
                (part.software, [whole.software]), (part.date, ["2024-05-17T12:30:45", whole.date]),
            ]
            let numbers = [
                (part.exposureTime, whole.exposureTime), (part.fNumber, whole.fNumber),
                (part.iso.map(Double.init), whole.iso.map(Double.init)), (part.focalLength, whole.focalLength),
            ]
            #expect(texts.allSatisfy { $0 == nil || $1.contains($0) }, "\(count)")
            #expect(numbers.allSatisfy { $0 == nil || $0 == $1 }, "\(count)")
        }
    }

    @Test("A maker is left out where the model names it")
    func camera() {
        for (maker, model, camera) in [
            ("Canon", "Canon EOS 5D", "Canon EOS 5D"), ("NIKON CORPORATION", "NIKON D850", "NIKON D850"),
            ("Apple", "iPhone 12", "Apple iPhone 12"), ("  SONY ", " ILCE-7M3   ", "SONY ILCE-7M3"), ("", "X", "X"),
            ("Leica", "", "Leica"), (" ", "", nil),
        ] { #expect(read(main: [(0x010F, .text(maker)), (0x0110, .text(model))]).camera == camera) }
    }

    @Test("A text ends at its first zero byte and after 128 bytes, and may hold anything else")
    func texts() {
        for (value, text) in [
            (.text("X\0Y"), "X"), (.text("\u{1B}[31m"), "\u{1B}[31m"),
            (.text(String(repeating: "x", count: 100_000)), String(repeating: "x", count: 128)),
            (.bytes([0x58, 0xFF, 0x59, 0x5A, 0x20]), "X\u{FFFD}YZ"),
        ] as [(ExifBlock.Value, String)] { #expect(read(main: [(0x0110, value)]).camera == text) }
    }

    @Test("A fraction of zero, or over zero, counts as missing", arguments: [(0, 10), (10, 0), (0, 0)])
    func fractions(numerator: Int, denominator: Int) {
        let value = ExifBlock.Value.fraction(numerator, denominator)
        let metadata = read(exif: [(0x829A, value), (0x829D, value), (0x920A, value)])
        #expect(metadata == ImageMetadata(info: Self.header))
    }

    @Test("The largest and the smallest fraction are read")
    func extremeFractions() {
        let most = Int(UInt32.max)
        let metadata = read(exif: [(0x829A, .fraction(1, most)), (0x829D, .fraction(most, 1))])
        #expect([metadata.exposureTime, metadata.fNumber] == [1 / Double(most), Double(most)])
    }

    @Test(
        "A date that is not one counts as missing",
        arguments: [
            "0000:00:00 00:00:00", "    :  :     :  :  ", "2024:13:01 00:00:00", "2024:05:32 00:00:00",
            "2024:05:17 24:00:00", "2024:05:17 12:60:00", "2024-05-17 12:30:45", "2024:05:17T12:30:45",
            "2024:05:17 12:30", "2024:05:17 12:30:4\u{664}", "+024:05:17 12:30:45",
        ])
    func badDate(text: String) {
        #expect(read(exif: [(0x9003, .text(text)), (0x9011, .text("+02:00"))]).date == nil)
    }

    @Test("Without the date of the picture, that of its digitization counts, then that of its change")
    func otherDates() {
        let (changed, digitized) = ((0x0132, ExifBlock.Value.text("2024:05:19 10:00:00")), "2024:05:18 09:00:00")
        let blocks: [[(tag: Int, value: ExifBlock.Value)]] = [
            [], [(0x9010, .text("+01:00"))], [(0x9004, .text(digitized)), (0x9012, .text("-03:00"))],
        ]
        #expect(
            blocks.map { read(main: [changed], exif: $0).date } == [
                "2024-05-19T10:00:00", "2024-05-19T10:00:00+01:00", "2024-05-18T09:00:00-03:00",
            ])
    }

    @Test("A date without a valid offset has none", arguments: ["", "Z", "+2:00", "+24:00", "+02:60", "02:00 "])
    func badOffset(text: String) {
        let metadata = read(exif: [(0x9003, .text("2024:05:17 12:30:45")), (0x9011, .text(text))])
        #expect(metadata.date == "2024-05-17T12:30:45")
    }

    @Test("Values of a wrong type or count count as missing")
    func wrongTypes() {
        let wrong: [ExifBlock.Value] = [.text("640"), .bytes([0, 0, 2, 128]), .short(0)]
        let blocks =
            wrong.map { [(0x8827, $0), (0x829A, $0), (0xA405, $0)] } + [[(0x829A, .short(1)), (0x829D, .long(2))]]
        for block in blocks { #expect(read(exif: block) == ImageMetadata(info: Self.header)) }
        #expect(read(exif: [(0x8827, .long(102_400))]).iso == 102_400)
    }

    @Test("A directory that points to itself or outside is read once, or not at all")
    func loops() {
        for target in [0, 7, 8, 1000, Int(UInt32.max)] {
            var block = ExifBlock(isBigEndian: true)
            block.directory([(0x8769, 4, 1, target), (0x0110, 2, 2, 0x5800_0000)], next: 8)
            #expect(read(block.bytes).camera == "X")
        }
    }

    @Test("A directory that states 65,535 entries is read to the end of the block")
    func manyEntries() {
        var block = ExifBlock(isBigEndian: true)
        block.add(65_535, 2)
        block.add(0x0110, 2)
        block.add(2, 2)
        block.add(2, 4)
        block.add(0x5800_0000, 4)
        #expect(read(block.bytes).camera == "X")
    }

    @Test("A value of 4 billion bytes counts as missing", arguments: [2, 5, 7, 12, 0, 13, 65_535])
    func hugeCounts(type: Int) {
        var block = ExifBlock(isBigEndian: false)
        block.directory([(0x0110, type, Int(UInt32.max), 8), (0x8769, 4, 1, 8), (0x829A, type, Int(UInt32.max), 8)])
        #expect(read(block.bytes) == ImageMetadata(info: Self.header))
    }

    @Test("The position is not read")
    func position() {
        let block = ExifBlock.camera(main: [(0x8825, .long(8))], exif: [(0x0002, .text("48.1"))])
        #expect(read(block) == ImageMetadata(info: Self.header))
    }

    @Test("A JPEG and a PNG have the metadata that their encoder was given")
    func files() throws {
        let block = ExifBlock.camera(main: Self.main, exif: Self.exif)
        for format in [ImageEncoder.Format.jpeg(.init()), .png] {
            let file = try ImageEncoder(format, exif: block).encode(.slopes(20, 10))
            let metadata = try ImageDecoder().metadata(of: .bytes(file))
            var expected = ImageMetadata(info: try ImageDecoder().probe(.bytes(file)))
            expected.read(exif: block[...])
            #expect(metadata == expected && metadata.camera == "FUJIFILM X-T3")
        }
    }

    @Test("Every fixture has the header that decoding finds, and at most a program")
    func fixtures() throws {
        for fixture in FixturePicture.all {
            let info = try? ImageDecoder().probe(.file(fixture.path))
            let metadata = try? ImageDecoder().metadata(of: .file(fixture.path))
            var expected = info.map { ImageMetadata(info: $0) }
            if metadata?.software != nil { expected?.software = "fix" }
            #expect(metadata == expected, "\(fixture.file)")
        }
    }

    @Test("A profile is named")
    func profile() throws {
        let named = names(in: TestData.fixture("color/pictures")).compactMap { name in
            try? ImageDecoder().metadata(of: .file(TestData.fixture("color/pictures/\(name)"))).profile
        }
        #expect(named.contains { $0.contains("Display P3") })
    }
}

@Suite("ImageMetadata of photographs", .enabled(if: TestData.shared != nil, "needs the shared recordings"))
struct PhotographMetadataTests {
    private func metadata(_ file: String) throws -> ImageMetadata {
        try ImageDecoder().metadata(of: .file("\(TestData.shared ?? "")/images/hostile/jpeg-odd/\(file)"))
    }

    @Test("A telephone's photograph")
    func telephone() throws {
        let metadata = try metadata("pillow-ultrahdr.jpg")
        var expected = metadata
        expected.camera = "Google Pixel 6"
        expected.lens = "Google Pixel 6 back camera 6.81mm f/1.85"
        expected.software = "HDR+ 1.0.621982163zd"
        expected.date = "2024-05-07T09:33:04+08:00"
        expected.exposureTime = 0.04
        expected.fNumber = 1.85
        expected.iso = 89
        expected.focalLength = 6.81
        expected.focalLengthOn35mmFilm = 24
        #expect(metadata == expected)
    }

    @Test("Photographs of three cameras")
    func cameras() throws {
        let canon = try metadata("pillow-flower.jpg")
        let kodak = try metadata("twelvemonkeys-exif-rgb-thumbnail-bad-exif-kodak-dc210.jpg")
        let olympus = try metadata("twelvemonkeys-meta-exif-with-interop-subdir-R98.jpg")
        #expect(
            [canon, kodak, olympus].map(\.camera) == [
                "Canon PowerShot S40", "Eastman Kodak Company DC210 Zoom (V05.00)", "OLYMPUS OPTICAL CO.,LTD C3040Z",
            ])
        // The clock of the last camera was not set.
        #expect([canon.date, olympus.date] == ["2003-12-14T12:01:44", "2004-12-01T13:08:17"])
        #expect(canon.exposureTime == 0.002 && kodak.iso == nil)
    }
}

import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("Embedded previews")
struct EmbeddedPreviewTests {
    private let decoder = ImageDecoder()
    private static let target = TargetSize.box(80, 60)
    private static let size = PixelSize(width: 80, height: 60)
    private static let orientationTag = 0x0112
    private static let profile = contents(TestData.fixture("color/profiles/p3.icc"))

    /// Preview and image look alike, but differ in one colour.
    private static func picture(_ width: Int, _ height: Int, blue: UInt8 = 0) -> PixelBuffer {
        PixelBuffer(width, height) { x, y in RGBA(UInt8(250 * x / width), UInt8(250 * y / height), blue) }
    }

    private static func file(_ picture: PixelBuffer, exif: [UInt8]? = nil, profile: [UInt8]? = nil, mpf: [UInt8]? = nil)
        throws -> [UInt8]
    {
        var file = try ImageEncoder(.jpeg(.init())).encode(picture)
        func insert(_ marker: UInt8, _ content: [UInt8]) {
            file.insert(contentsOf: [UInt8].segment(marker, content), at: 2)
        }
        if let profile { insert(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1] + profile) }
        if let mpf { insert(0xE2, Array("MPF\0".utf8) + mpf) }
        if let exif { insert(0xE1, Array("Exif\0\0".utf8) + exif) }
        return file
    }

    private static func thumbnail(
        _ width: Int = 160, _ height: Int = 120, exif: [UInt8]? = nil, profile: [UInt8]? = nil
    ) throws -> [UInt8] { try file(picture(width, height, blue: 200), exif: exif, profile: profile) }

    /// An image of 400x300 that carries a thumbnail.
    private static func image(
        thumbnail: [UInt8], stating: [(tag: Int, value: ExifBlock.Value)] = [], orientation: Int? = nil,
        profile: [UInt8]? = nil, isBigEndian: Bool = true
    ) throws -> [UInt8] {
        let main = orientation.map { [(orientationTag, ExifBlock.Value.short($0))] } ?? []
        let exif = ExifBlock.camera(isBigEndian: isBigEndian, main: main, thumbnail: thumbnail, of: stating)
        return try file(picture(400, 300), exif: exif, profile: profile)
    }

    private func preview(_ file: [UInt8], for target: TargetSize = target) throws -> DecodedImage? {
        try decoder.embeddedPreview(of: .bytes(file), for: target)
    }

    @Test("A thumbnail is decoded to the target size, in both byte orders", arguments: [true, false])
    func found(isBigEndian: Bool) throws {
        let thumbnail = try Self.thumbnail()
        let file = try Self.image(thumbnail: thumbnail, isBigEndian: isBigEndian)
        let preview = try #require(try preview(file))
        #expect(try preview.pixels == decoder.decode(.bytes(thumbnail), to: Self.target).pixels)
        #expect(preview.pixels.size == Self.size && preview.completeness == .degraded)
        #expect(try preview.info == decoder.probe(.bytes(file)))
    }

    @Test("A thumbnail serves the target of its own size, and none that is larger by one pixel")
    func tooSmall() throws {
        let file = try Self.image(thumbnail: Self.thumbnail())
        let targets = [TargetSize.box(160, 120), .box(162, 121), .original]
        #expect(try targets.map { try preview(file, for: $0) != nil } == [true, false, false])
    }

    @Test(
        "A thumbnail whose ratio differs by more than 1 % is left out",
        arguments: [(119, true), (118, false), (122, false)])
    func ratio(height: Int, isShown: Bool) throws {
        let preview = try preview(Self.image(thumbnail: Self.thumbnail(160, height)))
        #expect(preview?.pixels.size == (isShown ? Self.size : nil))
    }

    @Test("A thumbnail is turned as the image is", arguments: 1...8)
    func turned(orientation: Int) throws {
        for stating in [[], [(Self.orientationTag, ExifBlock.Value.short(orientation))]] {
            let file = try Self.image(thumbnail: Self.thumbnail(), stating: stating, orientation: orientation)
            let preview = try #require(try preview(file))
            let whole = try decoder.decode(.bytes(file), to: Self.target).pixels
            #expect(preview.pixels.size == whole.size)
            // Red and green tell how it is turned.
            let differences = stride(from: 0, to: whole.bytes.count, by: 4).flatMap { (at: Int) -> [Int] in
                [0, 1].map { abs(Int(whole.bytes[at + $0]) - Int(preview.pixels.bytes[at + $0])) }
            }
            #expect((differences.max() ?? 255) < 24)
        }
    }

    @Test("A thumbnail that its own EXIF turns is turned once")
    func ownOrientation() throws {
        let exif = ExifBlock.camera(main: [(Self.orientationTag, .short(6))])
        let thumbnail = try Self.thumbnail(exif: exif)
        let preview = try #require(try preview(Self.image(thumbnail: thumbnail, orientation: 6)))
        #expect(preview.pixels == (try decoder.decode(.bytes(thumbnail), to: Self.target).pixels))
    }

    @Test("A thumbnail with another orientation, profile, colour or size than the image or its statement is left out")
    func contradictions() throws {
        let stating = [(Self.orientationTag, ExifBlock.Value.short(6))]
        let exif = ExifBlock.camera(main: [(Self.orientationTag, .short(3))])
        let other = contents(TestData.fixture("color/profiles/adobe.icc"))
        let grey = PixelBuffer(160, 120) { x, _ in RGBA(UInt8(x), UInt8(x), UInt8(x)) }
        for file in try [
            Self.image(thumbnail: Self.thumbnail(), stating: stating, orientation: 1),
            Self.image(thumbnail: Self.thumbnail(), stating: stating, orientation: 8),
            Self.image(thumbnail: Self.thumbnail(exif: exif), orientation: 1),
            Self.image(thumbnail: Self.thumbnail(profile: other), profile: Self.profile),
            Self.image(thumbnail: Self.thumbnail(profile: other)), Self.image(thumbnail: Self.file(grey)),
        ] { #expect(try preview(file) == nil) }
        for (width, height) in [(160, 120), (161, 120), (160, 90)] {
            let stating = [(0x0100, ExifBlock.Value.short(width)), (0x0101, .long(height))]
            let preview = try preview(Self.image(thumbnail: Self.thumbnail(), stating: stating))
            #expect((preview != nil) == (width == 160 && height == 120))
        }
    }

    @Test("A thumbnail without a profile, or with the image's own, is converted by it")
    func sameProfile() throws {
        let plain = try #require(
            try preview(Self.image(thumbnail: Self.thumbnail(), profile: Self.profile)))
        let named = try #require(
            try preview(Self.image(thumbnail: Self.thumbnail(profile: Self.profile), profile: Self.profile)))
        let expected = try decoder.decode(.bytes(Self.thumbnail(profile: Self.profile)), to: Self.target).pixels
        let unconverted = try decoder.decode(.bytes(Self.thumbnail()), to: Self.target).pixels
        #expect([plain.pixels, named.pixels] == [expected, expected] && expected != unconverted)
    }

    @Test("A damaged thumbnail is left out, at every length")
    func truncated() throws {
        let thumbnail = try Self.thumbnail()
        let cut = stride(from: 0, to: thumbnail.count - 40, by: 7).map { Array(thumbnail[..<$0]) }
        for thumbnail in cut + [[UInt8](repeating: 0xFF, count: 500), [0xD8, 0xD8, 0xD8]] {
            #expect(try preview(Self.image(thumbnail: thumbnail)) == nil, "\(thumbnail.count)")
        }
    }

    @Test("Another format has no preview, and a file that is none fails")
    func otherFormats() throws {
        #expect(try preview(ImageEncoder(.png).encode(Self.picture(40, 30))) == nil)
        for bytes in [[0xFF, 0xD8], Array("text".utf8)] { #expect(throws: CodecError.self) { try preview(bytes) } }
    }

    // MARK: Several images in a file

    /// An image with an index of entries, and what follows it in the file.
    private static func image(
        entries: (_ end: Int) -> [(type: Int, count: Int, offset: Int)], followedBy more: [UInt8],
        thumbnail: [UInt8]? = nil
    ) throws -> [UInt8] {
        func file(_ entries: [(type: Int, count: Int, offset: Int)]) throws -> [UInt8] {
            var block = ExifBlock(isBigEndian: false)
            var table = ExifBlock(isBigEndian: false)
            for entry in entries {
                for number in [entry.type, entry.count, entry.offset, 0] { table.add(number, 4) }
            }
            block.directory([
                (0xB000, .bytes(Array("0100".utf8))), (0xB001, .long(entries.count)),
                (0xB002, .bytes(Array(table.bytes.dropFirst(8)))),
            ])
            let exif = ExifBlock.camera(thumbnail: thumbnail)
            return try Self.file(picture(400, 300), exif: exif, mpf: block.bytes)
        }
        // The offset of the block in the file: after SOI, EXIF, the marker, the length and the name.
        let base = 2 + 4 + 6 + ExifBlock.camera(thumbnail: thumbnail).count + 4 + 4
        return try file(entries(file(entries(0)).count - base)) + more
    }

    private static let primary = (type: 0x03_0000, count: 0, offset: 0)

    @Test("A preview of an index is decoded, where the thumbnail is too small", arguments: [0x01_0001, 0x4001_0002])
    func indexed(type: Int) throws {
        let large = try Self.thumbnail(320, 240)
        let file = try Self.image(
            entries: { [Self.primary, (type, large.count, $0)] }, followedBy: large, thumbnail: Self.thumbnail())
        let target = TargetSize.box(200, 150)
        #expect(try preview(file, for: target)?.pixels == (try decoder.decode(.bytes(large), to: target).pixels))
        #expect(try preview(file)?.pixels == (try decoder.decode(.bytes(Self.thumbnail()), to: Self.target).pixels))
    }

    @Test(
        "Images of other kinds are left out: gain maps, panoramas, other views",
        arguments: [0, 0x02_0001, 0x03_0000, 0x01_0003])
    func otherKinds(type: Int) throws {
        let large = try Self.thumbnail(320, 240)
        let file = try Self.image(entries: { [Self.primary, (type, large.count, $0)] }, followedBy: large)
        #expect(try preview(file) == nil)
    }

    @Test("An entry outside of the file, too long or without an offset is left out")
    func outside() throws {
        let large = try Self.thumbnail(320, 240)
        let most = Int(UInt32.max)
        for (count, offset) in [(large.count, 100_000), (large.count + 1, 0), (most, 0), (large.count, most), (0, 0)] {
            let file = try Self.image(
                entries: { [(0x01_0001, count, offset == 0 ? $0 : offset)] }, followedBy: large)
            #expect(try preview(file) == nil)
        }
        #expect(try preview(Self.image(entries: { _ in [(0x01_0001, large.count, 0)] }, followedBy: large)) == nil)
    }

    @Test("A preview of more than 4 million pixels is not decoded", arguments: [(2000, true), (2400, false)])
    func pixels(width: Int, isShown: Bool) throws {
        let large = try Self.file(PixelBuffer(width, width * 3 / 4) { _, _ in RGBA(90, 0, 0) })
        let file = try Self.image(entries: { [(0x01_0002, large.count, $0)] }, followedBy: large)
        #expect((try preview(file) != nil) == isShown)
    }

    @Test("Only 16 entries of an index are read")
    func manyEntries() throws {
        let large = try Self.thumbnail(320, 240)
        func file(_ others: Int) throws -> [UInt8] {
            try Self.image(
                entries: { Array(repeating: Self.primary, count: others) + [(0x01_0001, large.count, $0)] },
                followedBy: large)
        }
        #expect(try [15, 16, 4000].map { try preview(file($0)) != nil } == [true, false, false])
    }

    @Test("Every change of a byte of the head gives a preview of the right size, none, or an error")
    func changes() throws {
        let large = try Self.thumbnail(100, 75)
        let file = try Self.image(
            entries: { [Self.primary, (0x01_0001, large.count, $0)] }, followedBy: large,
            thumbnail: Self.thumbnail(100, 75))
        for at in 0..<120 {
            for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
                var changed = file
                changed[at] = value
                guard let preview = try? preview(changed) else { continue }
                #expect(preview.pixels.size == Self.size || preview.pixels.size == Self.size.transposed)
            }
        }
    }

    @Test(
        "Photographs show their thumbnail or preview where it suffices",
        .enabled(if: TestData.shared != nil, "needs the shared recordings"),
        arguments: [
            ("pillow-flower", true), ("zune-fox410", true), ("pillow-ultrahdr", true), ("jpegdecoder-ycck", false),
            ("twelvemonkeys-jfif-jfif-and-exif-thumbnail-sharpshot-iphone", false), ("wuffs-peacock.q30", false),
        ])
    func photographs(name: String, isShown: Bool) throws {
        let folder = "\(TestData.shared ?? "")/images/hostile/jpeg-odd"
        let file = names(in: folder).first { $0.hasPrefix(name) } ?? ""
        let target = TargetSize.box(60, 60)
        let preview = try decoder.embeddedPreview(of: .file("\(folder)/\(file)"), for: target)
        #expect((preview != nil) == isShown)
        // One of them has nothing but its head.
        guard let preview, let whole = try? decoder.decode(.file("\(folder)/\(file)"), to: target) else { return }
        let difference = zip(preview.pixels.bytes, whole.pixels.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(preview.pixels.size == whole.pixels.size && difference / whole.pixels.bytes.count < 16)
    }
}

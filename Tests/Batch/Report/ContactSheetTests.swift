import SpyglassCodecs
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassBatch

@Suite("ContactSheet")
struct ContactSheetTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func made(_ number: Int, _ color: RGBA, width: Int = 8) -> ItemResult {
        var report = ItemReport(number: number, id: "p\(number)", shownSource: "", status: .ok)
        report.outputs = [.init(path: "p\(number).png")]
        var picture = PixelBuffer(size: PixelSize(width: width, height: 8))
        for y in 0..<8 { for x in 0..<width { picture[x, y] = color } }
        return ItemResult(report: report, tile: picture)
    }

    private static func failed(_ number: Int) -> ItemResult {
        var report = ItemReport(number: number, id: "p\(number)", shownSource: "", status: .failed)
        report.failure = BatchError(.corrupt, "")
        return ItemResult(report: report)
    }

    private func page(_ name: String) throws -> PixelBuffer {
        try ImageDecoder().decode(.file(folder.path(name)), to: .original).pixels
    }

    /// Four outputs make a page two boxes wide; boxes start at x 8 and 176, y 8 and 186.
    private static let middles = [(88, 88), (256, 88), (88, 266), (256, 266)]

    @Test(
        "Outputs are in the order of the items",
        arguments: [[0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0]])
    func order(_ order: [Int]) throws {
        let colors = [RGBA(200, 0, 0), RGBA(0, 200, 0), RGBA(0, 0, 200), RGBA(9, 9, 9)]
        let sheet = try ContactSheet(path: folder.path("sheet.png"))
        for turn in order { sheet.add(Self.made(turn, colors[turn]), turn: turn) }
        try sheet.finish()
        let page = try page("sheet.png")
        #expect(Self.middles.map { page[$0.0, $0.1] } == colors)
        #expect(folder.files == ["sheet.png"])
    }

    @Test("A small result is enlarged by whole pixels, and its cell is visible")
    func small() throws {
        let sheet = try ContactSheet(path: folder.path("sheet.png"))
        let red = RGBA(200, 0, 0)
        // 3 times 48x8 is 144x24 in a cell of 160x160 at 8, 8.
        sheet.add(Self.made(0, red, width: 48), turn: 0)
        try sheet.finish()
        let page = try page("sheet.png")
        let outside = [page[15, 76], page[16, 75], page[160, 99], page[8, 8]]
        #expect([page[16, 76], page[159, 99], page[7, 8]] == [red, red, RGBA(255, 255, 255)])
        #expect(outside.allSatisfy { $0 == RGBA(244, 244, 244) })
    }

    @Test("Every failure has words that fit its cell")
    func words() {
        let kinds: [BatchError.Kind] = [
            .unreadable, .empty, .notAnImage, .unsupported, .corrupt, .limit, .fetch, .notFound, .collision,
            .unwritable, .input, .cancelled, .internal,
        ]
        let words = kinds.map(\.words)
        let limit = ContactPage.box.width / BitmapFont.advance
        #expect(words.allSatisfy { $0.count <= limit && !$0.contains("_") } && Set(words).count == words.count)
    }

    @Test("A failed item has a tile")
    func failedItem() throws {
        let sheet = try ContactSheet(path: folder.path("sheet.png"))
        sheet.add(Self.failed(0), turn: 0)
        try sheet.finish()
        let page = try page("sheet.png")
        #expect(page.size == PixelSize(width: 176, height: 186) && page[10, 10] == RGBA(250, 226, 226))
        let inked = (70..<90).contains { y in (60..<120).contains { page[$0, y] == RGBA(150, 20, 20) } }
        #expect(inked)
    }

    @Test("A full page is followed by another of the same width")
    func pages() throws {
        let sheet = try ContactSheet(path: folder.path("sheet.png"), maxSide: 560)
        for turn in 0..<10 { sheet.add(Self.failed(turn), turn: turn) }
        try sheet.finish()
        #expect(folder.files == ["sheet-2.png", "sheet.png"])
        let sizes = try ["sheet.png", "sheet-2.png"].map { try ImageDecoder().probe(.file(folder.path($0))).size }
        #expect(sizes == [PixelSize(width: 512, height: 542), PixelSize(width: 512, height: 186)])
    }

    @Test("A full page has no side above 4,096 pixels")
    func maxPage() {
        var page = ContactPage()
        let dot = PixelBuffer(size: PixelSize(width: 1, height: 1))
        while !page.isFull { page.add(ContactTile(name: "", content: .image(dot))) }
        #expect(page.tiles.count == 24 * 22)
        #expect(page.byteCount == 4040 * 3924 * PixelBuffer.bytesPerPixel)
    }

    @Test("An unwritable sheet is an error of check and of finish")
    func unwritable() throws {
        let sheet = try ContactSheet(path: folder.path("none/sheet.png"))
        let problem = BatchError(
            .unavailable, "cannot write '\(folder.path("none/sheet.png"))': No such file or directory")
        #expect(throws: problem) { try sheet.check() }
        sheet.add(Self.failed(0), turn: 0)
        #expect(throws: problem) { try sheet.finish() }
    }

    @Test("A check leaves no file; only contact sheets are replaced")
    func replacing() throws {
        let path = folder.path("sheet.png")
        var sheet = try ContactSheet(path: path)
        try sheet.check()
        #expect(folder.files.isEmpty)
        for _ in 0..<2 {
            sheet = try ContactSheet(path: path)
            sheet.add(Self.failed(0), turn: 0)
            try sheet.finish()
            try sheet.check()
        }
        try folder.write("sheet.png", "mine")
        #expect(throws: BatchError.self) { try sheet.check() }
        #expect(throws: BatchError.self) { try ContactSheet(path: path) }
        #expect(try folder.text("sheet.png") == "mine" && folder.files == ["sheet.png"])
    }

    @Test("Other extensions are rejected", arguments: ["sheet", "sheet.gif", "png"])
    func otherNames(_ name: String) {
        #expect(throws: BatchError.self) { try ContactSheet(path: folder.path(name)) }
    }
}

@Suite("BitmapFont")
struct BitmapFontTests {
    @Test("A letter starts in its top left corner")
    func letter() {
        let rows = (0..<BitmapFont.rowCount).map { row in
            (0..<5).map { BitmapFont.bits(of: UInt8(ascii: "F"), row: row) & (16 >> UInt8($0)) != 0 ? "#" : "." }
                .joined()
        }
        #expect(rows == ["#####", "#....", "#....", "####.", "#....", "#....", "#....", "....."])
    }

    @Test("Every character has its own glyph, five pixels wide")
    func glyphs() {
        let glyphs = (UInt8(0x20)...0x7E).map { character in
            (0..<BitmapFont.rowCount).map { BitmapFont.bits(of: character, row: $0) }
        }
        #expect(Set(glyphs).count == 95 && glyphs.allSatisfy { $0.allSatisfy { $0 < 32 } })
    }

    @Test(
        "Accents are removed; unknown characters become question marks",
        arguments: [
            ("Crème brûlée", "Creme brulee"), ("e\u{301}", "e"), ("Łódź", "Lodz"), ("Ænima ſ", "Anima s"),
            ("日本\u{1b}", "???"), ("×÷ÿĀ", "x/yA"),
        ])
    func transliteration(_ text: String, _ shown: String) {
        #expect(String(decoding: BitmapFont.characters(of: text), as: UTF8.self) == shown)
    }

    @Test(
        "A long name loses its middle",
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdefgh.jpg", 8, "abc..jpg"), ("abcdefgh.jpg", 7, "abc..pg"), ("abc", 2, "ab"),
        ])
    func shortening(_ text: String, _ count: Int, _ shown: String) {
        #expect(BitmapFont.shortened(Array(text.utf8), to: count) == Array(shown.utf8))
    }
}

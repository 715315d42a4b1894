import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassTerminalUI

@Suite("KittyGraphics")
struct KittyGraphicsTests {
    private let image = PixelBuffer(size: PixelSize(width: 3, height: 2))

    private func kitty(bytes count: Int = 10, isInsideTmux: Bool = false) -> KittyGraphics {
        let file = Self.file(count)
        return KittyGraphics(codecs: PixelCodecs(png: { _ in file }, jpeg: { _, _ in [] }), isInsideTmux: isInsideTmux)
    }

    private static func file(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) } }

    private func only(_ bytes: [UInt8]) throws -> KittyCommand {
        let (commands, faults) = KittyCommand.read(bytes)
        try #require(faults == [] && commands.count == 1)
        return commands[0]
    }

    @Test("A file of any length arrives in chunks", arguments: [1, 2, 3, 3071, 3072, 3073, 6144, 100_000])
    func chunks(count: Int) throws {
        let command = try only(kitty(bytes: count).transmission(of: image, id: 7))
        #expect(command.data == Self.file(count))
        #expect(["a", "i", "f", "c", "U"].map { command.keys[$0] } == ["t", "7", "100", nil, nil])
    }

    @Test("An image for placeholders tells its cells")
    func virtual() throws {
        let box = CellSize(clamping: 24, 8)
        let keys = try only(kitty().transmission(of: image, id: 0xABCDEF, placeholders: box)).keys
        #expect(["a", "U", "c", "r", "i"].map { keys[$0] } == ["T", "1", "24", "8", "11259375"])
    }

    @Test("An image is drawn at the cursor, which stays")
    func drawing() throws {
        let plain = try only(kitty().drawing(of: image)).keys
        #expect(["a", "C", "c", "i"].map { plain[$0] } == ["T", "1", nil, nil])
        let stretched = try only(kitty().drawing(of: image, stretchedTo: CellSize(clamping: 5, 3))).keys
        #expect(["c", "r"].map { stretched[$0] } == ["5", "3"])
    }

    @Test("Placements, removals and deletions are short commands")
    func commands() {
        let box = CellSize(clamping: 5, 3)
        let kitty = KittyCommands()
        for (command, keys) in [
            (kitty.placement(of: 9), "a=p,i=9,p=1,C=1,q=2"),
            (kitty.placement(of: 9, 4, stretchedTo: box), "a=p,i=9,p=4,C=1,c=5,r=3,q=2"),
            (kitty.removalOfAll, "a=d,d=a,q=2"), (kitty.end, "q=2,m=0;"),
            (kitty.removal(of: 9, 4), "a=d,d=i,i=9,p=4,q=2"),
            (kitty.clearing(of: 9), "a=t,i=9,f=24,s=1,v=1,q=2;AAAA"),
        ] { #expect(String(decoding: command, as: UTF8.self) == "\u{1B}_G\(keys)\u{1B}\\") }
        let deleted = KittyCommand.read((256...511).flatMap { kitty.deletion(of: $0) })
        #expect(deleted.faults == [] && deleted.commands.map { $0.keys["i"] } == (256...511).map { "\($0)" })
        #expect(deleted.commands.allSatisfy { $0.keys["a"] == "d" && $0.keys["d"] == "I" })
    }

    @Test("The frames of an animation name their number and how long they are shown")
    func frames() throws {
        let bytes = try kitty(bytes: 7000).transmission(of: image, number: 3, lasting: .milliseconds(70), id: 9)
        let chunks = String(decoding: bytes, as: UTF8.self).split(separator: "\u{1B}\\")
        #expect(chunks.count == 3 && chunks[0].hasPrefix("\u{1B}_Ga=f,i=9,r=3,z=70,f=100,q=2,m=1;"))
        #expect(chunks[1].hasPrefix("\u{1B}_Ga=f,q=2,m=1;") && chunks[2].hasPrefix("\u{1B}_Ga=f,q=2,m=0;"))
        func played(_ times: Int?) -> String {
            String(decoding: KittyCommands().play(9, firstFrameLasting: .seconds(1), times: times), as: UTF8.self)
        }
        #expect(played(nil) == "\u{1B}_Ga=a,i=9,r=1,z=1000,s=3,v=1,q=2\u{1B}\\")
        // kitty plays one time less.
        #expect(played(2).contains(",v=3,") && played(.max).contains(",v=1000001,"))
        #expect(KittyCommands.gap(.zero) == 1 && KittyCommands.gap(.seconds(1_000_000)) == 1_000_000)
    }

    @Test("Inside tmux each chunk is wrapped; its commands stay the same")
    func tmux() throws {
        let plain = String(decoding: try kitty(bytes: 5000).transmission(of: image, id: 7), as: UTF8.self)
        let wrapped = plain.replacing("\u{1B}\\", with: "\u{1B}\u{1B}\\\u{1B}\\")
            .replacing("\u{1B}_", with: "\u{1B}Ptmux;\u{1B}\u{1B}_")
        let bytes = try kitty(bytes: 5000, isInsideTmux: true).transmission(of: image, id: 7)
        #expect(String(decoding: bytes, as: UTF8.self) == wrapped)
    }

    @Test("An error of the encoder is thrown")
    func error() {
        let kitty = KittyGraphics(
            codecs: PixelCodecs(png: { _ in throw TerminalError.noTerminal }, jpeg: { _, _ in [] }))
        #expect(throws: TerminalError.noTerminal) { try kitty.drawing(of: image) }
    }

    @Test("Rows and columns are counted by the marks of kitty's table")
    func marks() {
        let marks = KittyPlaceholder.marks
        #expect(marks.count == 297 && marks == Set(marks).sorted())
        // The first four and the last three lines of rowcolumn-diacritics.txt.
        #expect(marks.prefix(4) + marks.suffix(3) == [0x305, 0x30D, 0x30E, 0x310, 0x1D242, 0x1D243, 0x1D244])
        let classes = marks.compactMap { Unicode.Scalar($0)?.properties.canonicalCombiningClass }
        #expect(classes.allSatisfy { $0 == .above })
    }

    @Test("A placeholder has two marks, and one that continues has none")
    func placeholders() {
        var bytes: [UInt8] = []
        bytes.append(placeholderAtRow: 1, column: 0, continues: false)
        bytes.append(placeholderAtRow: 1, column: 1, continues: true)
        bytes.append(placeholderAtRow: 296, column: 296, continues: false)
        let expected = "\u{10EEEE}\u{30D}\u{305}\u{10EEEE}\u{10EEEE}\u{1D244}\u{1D244}"
        #expect(bytes == Array(expected.utf8))
    }
}

@Suite("ITermImage")
struct ITermImageTests {
    private let cells = CellSize(clamping: 8, 4)

    private func image(_ color: (Int) -> RGBA) -> PixelBuffer {
        var image = PixelBuffer(size: PixelSize(width: 20, height: 10))
        for at in 0..<200 { image[at % 20, at / 20] = color(at) }
        return image
    }

    /// The sequences, without their introducers and terminators.
    private func sequences(_ image: PixelBuffer, png: Int, jpeg: Int, isInsideTmux: Bool = false) throws -> [String] {
        let codecs = PixelCodecs(
            png: { _ in [UInt8](repeating: UInt8(ascii: "P"), count: png) },
            jpeg: { [UInt8](repeating: UInt8($1), count: jpeg) + $0.bytes.prefix(0) })
        let bytes = try ITermImage(codecs: codecs, isInsideTmux: isInsideTmux).drawing(of: image, in: cells)
        let text = String(decoding: bytes, as: UTF8.self)
        let (start, end) =
            isInsideTmux ? ("\u{1B}Ptmux;\u{1B}\u{1B}]1337;", "\u{07}\u{1B}\\") : ("\u{1B}]1337;", "\u{07}")
        #expect(text.hasPrefix(start) && text.hasSuffix(end))
        return text.dropFirst(start.count).dropLast(end.count).split(separator: end + start).map(String.init)
    }

    private func kind(_ image: PixelBuffer, png: Int, jpeg: Int) throws -> UInt8? {
        let only = try #require(try sequences(image, png: png, jpeg: jpeg).first)
        return Base64.decoded(only.drop { $0 != ":" }.dropFirst())?.first
    }

    @Test("A photograph is a JPEG of quality 92, a graphic the smaller of both, and PNG keeps transparency")
    func kinds() throws {
        let photo = image { RGBA(UInt8($0), UInt8(255 - $0), 9) }
        let graphic = image { $0 < 100 ? RGBA(255, 0, 0) : RGBA(0, 0, 255) }
        let translucent = image { RGBA(UInt8($0), UInt8(255 - $0), 9, $0 == 77 ? 254 : 255) }
        let kinds = try [(photo, 10, 20), (graphic, 10, 20), (graphic, 20, 10), (translucent, 20, 10)].map {
            try kind($0, png: $1, jpeg: $2)
        }
        #expect(kinds == [92, UInt8(ascii: "P"), 92, UInt8(ascii: "P")])
    }

    @Test("A small file is one sequence, inline and in cells", arguments: [false, true])
    func whole(isInsideTmux: Bool) throws {
        let parts = try sequences(image { _ in RGBA(1, 2, 3) }, png: 4, jpeg: 9, isInsideTmux: isInsideTmux)
        #expect(parts == ["File=inline=1;size=4;width=8;height=4:UFBQUA=="])
    }

    @Test("A file above 750 KB is sent in parts below 1 MiB", arguments: [750_000, 750_001, 2_000_000])
    func parts(count: Int) throws {
        let parts = try sequences(image { _ in RGBA(1, 2, 3) }, png: count, jpeg: count + 1)
        #expect(parts.allSatisfy { $0.utf8.count < 1_048_576 })
        guard count > 750_000 else { return #expect(parts.count == 1) }
        #expect(parts.first == "MultipartFile=inline=1;size=\(count);width=8;height=4" && parts.last == "FileEnd")
        let data = parts.dropFirst().dropLast().map { Base64.decoded($0.dropFirst("FilePart=".count)) ?? [] }
        #expect(data.reduce(0) { $0 + $1.count } == count)
    }
}

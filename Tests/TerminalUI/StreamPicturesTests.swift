import SpyglassPixels
import Testing

@testable import SpyglassTerminalUI

@Suite("Pictures in streams")
struct StreamPicturesTests {
    private static let protocols = PixelMode.allCases.filter { $0.symbols == nil }
    private static let cell = PixelSize(width: 10, height: 20)

    private func renderer(
        _ mode: PixelMode, depth: ColorDepth = .truecolor, _ change: (inout ImageRenderer.Options) -> Void = { _ in }
    ) -> ImageRenderer {
        var options = ImageRenderer.Options(mode: mode, depth: depth)
        options.cellPixels = Self.cell
        options.codecs = PixelCodecs(png: StreamScreen.fakePNG, jpeg: { image, _ in StreamScreen.fakePNG(image) })
        change(&options)
        return ImageRenderer(options)
    }

    private func image(_ width: Int, _ height: Int) -> PixelBuffer {
        let size = PixelSize(width: width, height: height)
        return PixelBuffer(size: size, bytes: [UInt8](repeating: 255, count: size.pixelCount * 4))
    }

    /// The stream on every kind of terminal, which must agree; checks for faults.
    private func screen(_ bytes: TerminalBytes, rows: Int) -> StreamScreen {
        let screens = StreamScreen.CursorAfterPicture.allCases.map {
            StreamScreen(reading: bytes.raw, rows: rows, cell: Self.cell, after: $0)
        }
        for screen in screens {
            #expect(screen.faults == [] && screen.cursor == screens[0].cursor)
            #expect(screen.lines == screens[0].lines && screen.pictures == screens[0].pictures)
        }
        return screens[0]
    }

    @Test("An image larger than its cells is scaled down with its shape", arguments: PixelMode.allCases)
    func fitted(mode: PixelMode) {
        let (renderer, cells) = (renderer(mode), CellSize(clamping: 10, 4))
        let box = renderer.pixelBox(for: cells)
        #expect(renderer.fitted(image(box.width, box.height), to: cells).size == box)
        for (width, height) in [(2000, 10), (10, 2000), (900, 900)] {
            let fitted = renderer.fitted(image(width, height), to: cells)
            #expect(fitted.size == renderer.target(for: cells).size(for: PixelSize(width: width, height: height)))
            #expect(fitted.size.width <= box.width && fitted.size.height <= box.height)
        }
    }

    @Test("The cursor is below a picture, and nothing scrolls on a full screen", arguments: protocols)
    func single(mode: PixelMode) throws {
        var composer = StreamComposer(renderer(mode))
        try composer.append([StreamTile(image(95, 58), column: 4)])
        let shown = screen(composer.take(), rows: 4)
        let size = mode == .iterm2 ? PixelSize(width: 10, height: 3) : PixelSize(width: 95, height: 58)
        #expect(shown.cursor == (3, 0) && shown.pictures == [.init(line: 0, column: 4, size: size)])
        // One row needs no movement down.
        var renderer = renderer(mode)
        let low = screen(try renderer.encode(image(10, 6)), rows: 2)
        #expect(low.cursor == (1, 0) && low.pictures.map(\.line) == [0])
    }

    @Test("Text is beside a picture and continues below it", arguments: protocols)
    func beside(mode: PixelMode) throws {
        var composer = StreamComposer(renderer(mode))
        let text = ["Moon", "1969", "", "A description."].map { [StyledText(TerminalText(cleaning: $0))] }
        for _ in 0..<2 {
            try composer.append([StreamTile(image(60, 54)), StreamTile(text, column: 8)])
            composer.endLine()
        }
        let shown = screen(composer.take(), rows: 6)
        let item = ["        Moon", "        1969", "", "        A description.", ""]
        #expect(shown.lines == item + item + [""])
        #expect(shown.pictures.map(\.line) == [0, 5])
    }

    @Test("A grid has its pictures on one line and the captions below the tallest", arguments: protocols)
    func grid(mode: PixelMode) throws {
        var composer = StreamComposer(renderer(mode))
        try composer.append([
            StreamTile(image(60, 60)), StreamTile(image(40, 90), column: 8), StreamTile(image(9, 9), column: 16),
        ])
        try composer.append([StreamTile([[StyledText("a")]]), StreamTile([[StyledText("b")]], column: 8)])
        let shown = screen(composer.take(), rows: 6)
        #expect(shown.lines == ["", "", "", "", "", "a       b", ""])
        #expect(shown.pictures.map { [$0.line, $0.column] } == [[0, 0], [0, 8], [0, 16]])
    }

    @Test("Where a cell's size is assumed, kitty stretches whole cells")
    func assumedCell() throws {
        var renderer = renderer(.kitty) { $0.cellPixels = nil }
        let bytes = readable(try renderer.encode(image(15, 30)))
        // 20x40, in base64.
        #expect(bytes.contains("a=T,C=1,c=2,r=2,f=100,q=2,m=0;MjB4NDA="))
    }

    @Test("Inside tmux a kitty picture is transmitted, then rows of placeholders")
    func placeholders() throws {
        var renderer = renderer(.kitty) {
            $0.usesPlaceholders = true
            $0.streamID = 0x12345
        }
        let text = readable(try renderer.encode(image(20, 40)))
        let cell = "\u{10EEEE}"
        #expect(
            text == """
                \\e_Ga=T,U=1,i=74565,c=2,r=2,f=100,q=2,m=0;MjB4NDA=\\e\\\\e[38;2;1;35;69m\(cell)\u{305}\u{305}\(cell)\\e[0m\\n
                \\e[38;2;1;35;69m\(cell)\u{30D}\u{305}\(cell)\\e[0m\\n

                """)
        // Padded to whole cells, as in a grid: 20x40, in base64.
        #expect(readable(try renderer.encode(image(15, 30))).contains("i=74566,c=2,r=2,f=100,q=2,m=0;MjB4NDA="))
    }

    @Test("Without true colours the ids of 255 pictures in a row differ")
    func paletteIDs() throws {
        var renderer = renderer(.kitty, depth: .palette256) {
            $0.usesPlaceholders = true
            $0.streamID = 0xFF_FF00
        }
        let ids = try (0..<255).map { _ in
            guard case .placeholders(let id, _, _) = try renderer.drawing(of: image(2, 2)) else { return UInt32(0) }
            return id
        }
        #expect(Set(ids) == Set(1...255))
    }

    @Test("A stream tells what ends its images in parts", arguments: PixelMode.allCases, [false, true])
    func endOfParts(mode: PixelMode, isInsideTmux: Bool) throws {
        var renderer = renderer(mode) { ($0.isInsideTmux, $0.usesPlaceholders) = (isInsideTmux, isInsideTmux) }
        let expected: TerminalBytes.StreamedImages? = isInsideTmux ? .kittyInTmux : .kitty
        let bytes = try renderer.encode(image(2, 2))
        #expect(bytes.streamedImages == (mode == .kitty ? expected : nil))
    }

    @Test("A picture that its encoder refuses appends nothing")
    func refused() {
        struct Refusal: Error {}
        let codecs = PixelCodecs(png: { _ in throw Refusal() }, jpeg: { _, _ in throw Refusal() })
        var composer = StreamComposer(renderer(.kitty) { $0.codecs = codecs })
        #expect(throws: Refusal.self) { try composer.append([StreamTile(image(2, 2))]) }
        #expect(composer.take().isEmpty)
    }

    @Test("Sixels cover whole bands, so that their cells hold them")
    func bands() {
        let renderer = renderer(.sixel)
        let sizes = [PixelSize(width: 10, height: 18), PixelSize(width: 11, height: 19)].map(renderer.cells)
        #expect(sizes == [CellSize(clamping: 1, 1), CellSize(clamping: 2, 2)])
    }

    @Test("An image takes at most 64 MB, however large the cells are", arguments: [PixelMode.kitty, .iterm2, .sixel])
    func memory(_ mode: PixelMode) {
        let renderer = renderer(mode) {
            $0.maxSixelSide = nil
            $0.cellPixels = PixelSize(width: 400, height: 400)
        }
        let box = renderer.pixelBox(for: CellSize(clamping: 24, 20))
        #expect((63_000_000...64_000_000).contains(4 * box.width * box.height))
        #expect(abs(Double(box.width) / Double(box.height) - 1.2) < 0.01)
    }

    @Test("A sixel picture fits xterm's limit, unless the terminal is another")
    func largest() {
        let large = CellSize(clamping: 300, 90)
        let boxes = [1000, nil].map { side in renderer(.sixel) { $0.maxSixelSide = side }.pixelBox(for: large) }
        #expect(boxes == [PixelSize(width: 1000, height: 996), PixelSize(width: 3000, height: 1800)])
        let sides = [[:], ["TERM_PROGRAM": "WezTerm"]].map { program in
            PixelSupport { program.merging(["TERM": "xterm", "LANG": "C.UTF-8"]) { $1 }[$0] }.maxSixelSide
        }
        #expect(sides == [1000, nil])
    }
}

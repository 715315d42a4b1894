import SpyglassPixels
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@Suite("StreamComposer")
struct StreamComposerTests {
    private func composer(_ depth: ColorDepth = .palette16, _ glyphs: GlyphSet = .utf8) -> StreamComposer {
        var options = ImageRenderer.Options(mode: .half, depth: depth)
        options.glyphs = glyphs
        return StreamComposer(ImageRenderer(options))
    }

    private let thumbnail = picture([
        [red, red, red, red], [red, red, red, red], [blue, blue, blue, blue], [nil, nil, nil, nil],
    ])

    @Test("Text is beside an image's rows, and continues below it")
    func beside() throws {
        var composer = composer()
        let text = [
            [StyledText("Moon", .bold)],
            [StyledText("Ansel · "), StyledText("1942", .dim)],
            [StyledText("A description.")],
        ]
        try composer.append([StreamTile(thumbnail), StreamTile(text, column: 4)])
        #expect(
            readable(composer.take()) == """
                \\e[101m  \\e[0m  \\e[1mMoon\\e[0m\\n
                \\e[34;49m▀▀\\e[0m  Ansel · \\e[2m1942\\e[0m\\n
                    A description.\\n

                """)
    }

    @Test("An image higher than its text has rows without trailing spaces")
    func picturesAlone() throws {
        var composer = composer()
        try composer.append([StreamTile(thumbnail), StreamTile([[StyledText("")]], column: 12)])
        #expect(readable(composer.take()) == "\\e[101m  \\e[0m\\n\n\\e[34;49m▀▀\\e[0m\\n\n")
    }

    @Test("Text alone starts in its column, without escape sequences")
    func noPicture() throws {
        var composer = composer(.truecolor)
        try composer.append([StreamTile([[StyledText("Moon")], []], column: 6)])
        #expect(readable(composer.take()) == "      Moon\\n\n\\n\n")
    }

    @Test("Images of different heights are beside each other, each in its column")
    func grid() throws {
        var composer = composer()
        let low = picture([[blue, blue, blue, blue], [blue, blue, blue, blue]])
        try composer.append([StreamTile(low), StreamTile(thumbnail, column: 4), StreamTile(low, column: 8)])
        try composer.append([StreamTile([[StyledText("a")]]), StreamTile([[StyledText("b")]], column: 8)])
        #expect(
            readable(composer.take()) == """
                \\e[44m  \\e[0m  \\e[101m  \\e[0m  \\e[44m  \\e[0m\\n
                    \\e[34;49m▀▀\\e[0m\\n
                a       b\\n

                """)
    }

    @Test("A line with colours is reset before its newline")
    func resetAtEnd() {
        var composer = composer()
        composer.append("a", .bold)
        composer.append("b")
        composer.endLine()
        composer.append("c")
        composer.endLine()
        #expect(readable(composer.take()) == "\\e[1ma\\e[0mb\\e[0m\\n\nc\\n\n")
        // Taking the bytes resets the composer.
        composer.append("a", .bold)
        #expect(readable(composer.take()) == "\\e[1ma\\e[0m")
        composer.append("b")
        composer.endLine()
        #expect(readable(composer.take()) == "b\\n\n" && composer.take().isEmpty)
    }

    @Test("Styles combine in one sequence")
    func styles() {
        var composer = composer(.truecolor)
        composer.append("a", TextStyle([.bold, .dim, .underline, .reverse]))
        composer.append("b", .underline)
        #expect(readable(composer.take()) == "\\e[1;2;4;7ma\\e[0m\\e[4mb\\e[0m")
    }

    @Test("Without colour there are no styles and no escape sequences")
    func monochrome() throws {
        var composer = composer(.monochrome)
        try composer.append([StreamTile(thumbnail), StreamTile([[StyledText("Moon", .bold)]], column: 4)])
        #expect(readable(composer.take()) == "▒▒  Moon\\n\n░░\\n\n")
    }

    @Test("With ASCII glyphs every byte is ASCII")
    func ascii() throws {
        var composer = composer(.palette16, .ascii)
        try composer.append([StreamTile(thumbnail), StreamTile([[StyledText("Ansel · “1942”")]], column: 3)])
        let bytes = composer.take()
        #expect(bytes.raw.allSatisfy { $0 < 0x80 })
        #expect(readable(bytes).hasPrefix("\\e[101m  \\e[0m Ansel - \"1942\"\\e[0m\\n\n"))
    }

    @Test("Hostile text adds no sequences: every line reads back")
    func hostile() throws {
        var generator = Seeded(6)
        for _ in 0..<200 {
            var composer = composer(.truecolor)
            let text = TerminalText(cleaning: RandomText.bytes(&generator))
            try composer.append([StreamTile(thumbnail), StreamTile([[StyledText(text)]], column: 3)])
            let output = try #require(String(validating: composer.take().raw, as: UTF8.self))
            let lines = output.split(separator: "\n")
            #expect(output.unicodeScalars.count { $0 == "\u{1B}" } <= 5)
            let shown = lines.joined().replacing(/\u{1B}\[[0-9;]*m/, with: "")
            #expect(lines.count == 2 && !shown.unicodeScalars.contains { $0.properties.generalCategory == .control })
        }
    }
}

@Suite("ProgressLine")
struct ProgressLineTests {
    private func progress(_ term: String, columns: UInt16 = 10) -> ProgressLine {
        ProgressLine(
            for: .detect(
                environment: { ["TERM": term, "LANG": "C.UTF-8"][$0] }, isTerminal: true,
                window: .init(columns: columns, rows: 5, source: "test")))
    }

    @Test("The first text that fits is shown, else the start of the last")
    func narrow() {
        let texts: [TerminalText] = ["1 of 4 · 3/s", "1 of 4", "1/4"]
        let lines = [13, 12, 3].map { readable(progress("xterm", columns: $0).bytes(showing: texts)) }
        #expect(lines == ["1 of 4 · 3/s", "1 of 4", "1…"].map { "\\xd\\e[K\($0)" })
    }

    @Test(
        "A bar takes the room that the text leaves",
        arguments: [
            (80, 0.5, "███████████████░░░░░░░░░░░░░░░  1 of 2"), (30, 0.5, "██████████░░░░░░░░░░  1 of 2"),
            (19, 0.99, "█████████░  1 of 2"), (19, 1, "██████████  1 of 2"), (18, 1, "1 of 2"),
            (19, -1, "░░░░░░░░░░  1 of 2"),
        ])
    func bar(columns: Int, fraction: Double, expected: String) {
        let bytes = progress("xterm", columns: UInt16(columns)).bytes(showing: ["1 of 2"], fraction: fraction)
        #expect(readable(bytes) == "\\xd\\e[K" + expected)
    }

    @Test("Each text replaces the last, and leaves the last column free")
    func replaces() {
        #expect(readable(progress("xterm").bytes(showing: ["12 of 50 pictures"])) == "\\xd\\e[K12 of 50…")
        #expect(readable(progress("xterm").clear) == "\\xd\\e[K")
    }

    @Test("A dumb terminal is cleared with spaces, and its bar is in ASCII")
    func dumb() {
        #expect(readable(progress("dumb").bytes(showing: ["12…"])) == "\\xd         \\xd12...")
        let bar = progress("dumb", columns: 19).bytes(showing: ["1 of 2"], fraction: 0.5)
        #expect(readable(bar).hasSuffix("[####....]  1 of 2"))
    }
}

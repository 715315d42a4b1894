import SpyglassFiles
import SpyglassTestSupport
import Testing

@testable import SpyglassTerminalUI

@Suite("Painter: pictures in pixels")
struct PicturePainterTests {
    private static let size = CellSize(clamping: 60, 20)
    private static let kittyKinds: [PixelPayload.Kind] = [.kittyPlacement, .kittyPlaceholders]
    private static let kinds = kittyKinds + [.inline]
    private static let slow = PictureLimits(frame: PictureLimits.minFrame, inline: 0)

    /// A painter and its terminal, which show grids one after the other.
    private struct Show {
        var painter = Painter(size: PicturePainterTests.size, depth: .truecolor)
        var terminal = TerminalModel(size: PicturePainterTests.size)

        /// The picture in the upper left corner of a list.
        var first: String? { terminal.part(column: 1, row: 2)?.name }
        var transmissions: [String: Int] { terminal.pictures.transmissions }

        @discardableResult
        mutating func paint(
            _ grid: CellGrid, limit: Int? = nil, _ limits: PictureLimits = .unlimited
        ) -> PaintedFrame {
            let frame = painter.paint(grid, byteLimit: limit, pictures: limits)
            terminal.read(frame.bytes.raw)
            return frame
        }

        /// Paints until nothing is left to be sent, checks that the terminal shows the grid, and returns the bytes.
        @discardableResult
        mutating func show(
            _ grid: CellGrid, limit: Int? = nil, _ limits: PictureLimits = .unlimited,
            _ location: SourceLocation = #_sourceLocation
        ) -> [UInt8] {
            var bytes: [UInt8] = []
            while true {
                let frame = paint(grid, limit: limit, limits)
                bytes += frame.bytes.raw
                if frame.isComplete || frame.bytes.isEmpty { break }
            }
            if painter.depth == .truecolor, !limits.halves {
                #expect(terminal.difference(from: grid) == nil, sourceLocation: location)
            }
            return bytes
        }
    }

    private func picture(
        _ kind: PixelPayload.Kind, _ number: Int, columns: Int = 8, rows: Int = 4, length: Int = 150
    ) -> CellImage {
        let style = CellStyle(background: .rgb(RGB(UInt8(number), 20, 30)))
        let cell = Cell(glyph: Cell.space | Cell.imageBit, style: style)
        return CellImage(
            columns: columns, rows: rows, cells: Array(repeating: cell, count: columns * rows),
            payload: PixelPayload(kind, number: number, columns: columns, rows: rows, length: length))
    }

    /// A list of pictures beside text, from an item on, five rows each, between a header and a footer.
    private func list(_ pictures: [CellImage], from first: Int) -> CellGrid {
        var grid = CellGrid(size: Self.size)
        grid.put("header", at: CellPosition(column: 0, row: 0))
        grid.put("footer \(first)", at: CellPosition(column: 0, row: 19))
        for (place, number) in (first..<min(first + 3, pictures.count)).enumerated() {
            let row = 2 + 5 * place
            grid.put(pictures[number], at: CellPosition(column: 1, row: row))
            for line in 0..<4 {
                let text = TerminalText(cleaning: String(repeating: "\(number)", count: 30 + line))
                grid.put(text, at: CellPosition(column: 12, row: row + line))
            }
        }
        return grid
    }

    private func count(_ text: String, in bytes: [UInt8]) -> Int {
        String(decoding: bytes, as: UTF8.self).ranges(of: text).count
    }

    @Test("A scroll step moves pictures and sends none of them again", arguments: kinds)
    func scrolling(_ kind: PixelPayload.Kind) {
        let pictures = (0..<8).map { picture(kind, $0 + 1, length: 5000) }
        var show = Show()
        show.show(list(pictures, from: 0))
        for first in [1, 2, 3, 2, 1, 0] {
            let bytes = show.show(list(pictures, from: first))
            // Only the picture that comes into view is drawn; characters place one with placeholders.
            let drawn = count(kind == .inline ? "\u{1B}Pq" : "a=p,", in: bytes)
            #expect(drawn == (kind == .kittyPlaceholders ? 0 : 1))
        }
        #expect(kind == .inline || show.transmissions.values.allSatisfy { $0 == 1 })
    }

    @Test("A scroll step of a list of placeholders takes at most 1.5 KB")
    func scrollBytes() {
        let size = CellSize(clamping: 120, 40)
        let thumbnails = (0..<9).map { picture(.kittyPlaceholders, $0 + 1, columns: 20, rows: 6) }
        func list(from first: Int) -> CellGrid {
            var grid = CellGrid(size: size)
            for (place, number) in (first..<first + 5).enumerated() {
                grid.put(thumbnails[number], at: CellPosition(column: 2, row: 2 + 7 * place))
                for line in 0..<5 {
                    let text =
                        "line \(line) of the photograph \(number), which has a title, a maker and a date, and words"
                    grid.put(TerminalText(cleaning: text), at: CellPosition(column: 25, row: 2 + 7 * place + line))
                }
            }
            return grid
        }
        var painter = Painter(size: size, depth: .truecolor)
        for first in [0, 1, 2, 3, 4] {
            while !painter.paint(list(from: first)).isComplete {}
        }
        for first in [3, 2, 1, 0, 1, 2, 3, 4] {
            let bytes = painter.paint(list(from: first)).bytes.raw
            #expect(bytes.count <= 1500 && count("f=24", in: bytes) == 0, "\(bytes.count)")
            #expect(painter.paint(list(from: first)).bytes.isEmpty)
        }
    }

    @Test("A dialog covers a picture, and its pixels come back behind it", arguments: kinds)
    func overlay(_ kind: PixelPayload.Kind) {
        let plain = list((0..<3).map { picture(kind, $0 + 1) }, from: 0)
        var dialog = plain
        dialog.fill(CellArea(column: 5, row: 4, columns: 30, rows: 6), with: CellStyle(background: .palette(4)))
        dialog.put("a dialog", at: CellPosition(column: 6, row: 5))
        var show = Show()
        for (number, grid) in [plain, dialog, plain, dialog].enumerated() {
            let bytes = show.show(grid)
            // The dialog erases what it covers; behind it, only what it touched is drawn again.
            if kind == .inline { #expect(count("\u{1B}Pq", in: bytes) == [3, 0, 2, 0][number]) }
        }
        #expect(kind == .inline || show.transmissions.values.allSatisfy { $0 == 1 })
    }

    @Test("A list's edge clips a picture, which stays pixels", arguments: kinds)
    func clipped(_ kind: PixelPayload.Kind) {
        let image = picture(kind, 1)
        var show = Show()
        for (top, row) in [(2, 15), (2, 14), (2, 5), (2, 0), (3, 1), (2, 15)] {
            var grid = CellGrid(size: Self.size)
            let list = CellArea(row: top, columns: 60, rows: 17 - top)
            grid.put(image, at: CellPosition(column: 1, row: row), clip: list)
            show.show(grid)
            #expect(show.terminal.part(column: 1, row: max(row, top)) != nil)
        }
    }

    @Test("A picture takes the place of another in one frame, without spaces or half-blocks", arguments: kinds)
    func replacing(_ kind: PixelPayload.Kind) {
        var show = Show()
        show.show(list([picture(kind, 1)], from: 0))
        for number in 2...5 {
            let grid = list([picture(kind, number)], from: 0)
            let frame = show.paint(grid)
            #expect(frame.isComplete && show.terminal.difference(from: grid) == nil)
            // A placement of kitty's is above the text.
            let text = kind == .inline ? ["  ", "\u{2584}", "\u{1B}[K"] : ["\u{2584}"]
            #expect(text.allSatisfy { count($0, in: frame.bytes.raw) == 0 })
        }
        // A smaller one does not cover it.
        show.show(list([picture(kind, 6, columns: 5, rows: 2)], from: 0))
    }

    @Test("A dimmed picture is drawn as characters", arguments: kinds)
    func dimmed(_ kind: PixelPayload.Kind) {
        var grid = list([picture(kind, 9)], from: 0)
        let style = CellStyle(background: .rgb(RGB(9, 20, 30)))
        #expect(grid.style(at: CellPosition(column: 1, row: 2)) == style)
        var show = Show()
        show.show(grid)
        grid.restyle(grid.area) { $0.background = .palette(3) }
        show.show(grid)
        #expect(show.first == nil)
    }

    @Test("After a repaint everything is sent again and nothing is left over", arguments: kinds)
    func repaint(_ kind: PixelPayload.Kind) {
        let pictures = (0..<3).map { picture(kind, $0 + 1) }
        var show = Show()
        show.show(list(pictures, from: 0))
        show.terminal.spoil()
        show.painter.forget()
        show.show(list(pictures, from: 0))
        #expect(kind == .inline || show.transmissions.values.allSatisfy { $0 == 2 })
        show.painter.forget(depth: .palette256)
        show.show(CellGrid(size: Self.size))
        #expect((0..<60 * 20).allSatisfy { show.terminal.part(column: $0 % 60, row: $0 / 60) == nil })
    }

    @Test(
        "Without truecolor, which carries ids, placeholders are characters",
        arguments: [ColorDepth.palette16, .palette256])
    func palettes(_ depth: ColorDepth) {
        var show = Show()
        show.painter.forget(depth: depth)
        let bytes = show.show(list([picture(.kittyPlaceholders, 1)], from: 0))
        #expect(["\u{1B}_G", "\u{10EEEE}", "38;2;"].map { count($0, in: bytes) } == [0, 0, 0])
        #expect(show.first == nil)
    }

    @Test("The prepared bytes delete every image, and end a transmission", arguments: kittyKinds)
    func deletions(_ kind: PixelPayload.Kind) {
        let pictures = (0..<5).map { picture(kind, $0 + 1, length: 9000) }
        var show = Show()
        show.show(list(pictures, from: 0))
        show.show(list(pictures, from: 2))
        // The next one in part.
        let next = list([picture(kind, 9, length: 9000)], from: 0)
        show.paint(next, PictureLimits(frame: 5000, inline: 0))
        let frame = show.paint(next, PictureLimits(frame: 5000, inline: 0))
        #expect(show.terminal.pictures.count == 5)
        let deletions = SessionSequences.ImageDeletions.direct
        let count = deletions.count(of: frame.bytes.kittyImages.count)
        let bytes = Array(UnsafeBufferPointer(start: deletions.bytes, count: count))
        #expect(bytes.starts(with: Array("\u{18}\u{1B}\\".utf8)))
        show.terminal.read(Array(bytes.dropFirst(3)))
        #expect(show.terminal.pictures.count == 0 && show.terminal.faults.isEmpty)
        #expect([0, 1000].map(deletions.count) == [0, deletions.count(of: KittyImages.maxCount)])
    }

    @Test(
        "An animation takes the place of its still image once the terminal has all frames", arguments: kittyKinds)
    func animation(_ kind: PixelPayload.Kind) {
        let still = picture(kind, 1)
        let moving = still.animated(number: 2, length: 9000)
        let limits = PictureLimits(frame: 5000, inline: 0)
        var show = Show()
        show.show(list([still], from: 0))
        var frames = 0
        while show.first != "T2", frames < 20 {
            let frame = show.paint(list([moving], from: 0), limits)
            #expect(show.first == "T1" || frame.isComplete && show.first == "T2")
            #expect(count("\u{2584}", in: frame.bytes.raw) == 0)
            frames += 1
        }
        #expect(frames > 5 && show.terminal.difference(from: list([moving], from: 0)) == nil)
        // It is told to play once for each time that this is asked for.
        var again = moving
        again.animation?.playCount += 1
        #expect(count("a=a,i=", in: show.show(list([again], from: 0))) == 1)
        #expect(show.show(list([again], from: 0)).isEmpty && show.terminal.faults == [])
        // It stops and plays again without being sent.
        for image in [still, moving] { #expect(show.show(list([image], from: 0)).count < 600) }
        #expect(show.transmissions == ["T1": 1, "T2": 1])
    }

    @Test("The frames of an animation that were sent before another command are not sent again")
    func interruptedAnimation() {
        let still = picture(.kittyPlacement, 1)
        let moving = still.animated(number: 2, length: 9000)
        let limits = PictureLimits(frame: 6000, inline: 0)
        var show = Show()
        show.show(list([still], from: 0))
        var sent: [UInt8] = []
        for number in 0..<40 {
            var grid = list([moving], from: 0)
            // A placement that comes and goes.
            if number.isMultiple(of: 6) { grid.put(still, at: CellPosition(column: 40, row: 12)) }
            sent += show.paint(grid, limits).bytes.raw
        }
        #expect(show.first == "T2" && show.terminal.faults == [])
        #expect(show.transmissions == ["T1": 1, "T2": 1])
        #expect(count("a=t,i=", in: sent) == 1 && (1...3).contains(count("r=2,z=", in: sent)))
    }

    @Test(
        "Pixels pass through shared memory, also again and those of animations, and none are left",
        arguments: kittyKinds)
    func sharedMemory(_ kind: PixelPayload.Kind) throws {
        let folder = try TemporaryFolder()
        let memory = SharedPixels(folder: folder.path)
        var image = picture(kind, 1)
        image.payload = try PixelPayload(kind, number: 1, columns: 8, rows: 4, in: memory)
        var show = Show()
        show.terminal.pictures.takeShared = { name in
            defer { try? Folder.working.remove(folder.path + name) }
            return try? Folder.working.read(folder.path + name, limit: 1 << 20)
        }
        for _ in 0..<2 {
            #expect(count(",t=s,", in: show.show(list([image], from: 0))) == 1)
            show.painter.forget()
        }
        image.animation = try PixelPayload(kind, number: 2, columns: 8, rows: 4, frames: 5, in: memory)
        show.show(list([image], from: 0))
        #expect(show.transmissions["T2"] == 1)
        #expect(try Folder(opening: folder.path).names().isEmpty)
    }

    @Test("Frames that other terminals are sent are whole or in characters, and old ones are deleted")
    func frames() {
        var show = Show()
        for number in 1...12 {
            let grid = list([picture(.kittyPlacement, number).asFrame], from: 0)
            let bytes = show.show(grid, limit: number > 6 ? 16_000 : nil)
            #expect(show.terminal.pictures.count <= 3)
            // One frame replaces another without characters between them.
            #expect(number == 1 || count("48;2;\(number);20;30", in: bytes) == 0)
        }
        let large = list([picture(.kittyPlacement, 99, length: 9000).asFrame], from: 0)
        let frame = show.paint(large, PictureLimits(frame: 5000, inline: 0))
        #expect(frame.isComplete && frame.withholdsPictures && show.first == nil)
    }

    @Test("A part of an image with fewer pixels is cut in proportion")
    func scaledPart() {
        let still = picture(.kittyPlacement, 1, columns: 8, rows: 6)
        var grid = list([still.animated(number: 2)], from: 0)
        grid.fill(CellArea(column: 4, row: 3, columns: 3, rows: 2), with: .plain)
        var show = Show()
        show.show(grid)
        #expect(show.terminal.part(column: 8, row: 4) == TerminalModel.Part(name: "T2", row: 2, column: 7))
    }

    @Test("A character of uncertain width beside a picture redraws it")
    func damage() {
        var grid = CellGrid(size: Self.size)
        grid.put(picture(.inline, 1), at: CellPosition(column: 2, row: 3))
        var show = Show()
        show.show(grid)
        grid.put("👨‍👩‍👧", at: CellPosition(column: 0, row: 4))
        #expect(count("\u{1B}Pq", in: show.show(grid)) == 1)
    }

    @Test("On a slow line text comes first, and a picture in parts", arguments: kittyKinds)
    func slowLine(_ kind: PixelPayload.Kind) {
        var grid = list([picture(kind, 1, length: 20_000)], from: 0)
        var show = Show()
        var frames = 0
        while true {
            let frame = show.paint(grid, limit: 2000, Self.slow)
            if frames == 0 { #expect(count("f=24", in: frame.bytes.raw) == 0) }
            #expect(frame.bytes.raw.count < 2 * PictureLimits.minFrame)
            frames += 1
            // A key in the middle is answered by the next frame.
            if frames == 4 { grid.put("a key", at: CellPosition(column: 0, row: 18)) }
            if frames == 5 { #expect(show.terminal.text(ofRow: 18) == "a key") }
            if frame.isComplete { break }
        }
        #expect(frames > 6 && show.terminal.difference(from: grid) == nil)
        #expect(show.transmissions == ["T1": 1])
    }

    @Test("The transmission of a removed picture stops")
    func closing() {
        var show = Show()
        let grid = list([picture(.kittyPlacement, 1, length: 20_000)], from: 0)
        for _ in 0..<3 { show.paint(grid, limit: 2000, Self.slow) }
        show.show(list([picture(.kittyPlacement, 2, length: 500)], from: 0), limit: 2000, Self.slow)
        #expect(show.transmissions == ["T2": 1])
    }

    @Test("A resize within a transmission starts it again")
    func resize() {
        let grid = list([picture(.kittyPlaceholders, 1, length: 20_000)], from: 0)
        var show = Show()
        for _ in 0..<3 { show.paint(grid, limit: 2000, Self.slow) }
        show.painter.forget()
        show.show(grid, limit: 2000, Self.slow)
        #expect(show.transmissions == ["T1": 1])
    }

    @Test("Pixels beyond the limits stay characters until the line proves faster", arguments: kinds)
    func withheld(_ kind: PixelPayload.Kind) {
        let grid = list([picture(kind, 1)], from: 0)
        var show = Show()
        let frame = show.paint(grid, PictureLimits(frame: 0, inline: 100))
        #expect(frame.withholdsPictures && frame.isComplete && show.first == nil)
        show.show(grid)
        // What is shown stays.
        let late = show.paint(grid, PictureLimits(frame: 0, inline: 100))
        #expect(show.first == "T1" && late.bytes.isEmpty)
    }

    @Test("The most urgent picture is sent first, and those that keys lead to while the line rests")
    func urgency() {
        let pictures = (1...4).map { picture(.kittyPlacement, $0, length: 5000) }
        var grid = list(Array(pictures.prefix(3)), from: 0)
        grid.urgentImages = [pictures[2], pictures[0], pictures[1], pictures[3]]
        var limits = Self.slow
        var show = Show()
        var sent: [String] = []
        var frame: PaintedFrame
        repeat {
            frame = show.paint(grid, limits)
            sent += show.transmissions.keys.filter { !sent.contains($0) }
        } while !frame.isComplete && !frame.bytes.isEmpty
        #expect(sent == ["T3", "T1", "T2"] && frame.withholdsPictures)
        limits.sendsAhead = true
        show.show(grid, limits)
        let idle = show.paint(grid, limits)
        #expect(show.transmissions["T4"] == 1)
        #expect(idle.bytes.isEmpty && idle.isComplete && !idle.withholdsPictures)
    }

    @Test("Inline pictures beyond a frame's limit follow in the next one, the most urgent first")
    func inlineLimit() {
        let pictures = (1...3).map { picture(.inline, $0) }
        var grid = list(pictures, from: 0)
        grid.urgentImages = [pictures[2]]
        let limits = PictureLimits(frame: 100, inline: 1000)
        var show = Show()
        let frame = show.paint(grid, limits)
        #expect(!frame.isComplete && show.first == nil && show.terminal.part(column: 1, row: 12)?.name == "T3")
        #expect(count("\u{1B}Pq", in: show.show(grid, limits)) == 2)
        // Frames of animations do not wait: they would flicker.
        let frames = list(pictures.map(\.asFrame), from: 0)
        show.painter.forget()
        #expect(show.painter.paint(frames, pictures: limits).isComplete)
    }

    @Test("A picture of kitty's is shown at half the size until the line rests", arguments: kittyKinds)
    func halves(_ kind: PixelPayload.Kind) {
        var image = picture(kind, 1, length: 20_000)
        image.halfPayload = picture(kind, 2).payload
        let grid = list([image], from: 0)
        var limits = PictureLimits.unlimited
        limits.halves = true
        var show = Show()
        show.show(grid, limits)
        #expect(show.first == "T2" && show.paint(grid, limits).withholdsPictures)
        show.show(grid)
        #expect(show.transmissions == ["T1": 1, "T2": 1])
    }

    @Test("At rest all pictures of kitty's come at half the size before the first in full")
    func halvesFirst() {
        let images = (1...2).map { number in
            var image = picture(.kittyPlacement, number, length: 20_000)
            image.halfPayload = picture(.kittyPlacement, number + 2).payload
            return image
        }
        let grid = list(images, from: 0)
        var limits = PictureLimits.unlimited
        limits.halvesFirst = true
        var show = Show()
        // The first frame clears the screen.
        show.paint(grid, .charactersOnly)
        #expect(!show.paint(grid, limits).isComplete && show.transmissions == ["T3": 1, "T4": 1])
        show.show(grid, limits)
        #expect(show.transmissions == ["T1": 1, "T2": 1, "T3": 1, "T4": 1])
    }

    @Test("A frame without pixels leaves a transmission in progress alone")
    func waitingTransmission() {
        var grid = list([picture(.kittyPlacement, 1, length: 20_000)], from: 0)
        var show = Show()
        for _ in 0..<2 { show.paint(grid, Self.slow) }
        grid.put("a key", at: CellPosition(column: 0, row: 18))
        let frame = show.paint(grid, .charactersOnly)
        #expect(frame.isComplete && frame.withholdsPictures && count("\u{1B}_G", in: frame.bytes.raw) == 0)
        #expect(show.terminal.text(ofRow: 18) == "a key")
        show.show(grid, Self.slow)
        #expect(show.transmissions == ["T1": 1])
    }

    @Test("Limits of memory and ids delete the least recently shown images first")
    func quota() {
        var generator = Seeded(5)
        let memory = 10 * 20 * 4
        var terminal = TerminalModel(size: Self.size)
        terminal.pictures.quota = 12 * memory
        var images = KittyImages(maxMemory: 12 * memory)
        let payloads = (0..<40).map { PixelPayload(.kittyPlaceholders, number: $0, columns: 1, rows: 1) }
        var recent: [PixelPayload] = []
        for _ in 0..<500 {
            let shown = Array(payloads.shuffled(using: &generator).prefix(Int.random(in: 1...6, using: &generator)))
            images.begin(shown.map(\.number))
            let missing = shown.filter { images.id(of: $0.number) == nil }
            // Those shown last are still there.
            #expect(missing.allSatisfy { !recent.suffix(6).contains($0) })
            terminal.read(images.send(missing, limit: .max).bytes)
            #expect(shown.allSatisfy { images.id(of: $0.number) != nil })
            recent = recent.filter { !shown.contains($0) } + shown
        }
        #expect(terminal.pictures.peak == 12 * memory)
        // More than fit at once: the rest stays characters.
        images.begin(payloads.map(\.number))
        let sent = images.send(payloads.filter { images.id(of: $0.number) == nil }, limit: .max)
        terminal.read(sent.bytes)
        #expect(sent.isComplete && payloads.count { images.id(of: $0.number) != nil } == 12)
        #expect(terminal.faults.isEmpty)
    }

    @Test("The model terminal faults an unknown sequence, an animation of nothing, and more memory than the quota")
    func faults() {
        let data = ModelPicture(1, length: 20).data
        let image = "\u{1B}_Ga=t,i=7,f=24,s=80,v=80,q=2;\(data)\u{1B}\\"
        let frames = image + "\u{1B}_Ga=f,i=7,r=2,z=40,q=2;\(data)\u{1B}\\"
        for (output, quota, count) in [
            (frames, 2 * 80 * 80 * 4, 0), (frames, 80 * 80 * 4, 1), ("\u{1B}[9999h", 0, 1),
            ("\u{1B}_Ga=a,i=9,s=3,q=2\u{1B}\\", 0, 1),
        ] {
            var terminal = TerminalModel(size: Self.size)
            terminal.pictures.quota = quota
            terminal.read(Array(output.utf8))
            #expect(terminal.faults.count == count, "\(output): \(terminal.faults)")
        }
    }
}

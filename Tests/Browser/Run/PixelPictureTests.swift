import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser
@testable import SpyglassTerminalUI

@Suite("Browser: pictures in pixels", .timeLimit(.minutes(10)))
struct PixelPictureTests {
    private static func codecs(bytes: Int = 64) -> PixelCodecs {
        PixelCodecs(
            png: { _ in [UInt8](repeating: 1, count: bytes) }, jpeg: { _, _ in [UInt8](repeating: 1, count: bytes) })
    }

    private static func useKitty(_ setup: inout BrowserSetup) {
        setup.traits.pixels = .kitty
        setup.traits.cellPixels = PixelSize(width: 10, height: 20)
    }

    /// The image of the one photo in full, once it is final.
    private func full(_ state: AppState) -> CellImage? {
        for case (let key, .shown(let image, _, isFinal: true, _)) in state.images.pictures where key.isFull {
            return image
        }
        return nil
    }

    @Test("Lists and one photo in full are in pixels, also from memory")
    func modes() async throws {
        let run = BrowserRun(codecs: Self.codecs())
        run.start("moon", Self.useKitty)
        await run.drawn { $0.finalPictures > 3 }
        for _ in 0..<2 {
            run.press(.enter)
            let state = await run.drawn { full($0) != nil }
            let image = try #require(full(state))
            #expect(image.payload?.kind == .kittyPlacement)
            #expect(image.cells.count == image.columns * image.rows && image.cells.allSatisfy { $0.isImage })
            for case (_, .shown(let image, _, isFinal: true, _)) in state.images.pictures {
                #expect(image.payload?.kind == .kittyPlacement)
            }
            run.press(.escape)
            await run.drawn { full($0) == nil }
        }
    }

    @Test("Photos that are passed while one is encoded are never encoded")
    func passed() async throws {
        let gate = Gate()
        let encoded = WatchedValue(0)
        // Thumbnails are smaller.
        let encode: @Sendable (PixelBuffer) -> [UInt8] = { image in
            guard image.size.width > 100 else { return [1] }
            encoded.change { $0 += 1 }
            gate.wait()
            return [UInt8](repeating: 1, count: 64)
        }
        let run = BrowserRun(codecs: PixelCodecs(png: encode, jpeg: { image, _ in encode(image) }))
        run.start("moon", Self.useKitty)
        await run.drawn { $0.finalPictures > 3 }
        run.press(.enter)
        await encoded.wait { $0 == 1 }
        for number in 1...4 {
            run.press(.character("n"))
            await run.drawn { state in
                state.images.pictures.keys.contains { $0.isFull && $0.address.path == "/\(number).png" }
            }
        }
        gate.open()
        await run.drawn { full($0) != nil }
        // The first photo, the last one, and its neighbours, each also at half the size.
        #expect((2...8).contains(encoded.value))
    }

    /// Three frames of 8x4 pixels.
    private static let gif =
        "R0lGODlhCAAEAIEAAP8AAAAAAAAAAAAAACH/C05FVFNDQVBFMi4wAwEAAAAh+QQACgAAACwAAAAACAAEAAAIDAABCBxIsKDBgwQDAgAh+QQBCgAB"
        + "ACwAAAAACAAEAIEA/wAAAAAAAAAAAAAIDAABCBxIsKDBgwQDAgAh+QQBCgABACwAAAAACAAEAIEAAP8AAAAAAAAAAAAIDAABCBxIsKDBgwQDAgA7"

    /// The first images that a player makes of an animation.
    private func played(isFull: Bool, bytes: Int = 64, _ change: (inout TerminalTraits) -> Void) async throws
        -> [CellImage]
    {
        var traits = TerminalTraits(size: CellSize(clamping: 80, 24))
        (traits.pixels, traits.cellPixels) = (.kitty, PixelSize(width: 10, height: 20))
        change(&traits)
        let queue = BrowserInbox().queue
        var loader = PictureLoader(traits, Self.codecs(bytes: bytes), queue)
        var configuration = ImagePipeline.Configuration(transport: ScriptedTransport.pictures())
        configuration.clock = ManualClock()
        loader.use(ImagePipeline(configuration))
        let file = try #require(Base64.decoded(Self.gif))
        let key = PictureKey(source: .bytes(file), box: CellSize(clamping: 40, 10), isFull: isFull)
        loader.play([key])
        defer { loader.cancelAll() }
        return await queue.next().compactMap { if case .frame(key, let image, _) = $0 { image } else { nil } }
    }

    @Test("kitty gets all frames of an animation once, at the animation's own size", arguments: [true, false])
    func terminalPlays(isFull: Bool) async throws {
        let image = try #require(try await played(isFull: isFull) { $0.playsAnimations = true }.first)
        let payload = try #require(image.payload)
        #expect(payload.isAnimation && payload.isStretched)
        // An image of a list is enlarged at most three times.
        #expect(payload.memory == 3 * 4 * (isFull ? 8 * 4 : 30 * 20))
        let text = String(decoding: payload.bytes, as: UTF8.self)
        #expect(text.ranges(of: "a=f,i=").count == 2 && text.ranges(of: "a=a,i=").count == 1)
    }

    @Test("Other terminals get frames in pixels, or in characters if they are long")
    func frames() async throws {
        let small = try #require(try await played(isFull: true) { _ in }.first)
        #expect(small.payload?.isFrame == true && small.payload?.isAnimation == false)
        #expect(try await played(isFull: true, bytes: 80_000) { _ in }.first?.payload == nil)
        #expect(try await played(isFull: true) { $0.pixels = .half }.first?.payload == nil)
    }

    /// Text, and a picture of so many bytes.
    private func grid(bytes: Int) throws -> (grid: CellGrid, traits: TerminalTraits) {
        var traits = TerminalTraits(size: CellSize(clamping: 80, 24))
        traits.pixels = .kitty
        traits.cellPixels = PixelSize(width: 10, height: 20)
        let renderer = CellRenderer(traits, Self.codecs(bytes: bytes))
        let address = try #require(WebAddress("http://pictures.example/1.png"))
        let key = PictureKey(address: address, box: CellSize(clamping: 40, 10), isFull: true)
        let image = renderer.image(of: PixelBuffer(size: PixelSize(width: 400, height: 200)), for: key)
        var grid = CellGrid(size: traits.size)
        for row in 0..<12 {
            grid.put(
                TerminalText(cleaning: String(repeating: "\(row)", count: 60)), at: CellPosition(column: 0, row: row))
        }
        grid.put(image, at: CellPosition(column: 0, row: 12))
        return (grid, traits)
    }

    @Test("A key is answered before the pixels in front of it are acknowledged")
    func overtaking() throws {
        let (picture, traits) = try self.grid(bytes: 300_000)
        var grid = picture
        let (terminal, clock, inbox) = (FakeTerminal(), ManualClock(), BrowserInbox())
        var timer = LoopTimer(ElapsedClock(clock), inbox.queue)
        var frames = FrameWriter(terminal, ElapsedClock(clock), traits: traits)
        func draw() -> String? {
            let count = terminal.writes.count
            frames.draw(traits, &timer) { [grid] in BrowserFrame(grid: grid) }
            guard terminal.writes.count > count else { return nil }
            return terminal.writes.last.map { String(decoding: $0.raw, as: UTF8.self) }
        }
        func reply() {
            clock.advance(by: .milliseconds(20 + (terminal.writes.last?.raw.count ?? 0) / 500))
            frames.replied(traits)
        }
        while let write = draw(), !write.contains("\u{1B}_G") { reply() }
        for (text, isAnswered) in [("one" as TerminalText, true), ("two", false)] {
            grid.put(text, at: CellPosition(column: 0, row: 23))
            frames.keyPressed()
            frames.stateChanged()
            let write = draw()
            #expect((write?.contains(text.string) == true) == isAnswered && write?.contains("\u{1B}_G") != true)
        }
        reply()
        #expect(draw() == nil)
        reply()
        #expect(draw()?.contains("two") == true)
        reply()
        clock.advance(by: BandwidthEstimator.restTime)
        frames.rested()
        while let write = draw() {
            #expect(write.utf8.count < 66_000)
            reply()
            if write.contains("a=p,") { return timer.clearAll() }
        }
        #expect(Bool(false), "never placed")
    }

    @Test("On a slow line a key is answered between the parts of a picture")
    func keys() throws {
        let (picture, traits) = try self.grid(bytes: 60_000)
        var grid = picture
        let (terminal, clock, inbox) = (FakeTerminal(), ManualClock(), BrowserInbox())
        var timer = LoopTimer(ElapsedClock(clock), inbox.queue)
        var frames = FrameWriter(terminal, ElapsedClock(clock), traits: traits)
        var keyFrame = Int.max
        var count = -1
        while count != terminal.writes.count {
            count = terminal.writes.count
            if count == 12 {
                grid.put("a key", at: CellPosition(column: 0, row: 23))
                frames.stateChanged()
                keyFrame = count
            }
            frames.draw(traits, &timer) { [grid] in BrowserFrame(grid: grid) }
            guard count != terminal.writes.count else { break }
            // 20 KB a second, and 50 ms of latency.
            let bytes = terminal.writes[count].raw.count
            clock.advance(by: .milliseconds(50 + bytes / 20))
            frames.replied(traits)
        }
        let writes = terminal.writes.map { String(decoding: $0.raw, as: UTF8.self) }
        #expect(keyFrame < writes.count && writes[min(keyFrame, writes.count - 1)].contains("a key"))
        // Text first, then parts of at most a chunk more than 200 ms, and the placement at the end.
        #expect(!writes[0].contains("\u{1B}_G") && writes[0].contains("000000"))
        #expect(writes.allSatisfy { $0.utf8.count < 2 * PictureLimits.minFrame })
        #expect(writes.last?.contains("a=p,") == true)
        timer.clearAll()
    }
}

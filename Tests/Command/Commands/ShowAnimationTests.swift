import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("show: animations", .timeLimit(.minutes(10)))
struct ShowAnimationTests {
    private static let red = "\u{1B}[48;2;255;0;0m  \u{1B}[0m\n"
    private static let green = "\u{1B}[48;2;0;255;0m  \u{1B}[0m\n"
    private static let blue = "\u{1B}[48;2;0;0;255m  \u{1B}[0m\n"
    private static let key = TerminalSession.Event.input(.key(Key(.character("q"))))

    private let folder: TemporaryFolder
    private let gif: String

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("moving.gif", TinyGIF.moving())
        gif = folder.path("moving.gif")
    }

    /// A terminal at both ends, on a clock that moves to each deadline.
    private func system(_ screen: FakeScreen) -> FakeSystem {
        var system = FakeSystem()
        system.screen = CellSize(clamping: 80, 24)
        system.taken = screen
        system.input.isTerminal = true
        system.clock = TickingClock()
        return system
    }

    private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        try folder.write(name, bytes)
        return folder.path(name)
    }

    private func count(_ color: String, in screen: FakeScreen) -> Int {
        screen.shown.split(separator: "48;2;\(color)m", omittingEmptySubsequences: false).count - 1
    }

    @Test("An endless one plays until a key; its last frame stays")
    func endless() async {
        let screen = FakeScreen([("48;2;0;255;0m", Self.key)])
        let outcome = await system(screen).run("show", gif)
        #expect(outcome.code == .success && outcome.errors.isEmpty && screen.log == ["start", "end"])
        #expect([Self.red, Self.green].contains(outcome.output))
    }

    @Test("--loops 2 plays twice, and ends without a key")
    func loops() async {
        let screen = FakeScreen([])
        let outcome = await system(screen).run("show", "--loops", "2", gif)
        #expect(outcome == .init(output: Self.green) && screen.log == ["start", "end"])
        #expect(count("255;0;0", in: screen) == 2 && count("0;255;0", in: screen) == 2)
    }

    @Test("A single one plays as often as its file states")
    func stated() async throws {
        let screen = FakeScreen([])
        let path = try file("three.gif", TinyGIF.moving(3, loops: 1))
        #expect(await system(screen).run("show", path).output == Self.blue)
        #expect(count("255;0;0", in: screen) == 2)
    }

    @Test("Beside other items, and without keys, endless ones play once", arguments: [true, false])
    func once(hasKeys: Bool) async throws {
        let screen = FakeScreen([])
        let photo = try file("photo.png", TinyPNG.solid(0, 0, 255))
        var system = system(screen)
        system.input.isTerminal = hasKeys
        let outcome = hasKeys ? await system.run("show", gif, photo, gif) : await system.run("show", gif)
        let expected = hasKeys ? [Self.green, Self.blue, Self.green].joined(separator: "\n") : Self.green
        #expect(outcome == .init(output: expected) && count("255;0;0", in: screen) == (hasKeys ? 2 : 1))
        #expect(screen.log == (hasKeys ? ["start", "end", "start", "end"] : ["start", "end"]))
    }

    @Test("Standard input plays, too")
    func standardInput() async {
        let screen = FakeScreen([])
        var system = system(screen)
        system.input.isTerminal = false
        system.input.bytes = TinyGIF.moving()
        #expect(await system.run("show", "-").output == Self.green)
        #expect(screen.log == ["start", "end"])
    }

    @Test("Ctrl-C ends the program by SIGINT, with the terminal restored")
    func interrupted() async {
        let screen = FakeScreen([("48;2;0;255;0m", .input(.key(Key(.character("c"), .control))))])
        _ = await system(screen).run("show", gif)
        #expect(screen.log == ["start", "terminate by 2", "end"])
    }

    @Test("After a stop and a resize the screen is painted again")
    func repaints() async {
        let screen = FakeScreen([
            ("48;2;0;255;0m", .continued),
            ("\u{1B}[2J", .resized(.init(columns: 40, rows: 12, source: "the test"))),
        ])
        let outcome = await system(screen).run("show", "--loops", "1", gif)
        #expect(outcome.output == Self.green)
    }

    @Test("A pipe and --frame 1 get the first frame", arguments: [true, false])
    func still(isPipe: Bool) async {
        let screen = FakeScreen([])
        var system = system(screen)
        if isPipe { system.screen = nil }
        let outcome = isPipe ? await system.run("show", gif) : await system.run("show", "--frame", "1", gif)
        #expect(outcome == .init(output: Self.red) && screen.log.isEmpty)
    }

    @Test("In a grid animations do not play")
    func grid() async throws {
        let screen = FakeScreen([])
        let photo = try file("photo.png", TinyPNG.solid(0, 0, 255))
        let outcome = await system(screen).run("show", "--grid", "2", gif, photo)
        #expect(outcome.code == .success && screen.log.isEmpty)
        #expect(outcome.output.contains("48;2;255;0;0m") && !outcome.output.contains("48;2;0;255;0m"))
    }

    @Test("The caption is below an animation while it plays")
    func caption() async {
        let screen = FakeScreen([("moving.gif", Self.key)])
        let outcome = await system(screen).run("show", "--caption={name}", gif)
        #expect(outcome.code == .success && screen.shown.contains("moving.gif") && screen.log == ["start", "end"])
    }

    @Test("--frame N prints the canvas as it looks then, and does not play")
    func frame() async throws {
        let screen = FakeScreen([])
        let photo = try file("photo.png", TinyPNG.solid(0, 0, 255))
        for (number, path, shown) in [("2", gif, Self.green), ("1", gif, Self.red), ("1", photo, Self.blue)] {
            #expect(await system(screen).run("show", "--frame", number, path).output == shown)
        }
        #expect(screen.log.isEmpty)
    }

    @Test("A frame beyond the last is an error with their number")
    func missing() async throws {
        let photo = try file("photo.png", TinyPNG.solid(0, 0, 255))
        var tiff: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 2, 0]
        for tag in [0, 1] as [UInt8] { tiff += [tag, 1, 3, 0, 1, 0, 0, 0, 1, 0, 0, 0] }
        let pages = try file("pages.tif", tiff + [0, 0, 0, 0])
        for (number, path, reason) in [
            ("9", gif, "the last one is 2; use --frame 2"), ("2", photo, "a still image; use --frame 1"),
            ("2", pages, "only the first page is read; use --frame 1"),
        ] {
            let outcome = await FakeSystem().run("show", "--frame", number, path)
            #expect(outcome == .failed("\(path): no frame \(number): \(reason)"))
        }
        #expect(await FakeSystem().run("show", "--frame", "0", gif).code == .usage)
        #expect(await FakeSystem().run("show", "--frame", "2", "--loops", "2", gif).code == .usage)
    }

    @Test("A terminal that cannot be taken over is one line; the next item is shown")
    func refused() async throws {
        let screen = FakeScreen([], failure: .noTerminal)
        let photo = try file("photo.png", TinyPNG.solid(0, 0, 255))
        let outcome = await system(screen).run("show", gif, photo)
        #expect(outcome.code == .someFailed && outcome.output == Self.blue)
    }
}

import SpyglassCatalog
import SpyglassCodecs
import SpyglassFiles
import SpyglassPixels
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser

@Suite("Facts of a photo")
struct InfoTests {
    private static let file = LocalFile.example("/photos/1.jpg", byteCount: 1_000_000)

    /// A list whose first photos are a file and a folder.
    private func local(columns: Int = 120, rows: Int = 40) -> AppState {
        var state = AppState.listing(columns: columns, rows: rows)
        state.list?.photos[0].file = Self.file
        state.list?.photos[1].file = .example("/photos/more", isFolder: true)
        return state
    }

    private func drawn(_ state: AppState) -> String {
        let grid = BrowserView.frame(of: state).grid
        return (0..<grid.size.rows).map { grid.text(ofRow: $0) + "\n" }.joined()
    }

    private func info(_ state: AppState) -> InfoScreen? {
        if case .info(let screen) = state.top { screen } else { nil }
    }

    @Test("i opens the facts in list, grid and detail; i, Escape and q close them", arguments: ["", "v", "\r"])
    func opened(keys: String) {
        for key in ["i", "\u{1B}", "q"] {
            var state = local()
            state.press(keys)
            let below = state.top
            state.press("i")
            #expect(info(state)?.photoID == "id-0")
            state.press(key)
            #expect(state.top == below)
        }
    }

    @Test("A file is read once, and its facts are shown")
    func read() {
        var state = local()
        let photo = state.list?.photos[0]
        #expect(state.press("i").deliberate == photo.map { [.loadFacts($0)] })
        #expect(info(state)?.facts == nil)
        #expect(state.update(.facts(photoID: "id-1", .example())).deliberate.isEmpty)
        #expect(info(state)?.facts == nil)
        #expect(state.update(.facts(photoID: "id-0", .example())).deliberate.isEmpty)
        #expect(info(state)?.facts == .example())
    }

    @Test("The details of a photo of a catalogue are loaded, unless they are there")
    func remote() throws {
        var state = AppState.listing()
        let photo = try #require(state.list?.photos[0])
        #expect(state.press("i").deliberate == [.loadDetails(generation: state.generation, photo)])
        _ = state.details(of: photo)
        state.press("i")
        #expect(state.press("i").deliberate.isEmpty)
    }

    @Test("The facts scroll within their lines where they do not fit, and not elsewhere")
    func scrolling() {
        var small = local(columns: 80, rows: 10)
        small.press("i")
        _ = small.update(.facts(photoID: "id-0", .example()))
        small.press("k")
        #expect(info(small)?.scroll == 0)
        small.press("jj")
        #expect(info(small)?.scroll == 2)
        small.press("G")
        let last = info(small)?.scroll ?? 0
        #expect(last > 2)
        small.press("j")
        #expect(info(small)?.scroll == last)
        small.press("g")
        #expect(info(small)?.scroll == 0)
        small.press(" ")
        #expect((1...last).contains(info(small)?.scroll ?? 0))
        var large = local()
        large.press("i")
        _ = large.update(.facts(photoID: "id-0", .example()))
        large.press("jG ")
        #expect(info(large)?.scroll == 0)
    }

    @Test(
        "Apertures have up to two decimals",
        arguments: [(1.85, "f/1.85"), (2.8, "f/2.8"), (4, "f/4"), (11, "f/11"), (1.999, "f/2"), (1.05, "f/1.05")])
    func apertures(number: Double, text: String) {
        var facts = PhotoFacts.example()
        facts.metadata?.fNumber = number
        var state = local()
        state.press("i")
        _ = state.update(.facts(photoID: "id-0", facts))
        #expect(drawn(state).contains(" \(text), "))
    }

    @Test(
        "Exposures are written as on cameras",
        arguments: [
            (1.0 / 8000, "1/8,000 s"), (0.25, "1/4 s"), (0.3, "0.3 s"), (1, "1 s"), (2.5, "2.5 s"), (30, "30 s"),
            (1 / 4_294_967_295.0, "1/4,294,967,295 s"), (4_294_967_295, "4,294,967,295 s"),
        ] as [(Double, String)])
    func exposures(time: Double, text: String) {
        var facts = PhotoFacts.example()
        facts.metadata?.exposureTime = time
        facts.metadata?.fNumber = nil
        facts.metadata?.iso = nil
        facts.metadata?.focalLength = nil
        facts.metadata?.focalLengthOn35mmFilm = nil
        var state = local()
        state.press("i")
        _ = state.update(.facts(photoID: "id-0", facts))
        #expect(drawn(state).contains("  \(text)  "))
    }
}

@Suite("Facts of a photo: files")
struct InfoRunTests {
    @Test("A file's facts are read on a thread, or the reason why they are not")
    func files() async throws {
        let folder = try TemporaryFolder()
        let image = try ImageEncoder(.png).encode(PixelBuffer(size: PixelSize(width: 20, height: 10)))
        try folder.write("1.png", image)
        try folder.write("2.psd", Array("8BPS".utf8))
        var source = ShelfSource()
        source.files = try ["1.png", "2.psd"].map { try LocalFile(Array(folder.path($0).utf8)) }
        let run = await BrowserRun.listing(BrowserRun(source: source))
        run.press(.character("i"))
        let first = await run.drawn { $0.facts?.metadata != nil }
        #expect(first.facts?.metadata?.info.size == PixelSize(width: 20, height: 10))
        #expect(first.facts?.modified?.utf8.count == "2024-05-18T09:00:00".utf8.count)
        run.press(.character("i"), .down, .character("i"))
        let second = await run.drawn { $0.facts?.problem != nil }
        #expect(second.facts?.problem == "not supported: Photoshop")
    }
}

extension AppState {
    fileprivate var facts: PhotoFacts? { if case .info(let screen) = top { screen.facts } else { nil } }
}

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

    @Test("i opens the facts in list, grid and detail; i, Escape and q close them", arguments: ["", "v", "\r"])
    func opened(keys: String) {
        for key in ["i", "\u{1B}", "q"] {
            var state = local()
            state.press(keys)
            let below = state.top
            state.press("i")
            #expect(state.info?.photoID == "id-0")
            state.press(key)
            #expect(state.top == below)
        }
    }

    @Test("A file is read once, and its facts are shown")
    func read() {
        var state = local()
        let photo = state.list?.photos[0]
        #expect(state.press("i").deliberate == photo.map { [.loadFacts($0)] })
        for id in ["id-1", "id-0"] {
            #expect(state.info?.facts == nil)
            #expect(state.update(.facts(photoID: PhotoID(id), .example())).deliberate.isEmpty)
        }
        #expect(state.info?.facts == .example())
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
        let scrolls = small.values(after: ["k", "jj", "G", "j", "g", " "]) { $0.info?.scroll ?? -1 }
        let last = scrolls[2]
        #expect(scrolls.prefix(5) == [0, 2, last, last, 0] && last > 2 && (1...last).contains(scrolls[5]))
        var large = local()
        large.press("i")
        _ = large.update(.facts(photoID: "id-0", .example()))
        large.press("jG ")
        #expect(large.info?.scroll == 0)
    }

    @Test("A file that is read in part has a problem")
    func problem() throws {
        var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 3))
        let photo = try #require(state.list?.selectedPhoto)
        let key = try #require(state.thumbnailKey(of: photo, in: state.geometry))
        let facts = PictureFacts(completeness: .truncated(rows: 30, of: 60))
        state.show(key, facts)
        state.press("i")
        _ = state.update(.facts(photoID: photo.key, .example()))
        #expect(state.rows.contains { $0.contains("Problem") && $0.contains("truncated") })
    }

    /// Whether a text is among the facts.
    private func shows(_ text: String, _ change: (inout ImageMetadata) -> Void) -> Bool {
        var facts = PhotoFacts.example()
        if var metadata = facts.metadata {
            change(&metadata)
            facts.metadata = metadata
        }
        var state = local()
        state.press("i")
        _ = state.update(.facts(photoID: "id-0", facts))
        return state.drawing.contains(text)
    }

    @Test(
        "Apertures have up to two decimals",
        arguments: [(1.85, "f/1.85"), (2.8, "f/2.8"), (4, "f/4"), (11, "f/11"), (1.999, "f/2"), (1.05, "f/1.05")])
    func apertures(number: Double, text: String) {
        #expect(shows(" \(text), ") { $0.fNumber = number })
    }

    @Test(
        "Exposures are written as on cameras",
        arguments: [
            (1.0 / 8000, "1/8,000 s"), (0.25, "1/4 s"), (0.3, "0.3 s"), (1, "1 s"), (2.5, "2.5 s"), (30, "30 s"),
            (1 / 4_294_967_295.0, "1/4,294,967,295 s"), (4_294_967_295, "4,294,967,295 s"),
        ] as [(Double, String)])
    func exposures(time: Double, text: String) {
        #expect(
            shows("  \(text)  ") {
                ($0.exposureTime, $0.fNumber, $0.iso) = (time, nil, nil)
                ($0.focalLength, $0.focalLengthOn35mmFilm) = (nil, nil)
            })
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
